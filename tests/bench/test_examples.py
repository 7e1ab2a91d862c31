import os
import subprocess
import sys
from pathlib import Path

from steelyard.bench import load

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_a_newcomers_method_is_benchmarked_against_ours_with_one_command(tmp_path):
    """The command in the example's docstring, as it stands there."""
    text = (EXAMPLES / "own_method.py").read_text(encoding="utf-8")
    command = next(line.split() for line in text.splitlines() if line.strip().startswith("steelyard bench"))
    path = os.pathsep.join([str(EXAMPLES), *sys.path])
    subprocess.run(
        [sys.executable, "-m", *command, "--out", str(tmp_path)],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        check=True,
    )
    results = load(tmp_path)
    assert len(results) == 18 and set(results["status"]) == {"budget"}
    # On the long narrow valley of ROSENBR and on WATSON it solves something; that it is good is not claimed.
    times = results.times("f05", ["ROSENBR", "HILBERTA", "WATSON"], ["own_method:CoordinateSearch"])
    assert (times < 2000).mean() > 0.5
    page = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    assert "own_method:CoordinateSearch" in page and "data:image/png;base64," in page
    assert "http://" not in page and "https://" not in page
