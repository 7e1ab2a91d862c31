"""Methods of steelyard in IOHprofiler's experiments: ioh counts and logs the evaluations, we only compare."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from steelyard.checks import check_whole
from steelyard.errors import BadType
from steelyard.extras import need
from steelyard.function_oracle import FunctionOracle
from steelyard.minimize import minimize
from steelyard.registry import make_algorithm

ioh = need("ioh", "ioh")


class ForIOH:
    """A method as what `ioh.Experiment` takes for an algorithm: something to call with a problem.

    >>> ioh.Experiment(ForIOH("cqn", budget=1000), fids=[1, 8], iids=[1], dims=[5], reps=3)()

    The method compares; each comparison evaluates the problem at those of its two points that are new, which is what
    ioh counts. A run ends after `budget` comparisons, when the method has
    converged, or when the problem says that its optimum is found. `comparisons` counts those of the latest run and
    can be logged: `logged_attributes=["comparisons"]`.
    """

    def __init__(
        self,
        method: str = "auto",
        *,
        budget: int = 10_000,
        options: Mapping[str, Any] | None = None,
        bounded: bool = True,
        seed: int = 0,
    ) -> None:
        """
        Parameters
        ----------
        method : the name of a method (`steelyard algorithms`).
        budget : the most comparisons in a run.
        options : options of the method.
        bounded : stay in the problem's box, which is how ioh's problems are meant.
        seed : of the first run. Every further one takes the next, and each problem its own stream of numbers.
        """
        make_algorithm(method, options)
        self.method, self.options, self.bounded = method, options, bounded
        self.budget = check_whole("budget", budget, 1)
        self.seed = check_whole("seed", seed, 0)
        self.comparisons = 0

    def __call__(self, problem: Any) -> Any:
        """One run; returns the result of `steelyard.minimize`."""
        if not isinstance(problem, ioh.problem.RealSingleObjective):
            raise BadType(f"problem must be a real-valued one of ioh with a single objective, got {problem!r}")
        sign = 1.0 if problem.meta_data.optimization_type == ioh.OptimizationType.MIN else -1.0
        box = np.column_stack([problem.bounds.lb, problem.bounds.ub])
        about = problem.meta_data  # an experiment copies us for each problem: these numbers keep the runs apart
        seed = np.random.SeedSequence([self.seed, about.problem_id, about.instance, about.n_variables])
        rng = np.random.default_rng(seed.spawn(1)[0])
        start = box[:, 0] + rng.random(len(box)) * (box[:, 1] - box[:, 0])
        self.comparisons = 0

        def f(x: Any) -> float:
            return sign * float(problem(x))

        def watch(state: Any) -> None:
            self.comparisons = state.ncmp
            if problem.state.final_target_found:
                raise StopIteration

        result = minimize(
            FunctionOracle(f, vectorized=False), start, method=self.method, budget=self.budget, options=self.options,
            bounds=box.tolist() if self.bounded else None, rng=seed, callback=watch,
        )  # fmt: skip
        self.comparisons = result.ncmp
        self.seed += 1
        return result
