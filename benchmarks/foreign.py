"""Optimisers of other packages beside which CQN is measured, and what decides whether a kept run is still good.

Those that see values of f are driven to a number of evaluations; pycma sees only ranks, by comparisons. Defaults are
kept except where they would be unfair: scipy's Nelder-Mead runs with `adaptive`, without which it fails for n = 100,
and nobody stops early by a loose tolerance.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import scipy.optimize

from steelyard.convert import FromAskTell
from steelyard.dialogue import Algorithm
from steelyard.registry import algorithm_class, make_algorithm, parse_spec

SOURCES = Path(__file__).parent.parent / "src" / "steelyard"
NO_SAY = {"checks", "dialogue", "typing", "oracles"}  # files that do not decide what a method asks

Function = Callable[[np.ndarray], float]


@dataclass(frozen=True)
class WithValues:
    """A method that sees values of f: `run(f, x0, budget, **settings)` returns why it stopped."""

    package: str
    run: Callable[..., str]
    settings: dict[str, object]


def _scipy(f: Function, x0: np.ndarray, budget: int, method: str, **options: object) -> str:
    return str(scipy.optimize.minimize(f, x0, method=method, options={"maxfev": budget, **options}).message)


def _newuoa(f: Function, x0: np.ndarray, budget: int, radius: float, xtol: float) -> str:
    import nlopt

    optimiser = nlopt.opt(nlopt.LN_NEWUOA, x0.size)
    optimiser.set_min_objective(lambda x, _: f(x.copy()))
    optimiser.set_initial_step(radius)
    optimiser.set_maxeval(budget)
    optimiser.set_xtol_rel(xtol)
    try:
        optimiser.optimize(x0)
    except nlopt.RoundoffLimited:
        return "limited by rounding"
    return f"nlopt's code {optimiser.last_optimize_result()}"


ENDLESS = {"maxiter": 10**6}
NELDER_MEAD = {"method": "Nelder-Mead", "adaptive": True, "xatol": 1e-10, "fatol": 1e-14, **ENDLESS}
WITH_VALUES = {
    "scipy-powell": WithValues("scipy", _scipy, {"method": "Powell", "ftol": 1e-14, **ENDLESS}),
    "scipy-nelder-mead": WithValues("scipy", _scipy, NELDER_MEAD),
    "scipy-cobyqa": WithValues("scipy", _scipy, {"method": "COBYQA", **ENDLESS}),
    # the trust-region radius that Powell's own code and COBYQA begin with
    "nlopt-newuoa": WithValues("nlopt", _newuoa, {"radius": 1.0, "xtol": 1e-12}),
}


def _pycma(x: np.ndarray, rng: np.random.Generator) -> object:
    import cma

    return cma.CMAEvolutionStrategy(x, 0.3, {"verbose": -9, "seed": int(rng.integers(1, 2**31))})


def algorithm(method: str) -> Algorithm:
    """A method of the package by its specification, or pycma, which is told the ranks of its population."""
    if method == "pycma":
        return FromAskTell(_pycma, recommend=lambda optimiser: optimiser.mean)
    return make_algorithm(*parse_spec(method))


@cache
def version(method: str) -> str:
    """A fingerprint of what decides which questions a method asks, and of nothing else."""
    decides = b"".join(path.read_bytes() for path in files(method))
    package = "cma" if method == "pycma" else None
    if method in WITH_VALUES:
        package, decides = WITH_VALUES[method].package, repr(WITH_VALUES[method].settings).encode()
    number = [importlib.metadata.version(package)] if package else []
    return "-".join([*number, hashlib.sha256(decides).hexdigest()[:12]])


def files(method: str) -> list[Path]:
    """The package's files that decide what a method asks: its own, and those they import from the top folder."""
    if method in WITH_VALUES:
        return []
    if method == "pycma":
        wanted = [SOURCES / "convert" / "ask_tell.py"]
    else:
        home = SOURCES.parent / Path(*algorithm_class(parse_spec(method)[0]).__module__.split("."))
        wanted = [home.with_suffix(".py")] if home.parent.name == "algorithms" else list(home.parent.glob("*.py"))
    found = set()
    while wanted:
        path = wanted.pop()
        if path not in found:
            found.add(path)
            shared = set(re.findall(r"^from steelyard\.(\w+) import", path.read_text(), re.MULTILINE)) - NO_SAY
            wanted += [SOURCES / f"{name}.py" for name in shared if (SOURCES / f"{name}.py").exists()]
    return sorted(found)
