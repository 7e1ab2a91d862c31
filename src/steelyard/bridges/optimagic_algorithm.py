"""Methods of steelyard as an algorithm of optimagic."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from steelyard.extras import need
from steelyard.function_oracle import FunctionOracle
from steelyard.minimize import minimize

need("optimagic", "optimagic")

from optimagic import mark  # noqa: E402
from optimagic.optimization.algorithm import Algorithm, InternalOptimizeResult  # noqa: E402
from optimagic.typing import AggregationLevel, PositiveInt  # noqa: E402


@mark.minimizer(
    name="steelyard",
    solver_type=AggregationLevel.SCALAR,
    is_available=True,
    is_global=False,
    needs_jac=False,
    needs_hess=False,
    needs_bounds=False,
    supports_parallelism=False,
    supports_bounds=True,
    supports_infinite_bounds=True,
    supports_linear_constraints=False,
    supports_nonlinear_constraints=False,
)
@dataclass(frozen=True)
class Steelyard(Algorithm):
    """Any method of steelyard, which compares values of the criterion and never uses them as numbers.

    >>> optimagic.minimize(fun, params, algorithm=Steelyard(method="cqn"))

    Worth its price for a criterion whose order can be trusted and whose size cannot: heavy tails, arbitrary units,
    penalties of any height. `result.algorithm_output` has the number of comparisons.
    """

    method: str = "auto"
    """The name of a method, with options if wanted: "stp,step=0.5"."""
    stopping_maxcomparisons: PositiveInt = 10_000
    """The most comparisons."""
    seed: int = 0
    """The same seed gives the same run."""

    def _solve_internal_problem(self, problem: Any, x0: Any) -> InternalOptimizeResult:
        evaluations = 0

        def f(x: Any) -> float:
            nonlocal evaluations
            evaluations += 1
            return float(problem.fun(np.array(x)))  # its history keeps what it is given

        result = minimize(
            FunctionOracle(f, vectorized=False), x0, method=self.method, budget=int(self.stopping_maxcomparisons),
            bounds=_bounds(problem.bounds, len(x0)), rng=self.seed,
        )  # fmt: skip
        return InternalOptimizeResult(
            x=result.x, fun=f(result.x), success=bool(result.success), message=str(result.message),
            status=int(result.status), n_fun_evals=evaluations, n_iterations=int(result.nit),
            info={"comparisons": int(result.ncmp), "method": str(result.method)},
        )  # fmt: skip


def _bounds(bounds: Any, n: int) -> list[tuple[float, float]] | None:
    if bounds is None or (bounds.lower is None and bounds.upper is None):
        return None
    low = np.full(n, -np.inf) if bounds.lower is None else bounds.lower
    high = np.full(n, np.inf) if bounds.upper is None else bounds.upper
    return None if np.isinf(low).all() and np.isinf(high).all() else list(zip(low.tolist(), high.tolist(), strict=True))
