"""pycma, an optimiser that needs values, made comparison-based in four lines and compared with our own methods.

`FromAskTell` sorts each generation by comparisons and tells pycma the ranks. CMA-ES uses only the order, so it
makes the same steps as with values.

    python examples/convert_pycma.py          (needs `pip install cma`)
"""

from __future__ import annotations

from typing import Any

import cma
import numpy as np

import steelyard
from steelyard import FunctionOracle, problems
from steelyard.convert import FromAskTell, is_comparison_only, scipy_method
from steelyard.typing import Array


def pycma(x: Array, rng: np.random.Generator) -> Any:
    return cma.CMAEvolutionStrategy(x, 0.3, {"verbose": -9, "seed": int(rng.integers(1, 2**31))})


def main(budget: int = 4000) -> dict[str, float]:
    # Tolerances on values are no comparisons, so they are switched off to judge the rest of the method.
    for name, options in (("Nelder-Mead", {"fatol": np.inf}), ("Powell", {"ftol": 0.0})):
        print(f"scipy's {name}: {is_comparison_only(scipy_method(name, **options))}")
    problem = problems.get("CHNROSNB", N=10).rotated(1)
    methods = {"pycma, converted": FromAskTell(pycma), "cma-es": "cma-es", "cqn": "cqn"}
    reached = {}
    for name, method in methods.items():
        result = steelyard.minimize(FunctionOracle(problem), problem.x0, method=method, budget=budget, rng=0)
        reached[name] = problem.f(result.x)
        print(
            f"{name:>18}: f = {reached[name]:.2e} after {result.ncmp} comparisons (start {problem.f(problem.x0):.0f})"
        )
    return reached


if __name__ == "__main__":
    main()
