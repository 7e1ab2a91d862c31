"""Kill a study's server, its workers, its thinkers and its database at random moments while people answer.

    python benchmarks/kill_server.py --kills 200 --workers 2
    python benchmarks/kill_server.py --kills 200 --workers 2 --store postgres --method preference-gp
    python benchmarks/kill_server.py --kills 20 --method preference-gp --victims worker thinker --longest 4 --clickers 2

Who is killed takes turns. Nothing acknowledged may be lost, doubled or altered, and the log must rebuild every run.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from study_rows import keep

from web.postgres_server import PostgresServer
from web.torture import Torture


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--clickers", type=int, default=6)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--method", default="stp")
    parser.add_argument("--store", choices=["sqlite", "postgres"], default="sqlite")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--longest", type=float, default=0.5, help="seconds between kills, at most")
    parser.add_argument("--victims", nargs="*", default=(), choices=["server", "worker", "thinker", "database"])
    parser.add_argument("--out", type=Path, help="keep what was measured in this file")
    given = parser.parse_args()
    postgres = PostgresServer(sync=True) if given.store == "postgres" else None
    begin = time.monotonic()
    try:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            torture = Torture(
                Path(folder),
                given.kills,
                given.clickers,
                given.seed,
                given.longest,
                workers=given.workers,
                method=given.method,
                postgres=postgres,
                victims=tuple(given.victims),
            )
            count = torture.run()
    finally:
        if postgres is not None:
            postgres.stop()
    settings = {name: getattr(given, name) for name in ("kills", "clickers", "workers", "method", "store")}
    victims = sorted({victim for victim, _ in torture.killed}, key=[victim for victim, _ in torture.killed].index)
    keep(given.out, "kills", {**settings, "victims": victims}, asdict(count))
    print(f"{given.store}, {given.method}, {given.workers} workers: {count} in {time.monotonic() - begin:.0f} s")
    if count.lost or count.duplicated or count.altered:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
