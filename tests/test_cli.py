import subprocess
import sys


def steelyard(*arguments):
    return subprocess.run([sys.executable, "-m", "steelyard", *arguments], capture_output=True, text=True, timeout=60)


def test_version_and_listing():
    import steelyard as package

    assert steelyard("--version").stdout.strip() == f"steelyard {package.__version__}"
    listing = steelyard("algorithms")
    assert listing.returncode == 0
    for name in ("stp", "gld"):
        assert name in listing.stdout


def test_bad_use_exits_with_2_and_no_traceback():
    for arguments in (["nonsense"], ["algorithms", "--nonsense"]):
        outcome = steelyard(*arguments)
        assert outcome.returncode == 2
        assert "Traceback" not in outcome.stderr
        assert "onsense" in outcome.stderr


def test_the_core_needs_numpy_and_scipy_only():
    script = """
import sys
extras = "typer rich matplotlib pyarrow starlette uvicorn jinja2 httpx dask distributed fsspec"
sys.modules.update(dict.fromkeys(extras.split()))
import numpy as np, steelyard
r = steelyard.minimize(steelyard.FunctionOracle(lambda x: float(x @ x)), np.ones(3), budget=50, rng=0)
assert r.ncmp <= 50
"""
    outcome = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert outcome.returncode == 0, outcome.stderr
