"""The problems beyond the paper's, each at two or more small dimensions, and points to look at them."""

from typing import Any

import numpy as np

from steelyard.problems import Problem

_PLAIN = ({"N": 5}, {"N": 24})
_SCALED_BY = {"SCURLY": 12.0, "SBRYBND": 12.0, "SCOSINE": 12.0, "SSBRYBND": 6.0, "SSCOSINE": 6.0}

# Parameters in the order in which the SIF declares them.
CASES: dict[str, tuple[dict[str, Any], ...]] = {
    "ARGLINA": ({"N": 3, "M": 5}, {"N": 20, "M": 20}, {"N": 20, "M": 40}),
    "ARGLINB": ({"N": 3, "M": 5}, {"N": 20, "M": 40}),
    "ARGTRIGLS": _PLAIN,
    "BROYDN3DLS": ({"N": 4}, {"N": 11, "KAPPA1": 1.5, "KAPPA2": 0.7}),
    "BROYDNBDLS": ({"N": 7}, {"N": 20}),
    "BRYBND": ({"N": 7}, {"N": 20}, {"N": 15, "KAPPA1": 1.0, "KAPPA2": 2.0, "KAPPA3": 3.0, "LB": 3, "UB": 2}),
    "CURLY10": ({"N": 12}, {"N": 40}),
    "CURLY20": ({"N": 22}, {"N": 40}),
    "CURLY30": ({"N": 32}, {"N": 50}),
    "CYCLIC3LS": _PLAIN,
    "CYCLOOCFLS": ({"P": 4}, {"P": 8}, {"P": 13}),
    "DIXMAANA1": ({"M": 2}, {"M": 9}),
    "DIXMAANE1": ({"M": 2}, {"M": 9}),
    "DIXMAANP": ({"M": 2}, {"M": 9}),
    "DIXON3DQ": ({"N": 2}, *_PLAIN),
    "EIGENALS": ({"N": 2}, {"N": 5}),
    "EIGENBLS": ({"N": 2}, {"N": 5}),
    "FLETBV3M": ({"N": 5}, {"N": 24, "KAPPA": 0.3}),
    "FLETCBV2": ({"N": 5}, {"N": 24, "KAPPA": 0.3}),
    "FLETCBV3": ({"N": 5}, {"N": 24, "KAPPA": 0.3}),
    "FLETCHBV": ({"N": 5}, {"N": 24, "KAPPA": 0.3}),
    "FLETCHCR": ({"N": 2}, *_PLAIN),
    "FMINSRF2": ({"P": 3}, {"P": 6}),
    "FMINSURF": ({"P": 3}, {"P": 6}),
    "GENHUMPS": ({"N": 5}, {"N": 24, "ZETA": 2.0}),
    "INDEF": ({"N": 5}, {"N": 24, "ALPHA": 10.0}),
    "INDEFM": ({"N": 5}, {"N": 24, "ALPHA": 10.0}),
    "KSSLS": _PLAIN,
    "LIARWHD": ({"N": 2}, *_PLAIN),
    "MODBEALE": ({"HALFN": 1}, {"HALFN": 6, "ALPHA": 7.0}),
    "MOREBV": _PLAIN,
    "NONCVXU2": _PLAIN,
    "NONCVXUN": _PLAIN,
    "OSCIGRAD": ({"N": 2}, {"N": 24, "RHO": 1.0}, {"N": 10}),
    "PENALTY2": _PLAIN,
    "POWER": _PLAIN,
    "POWERSUM": ({"N": 4}, {"N": 9}),
    "QUARTC": _PLAIN,
    "SBRYBND": ({"N": 8}, {"N": 20}),
    "SCHMVETT": ({"N": 3}, {"N": 24}),
    "SCOSINE": _PLAIN,
    "SCURLY10": ({"N": 10}, {"N": 40}),
    "SCURLY20": ({"N": 22}, {"N": 40}),
    "SCURLY30": ({"N": 32}, {"N": 50}),
    "SINQUAD": _PLAIN,
    "SINQUAD2": _PLAIN,
    "SPARSINE": _PLAIN,
    "SPARSQUR": _PLAIN,
    "SPIN2LS": ({"N": 2}, {"N": 8}),
    "SPINLS": ({"N": 3}, {"N": 6}),
    "SSBRYBND": ({"N": 8}, {"N": 20}),
    "SSCOSINE": _PLAIN,
    "TOINTGSS": _PLAIN,
    "n10FOLDTRLS": ({"N": 4}, {"N": 9}),
}

EACH_CASE = [(name, parameters) for name, cases in CASES.items() for parameters in cases]


def points(problem: Problem, count: int = 4, seed: int = 1) -> np.ndarray:
    """The start, points near it and far from it, and points around the origin, in the problem's own scale."""
    rng = np.random.default_rng(seed)
    unit = np.ones(problem.n)
    for prefix, exponent in _SCALED_BY.items():
        if problem.name.startswith(prefix):
            unit = np.exp(-exponent * np.arange(problem.n) / (problem.n - 1))
    spread = unit if unit[-1] < 1.0 else np.maximum(np.abs(problem.x0), 1.0)
    steps = rng.normal(size=(count, problem.n))
    steps[0] = 0.0
    around = np.where(np.arange(count) % 4 == 3, 0.0, 1.0)[:, None] * problem.x0
    width = np.where((np.arange(count) % 4 == 3)[:, None], unit, spread)
    return around + steps * width * np.where(np.arange(count) % 4 == 1, 0.1, 1.0)[:, None]
