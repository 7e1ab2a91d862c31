"""What a newcomer downloads, installs and waits for: sizes, import time, hard dependencies, clean installs.

    python benchmarks/package_size.py                                   # this Python only
    python benchmarks/package_size.py python3.11 python3.12 python3.13  # a clean environment on each

Needs the network (or a local index) for numpy and scipy. It prints a table for docs/results/scale.md.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
CLIENT = ROOT / "tests" / "packaging" / "typed_client.py"
REPEATS = 15

# Processor time, which other work on the machine does not disturb much.
IMPORT = """
import time; t = time.process_time()
import numpy, scipy.optimize; u = time.process_time()
import steelyard; v = time.process_time()
print(u - t, v - u)
"""


def run(*command: object) -> str:
    outcome = subprocess.run([str(word) for word in command], capture_output=True, text=True, cwd=tempfile.gettempdir())
    if outcome.returncode != 0:
        raise SystemExit(f"{command}\n{outcome.stdout}{outcome.stderr}")
    return outcome.stdout


def size(package: Path, leave_out: tuple[str, ...] = ()) -> float:
    """Megabytes of the installed files, without those below folders of these names."""
    files = (path for path in package.rglob("*") if path.is_file())
    return sum(path.stat().st_size for path in files if not set(leave_out) & set(path.relative_to(package).parts)) / 1e6


def clean_install(python: str, wheel: Path, home: Path) -> tuple[Path, dict[str, str]]:
    """A fresh environment with the wheel and what it pulls: its interpreter, and what came with it."""
    run(python, "-m", "venv", home)
    interpreter = home / "bin" / "python"
    before = {item["name"] for item in json.loads(run(interpreter, "-m", "pip", "list", "--format=json"))}
    run(interpreter, "-m", "pip", "install", "--quiet", wheel)
    installed = json.loads(run(interpreter, "-m", "pip", "list", "--format=json"))
    return interpreter, {item["name"]: item["version"] for item in installed if item["name"] not in before}


def main(pythons: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        subprocess.run(
            [sys.executable, "-m", "hatchling", "build", "-d", work], check=True, capture_output=True, cwd=ROOT
        )
        (wheel,), (sdist,) = work.glob("*.whl"), work.glob("*.tar.gz")
        print("| | |\n|---|---|")
        print(f"| wheel | {wheel.stat().st_size / 1e3:.0f} kB |\n| sdist | {sdist.stat().st_size / 1e3:.0f} kB |")
        for i, python in enumerate(pythons):
            interpreter, brought = clean_install(python, wheel, work / f"env{i}")
            version = run(interpreter, "-c", "import platform; print(platform.python_version())").strip()
            run(interpreter, CLIENT)
            if i == 0:
                (package,) = (work / "env0").rglob("site-packages/steelyard")
                for what, without in (("the core", ("bench", "web", "commands")), ("all of it", ())):
                    plain, compiled = size(package, (*without, "__pycache__")), size(package, without)
                    print(f"| installed, beyond numpy and scipy: {what} | {plain:.2f} MB, ", end="")
                    print(f"{compiled:.2f} MB with compiled bytecode |")
                times = [[float(t) for t in run(interpreter, "-c", IMPORT).split()] for _ in range(REPEATS)]
                base, ours = (statistics.median(column) for column in zip(*times, strict=True))
                print(f"| `import numpy, scipy.optimize` | {base:.3f} s of processor time |")
                print(f"| `import steelyard`, on top | {ours:.3f} s |")
            came = ", ".join(f"{name} {number}" for name, number in sorted(brought.items()))
            print(f"| clean install on Python {version} | {came}: runs |")


if __name__ == "__main__":
    main(sys.argv[1:] or [sys.executable])
