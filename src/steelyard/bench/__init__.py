"""Judge methods that only compare: plan, run, judge, draw, report.

    plan = Plan(problems=["QING", "WATSON"], algorithms=["stp,preset=paper", "gld"], budget=10_000, seeds=5)
    run(plan, "results")                 # resumes where it was; one record a finished run
    results = load("results")

A plan names everything; a cell of it is rebuilt by name wherever it runs, so it may run anywhere. What is no run of a
method on a problem is a `measurement.Measurement`.
"""

from steelyard.bench.plan import Cell, Plan
from steelyard.bench.records import load
from steelyard.bench.results import Results
from steelyard.bench.run import run

__all__ = ["Cell", "Plan", "Results", "load", "run"]
