"""A measurement as a user writes it: what numbers are, by seed."""

from pathlib import Path

from steelyard.bench.measurement import Case, Measurement, grouped

LOG = Path("measured.log")


def measure(case: Case):
    with LOG.open("a") as log:
        print(case.problem, case.algorithm, case.seed, file=log)
    if case.problem == "broken" or (case.problem == "odd" and case.seed % 2 == 0):
        return [] if case.problem == "odd" else 1 / 0
    return [{"value": case.seed * case.budget}]


def tables(rows):
    found = grouped(rows, "problem", "algorithm")
    return {"table": "".join(f"{key}: {[row['value'] for row in some]}\n" for key, some in found.items())}


def figure(rows, path):
    path.write_text(f"{len(rows)} rows")


PLAN = Measurement(
    measure=measure,
    tables=tables,
    figure=figure,
    problems=("all", "odd"),
    algorithms=("a", "b"),
    seeds=3,
    first_seed=1,
    budget=10,
)
