"""Simulated people in the design of recorded ones, so that the two can be compared."""

from itertools import combinations

import numpy as np

from steelyard.bench.oracle_spec import make_oracle
from steelyard.problems import get
from steelyard.real.recorded import Recorded


def simulated_people(judge: str, people: int = 303, items: int = 6, d: int = 3, seed: int = 0) -> Recorded:
    """The same design with simulated people: each judges all pairs of a few random points, by the judge of a plan.

    Every person has a utility of d parameters of their own, `Person?d=3&seed=k`; the points are the same for all.
    """
    points = np.random.default_rng([seed, 3]).random((items, d))
    i, j = np.array(list(combinations(range(items), 2))).T
    answers = []
    for person in range(people):
        problem = get(f"Person?d={d}&seed={person}")
        oracle, _ = make_oracle(judge, problem.f, np.random.SeedSequence([seed, person]), problem)
        answers.append(oracle.compare(points[i], points[j]))
    return Recorded(
        tuple(map(str, range(items))),
        np.repeat(np.arange(people), len(i)),
        np.tile(i, people),
        np.tile(j, people),
        np.concatenate(answers),
    )
