"""What an answer costs a server, without the network: processor time, and how often the database is asked.

    python benchmarks/answer_cost.py --people 20
    python benchmarks/answer_cost.py --people 1000 --answers 2 --store postgres

People answer in turn; each answer checks the link, commits the answer and works out the next question. Processor time
is that of this process alone, so it hardly depends on what else the machine does.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from study_rows import keep

from steelyard.studies.study import load_study
from steelyard.web.server import open_file
from web.postgres_server import PostgresServer
from web.serving import write_study

FIRST = 5
"""The answers of each person that are not measured: at first statements are prepared and modules loaded."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", choices=["sqlite", "postgres"], default="sqlite")
    parser.add_argument("--method", default="stp")
    parser.add_argument("--people", type=int, default=20)
    parser.add_argument("--answers", type=int, default=25, help="of each person")
    parser.add_argument("--out", type=Path, help="keep what was measured in this file")
    given = parser.parse_args()
    postgres = PostgresServer(sync=True) if given.store == "postgres" else None
    asked = 0
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        path = write_study(Path(folder), budget=10**6, method=given.method, options="")
        opened = open_file(load_study(path), f"{postgres.url}#cost" if postgres else path.with_suffix(".db"))
        database = opened.store.database
        read, write = database.read, database.write

        def counted_read(*arguments):  # type: ignore[no-untyped-def]
            nonlocal asked
            asked += 1
            return read(*arguments)

        def counted_write(*arguments, **how):  # type: ignore[no-untyped-def]
            nonlocal asked
            asked += 1
            return write(*arguments, **how)

        database.read, database.write = counted_read, counted_write  # type: ignore[method-assign]
        people = [opened.add_rater(f"rater {number}")[1] for number in range(given.people)]

        def rounds(count: int) -> None:
            for _ in range(count):
                for token in people:
                    rater = opened.role(token, "here", "rater")
                    assert rater is not None
                    question = opened.state(rater, fresh=False)["question"]["id"]
                    opened.answer(rater, question, "left")

        rounds(FIRST)
        asked, begin, used = 0, time.perf_counter(), time.process_time()
        rounds(given.answers)
        answers = given.people * given.answers
        cpu, took = (value / answers for value in (time.process_time() - used, time.perf_counter() - begin))
        settings = {name: value for name, value in vars(given).items() if name != "out"}
        keep(given.out, "cost", settings, {"cpu": cpu, "seconds": took, "asked": asked / answers})
        print(
            f"{given.method}, {given.store}, {given.people} people: {1e3 * cpu:.2f} ms of processor time and "
            f"{asked / answers:.1f} calls of the database per answer, {1e3 * took:.1f} ms in all"
        )
        opened.close()
    if postgres is not None:
        postgres.stop()


if __name__ == "__main__":
    main()
