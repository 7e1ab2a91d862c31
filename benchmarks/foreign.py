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
from pathlib import Path

import numpy as np
import scipy.optimize

from steelyard.convert import FromAskTell
from steelyard.dialogue import Algorithm
from steelyard.registry import algorithm_class, make_algorithm, parse_spec

SOURCES = Path(__file__).parent.parent / "src" / "steelyard"
NO_SAY = {"checks", "dialogue", "typing", "oracles"}  # files that do not decide what a method asks

Function = Callable[[np.ndarray], float]


def _scipy(name: str, **options: object) -> Callable[[Function, np.ndarray, int], str]:
    def minimise(f: Function, x0: np.ndarray, budget: int) -> str:
        return str(scipy.optimize.minimize(f, x0, method=name, options={"maxfev": budget, **options}).message)

    return minimise


def _newuoa(f: Function, x0: np.ndarray, budget: int) -> str:
    """NEWUOA as nlopt has it, with the trust-region radius 1 that Powell's own code and COBYQA begin with."""
    import nlopt

    optimiser = nlopt.opt(nlopt.LN_NEWUOA, x0.size)
    optimiser.set_min_objective(lambda x, _: f(x.copy()))
    optimiser.set_initial_step(1.0)
    optimiser.set_maxeval(budget)
    optimiser.set_xtol_rel(1e-12)
    try:
        optimiser.optimize(x0)
    except nlopt.RoundoffLimited:
        return "limited by rounding"
    return f"nlopt's code {optimiser.last_optimize_result()}"


WITH_VALUES: dict[str, tuple[str, Callable[[Function, np.ndarray, int], str]]] = {
    "scipy-powell": ("scipy", _scipy("Powell", xtol=1e-10, ftol=1e-14, maxiter=10**6)),
    "scipy-nelder-mead": ("scipy", _scipy("Nelder-Mead", adaptive=True, xatol=1e-10, fatol=1e-14, maxiter=10**6)),
    "scipy-cobyqa": ("scipy", _scipy("COBYQA", maxiter=10**6)),
    "nlopt-newuoa": ("nlopt", _newuoa),
}


def _pycma(x: np.ndarray, rng: np.random.Generator) -> object:
    import cma

    return cma.CMAEvolutionStrategy(x, 0.3, {"verbose": -9, "seed": int(rng.integers(1, 2**31))})


def algorithm(method: str) -> Algorithm:
    """A method of the package by its specification, or pycma, which is told the ranks of its population."""
    if method == "pycma":
        return FromAskTell(_pycma, recommend=lambda optimiser: optimiser.mean)
    return make_algorithm(*parse_spec(method))


def version(method: str) -> str:
    """A fingerprint of what decides which questions a method asks, and of nothing else."""
    package = WITH_VALUES[method][0] if method in WITH_VALUES else "cma" if method == "pycma" else None
    number = [importlib.metadata.version(package)] if package else []
    sources = b"".join(path.read_bytes() for path in files(method))
    return "-".join([*number, *([hashlib.sha256(sources).hexdigest()[:12]] if sources else [])])


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
