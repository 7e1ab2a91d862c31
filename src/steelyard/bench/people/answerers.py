"""Who answers in the benchmark: an exact person, two noisy ones, and one who cannot tell close things apart."""

from __future__ import annotations

import numpy as np

from steelyard.bench.oracle_spec import logistic_scale
from steelyard.bench.people.utilities import Utility
from steelyard.errors import BadValue
from steelyard.oracles import FunctionOracle, LogisticOracle, Oracle

ANSWERERS = ("exact", "95", "85", "ties")
"""Right always, right 95 % or 85 % of the time on a typical pair, and 95 % with the closest 15 % of pairs tied."""

TIED = 0.15


def answerer(name: str, utility: Utility, seed: int) -> Oracle:
    """The oracle `name` for a utility; "typical" pairs are drawn uniformly from the box."""
    if name not in ANSWERERS:
        raise BadValue(f"answers must be one of {', '.join(ANSWERERS)}, got {name!r}")
    if name == "exact":
        return FunctionOracle(utility.f, vectorized=True)
    pairs = np.random.default_rng([utility.seed, utility.d, 22]).random((2, 2000, utility.d))
    gaps = np.abs(utility.f(pairs[0]) - utility.f(pairs[1]))
    right = 0.85 if name == "85" else 0.95
    jnd = float(np.quantile(gaps, TIED)) if name == "ties" else 0.0
    f = FunctionOracle(utility.f, vectorized=True)
    return LogisticOracle(f, logistic_scale(gaps, right), np.random.default_rng([utility.seed, seed, 23]), jnd=jnd)
