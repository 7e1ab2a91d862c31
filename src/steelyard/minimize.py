"""`minimize`: the front door, similar to scipy.optimize."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from steelyard.bounds import BoundsLike
from steelyard.dialogue import Algorithm
from steelyard.oracles import Oracle
from steelyard.registry import make_algorithm
from steelyard.seeds import Seed
from steelyard.session import Session
from steelyard.space import Space

if TYPE_CHECKING:
    from numpy.typing import ArrayLike
    from scipy.optimize import OptimizeResult

    from steelyard.kit.result import Result


def minimize(
    oracle: Oracle | Callable[..., Any],
    x0: ArrayLike | Space,
    *,
    method: str | Algorithm = "auto",
    budget: int,
    bounds: BoundsLike = None,
    rng: Seed = None,
    callback: Callable[[OptimizeResult], object] | None = None,
    every: Literal["step", "answer"] = "step",
    options: Mapping[str, Any] | None = None,
    parallel: int | None = None,
    log: str | os.PathLike[str] | None = None,
    time_limit: float | None = None,
    progress: bool = False,
    shuffle: bool | None = None,
    constraints: Callable[[Any], Any] | list[Callable[[Any], Any]] | None = None,
    settings: type | None = None,
) -> Result:
    """Minimise what `oracle` can only compare, with at most `budget` comparisons.

    Parameters
    ----------
    oracle : an oracle (`FunctionOracle(f)`, `NoisyOracle(...)`, anything with `compare(a, b)` on rows), or a function
        `prefer(x, y)`, plain or `async def`, that returns +1 or True if x is better, -1 or False if y is, 0 if it can't
        tell, "neither" if both are unacceptable, or a `Verdict`. `Concurrent` asks many at once, with time limits,
        retries and a limit on the cost; `Shuffled` and `BothWays` are against a liking for one side.
    x0 : the start; never changed. Or a `Space` of named parameters: then `prefer` gets two dictionaries of settings.
    method : a name (`steelyard algorithms` lists them), with options if wanted ("stp,preset=paper"), or an object.
        "auto" chooses by the number of variables, the bounds and the budget; the result says what and why.
    budget : the most comparisons asked; never exceeded.
    bounds : None, scipy `Bounds`, or pairs (low, high), None for an open side. No question leaves the box.
    rng : a seed or a `numpy.random.Generator`; the same seed gives the same run.
    callback : called with an `OptimizeResult` that has `x`, `ncmp`, `nit`, `nties`; it may raise `StopIteration` to end
        the run.
    every : when the callback is called: at every "step" of the method, or after every "answer" (a batch of them, if the
        method asks several questions at once).
    options : hyper-parameters of a method given by name, for example `{"step": 0.5}` or `{"preset": "paper"}`.
    parallel : about how many questions are asked at a time. Methods with an option `batch` make larger batches; others
        also ask what they would ask next, for each answer that may come. Every question asked counts, needed or not.
    log : a file to which every answer is appended as it arrives. The same call with the same file continues where it
        stopped, whatever stopped it. The default and `preference-gp` can also begin from the answers of another run,
        which count towards the budget.
    time_limit : seconds after which no new question is asked.
    progress : show a line with the state of the run while it goes on.
    shuffle : show the two sides in random order, so that a judge's liking for one of them cancels out. By default that
        is done for functions and for judges with a true attribute `position_bias`, not for oracles with `compare`.
    constraints : a function g or several; x is acceptable where g(x) <= 0. A candidate that is not loses without a
        question, which costs nothing; of two such candidates, the one that violates less wins.
    settings : in a `Space`, a dataclass or NamedTuple in which `prefer`, `constraints` and the result get settings.

    Returns
    -------
    scipy.optimize.OptimizeResult with `x` (the recommendation), `success` (True if the method stopped by itself with
    evidence of a minimum), `status` (0 converged, 1 budget used, 2 callback, 3 given up: no minimum seems to exist, 4
    stopped without evidence of a minimum: answers contradicted each other, were mostly ties, or f has a kink there, 5
    nothing better can be distinguished: what is near ties, what is further away is worse, 10 time limit, 11 limit on
    answers, calls or cost, 12 nothing acceptable), `message` (what was seen), `nit` (steps), `ncmp` (comparisons
    asked), `nties`, `method` (its name), `judge` (what was learnt about the judge, if the method learns it: error rate,
    whether errors depend on closeness, ties, preference for a side), `history` (recommendations, with `plot()` to draw
    them), `nfev` (points evaluated) if the oracle has a function, and for a judge `settings`, `calls`, `cost`,
    `latency`, `nfree` (questions answered by constraints), `nneither`, `contradictions`, `error_rate` (if questions
    were repeated) and `first_share` (of answers for the side shown first).

    If the judge raises, or on Ctrl-C, the exception carries the result so far in its attribute `result`.
    """
    from steelyard.algorithms.speculative import with_parallel
    from steelyard.kit.judged_run import run_judged
    from steelyard.kit.prepare import Call, knowing_budget, prepared

    call = Call(
        oracle, x0, method, budget, bounds, rng, options, callback, every, parallel, log, time_limit, progress, shuffle,
        constraints, settings,
    )  # fmt: skip
    if call.plain:
        algorithm = with_parallel(knowing_budget(make_algorithm(method, options), budget), parallel)
        return Session(algorithm, x0, rng, bounds=bounds, log=False).run(oracle, budget, callback)
    with call.closing:
        return run_judged(prepared(call))


async def minimize_async(
    oracle: Oracle | Callable[..., Any],
    x0: ArrayLike | Space,
    *,
    method: str | Algorithm = "auto",
    budget: int,
    **arguments: Any,
) -> Result:
    """`minimize` inside an event loop: the same arguments; an `async def` judge is awaited in that loop.

    The loop is not blocked while the method computes or a plain function judges.
    """
    from steelyard.kit.judged_run import run_judged_async
    from steelyard.kit.prepare import Call, prepared

    call = Call(oracle, x0, method, budget, **arguments)
    with call.closing:
        return await run_judged_async(prepared(call))
