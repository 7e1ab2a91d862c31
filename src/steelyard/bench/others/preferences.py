"""Other packages' methods for people, behind the same protocol as ours: install steelyard[peers].

Each works in the unit box and recommends what its package would: EUBO a free maximiser of the posterior mean, the two
others the best point they have asked about.
"""

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, ClassVar

import numpy as np

from steelyard.dialogue import Capabilities, Dialogue, Step, compare
from steelyard.extras import need
from steelyard.typing import Array


@dataclass(frozen=True)
class EUBO:
    """Expected utility of the best option on BoTorch's PairwiseGP (Lin et al. 2022), after `initial` random pairs."""

    initial: int = 5
    """Random pairs asked first."""
    restarts: int = 4
    """Starts of the search for the next pair."""
    raw_samples: int = 256
    """Random pairs from which those starts are chosen."""
    recommend_at: tuple[int, ...] = (10, 20, 40, 80)
    """The numbers of answers at which the recommendation is worked out; always, if empty."""
    capabilities: ClassVar[Capabilities] = Capabilities(unit_box=True)
    packages: ClassVar[tuple[str, ...]] = ("botorch",)

    def run(self, x: Array, rng: np.random.Generator) -> Dialogue:
        torch = need("torch", "peers")
        acquisition = need("botorch.acquisition", "peers")
        eubo = need("botorch.acquisition.preference", "peers").AnalyticExpectedUtilityOfBestOption
        torch.manual_seed(int(rng.integers(2**31)))
        points: list[Array] = []
        winners: list[tuple[int, int]] = []
        model = None
        while True:
            if model is None or len(points) < 2 * self.initial:
                a, b = x if not points else rng.random(x.size), rng.random(x.size)
            else:
                a, b = self._best(eubo(model), x.size, 2)
            sign = yield from compare(a, b)
            i = len(points)
            points += [a, b]
            # PairwiseGP knows no ties: one is told as a win of each.
            winners += [(i, i + 1)] * (sign >= 0) + [(i + 1, i)] * (sign <= 0)
            model = pairwise_gp(np.array(points), winners) or model
            asked = len(points) // 2
            if model is not None and (not self.recommend_at or asked in self.recommend_at):
                yield Step(self._recommendation(acquisition.PosteriorMean(model), np.array(points)))

    def _best(self, function: Any, n: int, q: int) -> Array:
        torch = need("torch", "peers")
        bounds = torch.tensor([[0.0] * n, [1.0] * n], dtype=torch.double)
        with _quiet():
            found, _ = need("botorch.optim", "peers").optimize_acqf(
                function, bounds, q=q, num_restarts=self.restarts, raw_samples=self.raw_samples
            )
        return np.asarray(np.clip(found.detach().numpy(), 0.0, 1.0))

    def _recommendation(self, mean: Any, asked: Array) -> Array:
        """A free maximiser of the mean, or the asked point of the highest mean if that is higher."""
        torch = need("torch", "peers")
        trials = np.concatenate([self._best(mean, asked.shape[1], 1), asked])
        with torch.no_grad():
            values = mean(torch.tensor(trials[:, None], dtype=torch.double)).numpy()
        return np.asarray(trials[values.argmax()])


@dataclass(frozen=True)
class OptunaPreferential:
    """Optuna's preferential sampler (a Gaussian process, Thompson sampling): the winner so far against a new trial."""

    capabilities: ClassVar[Capabilities] = Capabilities(unit_box=True)
    packages: ClassVar[tuple[str, ...]] = ("optuna-dashboard",)

    def run(self, x: Array, rng: np.random.Generator) -> Dialogue:
        optuna = need("optuna", "peers")
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        preferential = need("optuna_dashboard.preferential", "peers")
        sampler = need("optuna_dashboard.preferential.samplers.gp", "peers").PreferentialGPSampler
        with _quiet():
            study = preferential.create_study(n_generate=2, sampler=sampler(seed=int(rng.integers(2**31))))
            study.enqueue_trial({f"x{i}": value for i, value in enumerate(x)})
            best, best_x = self._next(study, x.size)
        while True:
            with _quiet():
                trial, trial_x = self._next(study, x.size)
            sign = yield from compare(best_x, trial_x)
            if sign == 0:  # the study cannot record ties
                continue
            with _quiet():
                study.report_preference(*((best, trial) if sign > 0 else (trial, best)))
            if sign < 0:
                best, best_x = trial, trial_x
                yield Step(best_x)

    def _next(self, study: Any, n: int) -> tuple[Any, Array]:
        trial = study.ask()
        x = np.array([trial.suggest_float(f"x{i}", 0.0, 1.0) for i in range(n)])
        return study.trials[trial.number], x


@dataclass(frozen=True)
class GLISp:
    """Preference-based global optimisation by radial basis functions (Bemporad and Piga 2021)."""

    expected: int = 80
    """The number of comparisons it is told to expect."""
    capabilities: ClassVar[Capabilities] = Capabilities(unit_box=True)
    packages: ClassVar[tuple[str, ...]] = ("glis",)

    def run(self, x: Array, rng: np.random.Generator) -> Dialogue:
        if find_spec("pyDOE") is None:  # which glis wants and which no longer builds; its successor has the same lhs
            sys.modules["pyDOE"] = need("pyDOE3", "peers")
        solver = need("glis.solvers", "peers").GLISp
        state = np.random.get_state()  # noqa: NPY002  # the package draws from NumPy's global generator
        np.random.seed(int(rng.integers(2**31)))  # noqa: NPY002
        bounds = np.zeros(x.size), np.ones(x.size)
        problem = solver(bounds, n_initial_random=2 * x.size, expected_max_evals=self.expected, display=0)
        best, new = problem.initialize()
        np.random.set_state(state)  # noqa: NPY002
        while True:
            sign = yield from compare(np.array(best), np.array(new))
            with _quiet():
                new = problem.update(sign)  # its sign: -1 if the new one is better
            best = problem.xbest
            yield Step(np.clip(best, 0.0, 1.0))


def pairwise_gp(points: Array, winners: list[tuple[int, int]]) -> Any:
    """The model, or None where it could not be fitted."""
    torch = need("torch", "peers")
    pairwise = need("botorch.models.pairwise_gp", "peers")
    model = pairwise.PairwiseGP(torch.tensor(points, dtype=torch.double), torch.tensor(winners, dtype=torch.long))
    likelihood = pairwise.PairwiseLaplaceMarginalLogLikelihood(model.likelihood, model)
    try:
        with _quiet():
            need("botorch.fit", "peers").fit_gpytorch_mll(likelihood)
    except (
        need("botorch.exceptions", "peers").ModelFittingError,
        need("linear_operator.utils.errors", "peers").NotPSDError,
    ):
        return None
    return model


@contextmanager
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
