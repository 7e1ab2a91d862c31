"""`minimize`: the front door, in the manner of scipy.optimize."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from steelyard.dialogue import Algorithm
from steelyard.oracles import Oracle
from steelyard.registry import make_algorithm
from steelyard.seeds import Seed
from steelyard.session import Session

if TYPE_CHECKING:
    from scipy.optimize import OptimizeResult


def minimize(
    oracle: Oracle | Callable[..., Any],
    x0: object,
    *,
    method: str | Algorithm = "cqn",
    budget: int,
    bounds: object = None,
    rng: Seed = None,
    callback: Callable[[OptimizeResult], object] | None = None,
    options: Mapping[str, Any] | None = None,
) -> OptimizeResult:
    """Minimise what `oracle` can only compare, with at most `budget` comparisons.

    Parameters
    ----------
    oracle : an oracle (`FunctionOracle(f)`, `NoisyOracle(...)`, anything with `compare(a, b)` on rows), or a plain
        function `prefer(x, y)` that returns +1 or True if x is better, -1 or False if y is, 0 if it can't tell.
    x0 : the start; never changed.
    method : a name (`steelyard algorithms` lists them) or an algorithm object.
    budget : the most comparisons asked; never exceeded by one.
    bounds : None, scipy `Bounds`, or pairs (low, high), None for an open side. No question leaves the box.
    rng : a seed or a `numpy.random.Generator`; the same seed gives the same run.
    callback : called at every step with an `OptimizeResult` that has `x`, `ncmp`, `nit`, `nties`; it may raise
        `StopIteration` to end the run.
    options : hyper-parameters of a method given by name, for example `{"step": 0.5}` or `{"preset": "paper"}`.

    Returns
    -------
    scipy.optimize.OptimizeResult with `x` (the recommendation), `success` (True if the method stopped because it had
    converged), `status` (0 converged, 1 budget used, 2 callback, 3 given up: no minimum seems to exist), `message`,
    `nit` (steps), `ncmp` (comparisons asked), `nties`, and `nfev` (points
    evaluated) if the oracle evaluates a function.
    """
    algorithm = make_algorithm(method, options)
    return Session(algorithm, x0, rng, bounds=bounds, log=False).run(oracle, budget, callback)
