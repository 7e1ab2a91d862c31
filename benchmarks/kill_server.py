"""Kill the server of a study at random moments while people answer; nothing acknowledged may be lost or doubled.

python benchmarks/kill_server.py --kills 200
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from web.torture import torture


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--clickers", type=int, default=6)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        count = torture(Path(folder), arguments.kills, arguments.clickers, arguments.seed)
    print(f"{count} in {time.monotonic() - begin:.0f} s")
    if count.lost or count.duplicated or count.altered:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
