"""BoTorch's EUBO once more with NumPy alone, tens of times as fast, so that it can be measured on many runs.

The model is that of BoTorch's PairwiseGP with its defaults: a Gaussian process with a kernel of one length-scale for
each variable (prior Gamma(2.4, 2.7)) and an amplitude between .01 and 100, probit answers Phi((f(a) - f(b)) / sqrt(2)),
Laplace's approximation, hyper-parameters at the maximum of evidence and prior. The question is the pair with the
largest expected utility of the better one (Lin et al. 2022). `EUBO` of `preferences.py` is the original.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.linalg import cho_factor, cho_solve, solve_triangular
from scipy.optimize import minimize
from scipy.special import ndtr

from steelyard.algorithms.preference_gp.joint import normal_density
from steelyard.algorithms.preference_gp.likelihood import log_likelihood
from steelyard.dialogue import Capabilities, Dialogue, Step, compare
from steelyard.typing import Array

GAMMA_SHAPE, GAMMA_RATE = 2.4, 2.7
LEAST_VARIANCE, MOST_VARIANCE = 1e-2, 1e2
MODE_STEPS = 30
DIFFERENCE = 1e-6


@dataclass(frozen=True)
class FastEUBO:
    """EUBO on a pairwise Gaussian process as in BoTorch, written in NumPy, after `initial` random pairs."""

    initial: int = 5
    """Random pairs asked first."""
    restarts: int = 4
    """Starts of the search for the next pair."""
    raw_samples: int = 256
    """Random pairs from which those starts are chosen."""
    capabilities: ClassVar[Capabilities] = Capabilities(unit_box=True)

    def run(self, x: Array, rng: np.random.Generator) -> Dialogue:
        n = x.size
        better, worse = np.empty((0, n)), np.empty((0, n))
        theta = np.log([(GAMMA_SHAPE - 1.0) / GAMMA_RATE] * n + [1.0])
        asked = 0
        model: PairwiseModel | None = None
        while True:
            if model is None or asked < self.initial:
                a, b = x if not asked else rng.random(n), rng.random(n)
            else:
                a, b = self._pair(model, n, rng)
            sign = yield from compare(a, b)
            asked += 1
            # The model knows no ties: one is told as a win of each.
            told = [(a, b)] * (sign >= 0) + [(b, a)] * (sign <= 0)
            better = np.concatenate([better, [first for first, _ in told]])
            worse = np.concatenate([worse, [second for _, second in told]])
            model = fit_pairs(better, worse, theta)
            theta = model.theta
            yield Step(self._recommendation(model, rng))

    def _pair(self, model: PairwiseModel, n: int, rng: np.random.Generator) -> Array:
        """The pair with the largest expected utility of the better one."""
        raw = rng.random((self.raw_samples, 2, n))
        starts = raw[np.argsort(-model.expected_best(raw))[: self.restarts]]

        def negative(pair: Array) -> tuple[float, Array]:
            moved = np.concatenate([pair[None], pair + DIFFERENCE * np.eye(2 * n)]).reshape(-1, 2, n)
            values = model.expected_best(moved)
            return -float(values[0]), -(values[1:] - values[0]) / DIFFERENCE

        return _highest(negative, starts.reshape(len(starts), -1)).reshape(2, n)

    def _recommendation(self, model: PairwiseModel, rng: np.random.Generator) -> Array:
        """A maximiser of the mean anywhere in the box, looked for from asked points as well."""
        raw = np.concatenate([model.points, rng.random((self.raw_samples, model.points.shape[1]))])
        starts = raw[np.argsort(-model.mean(raw))[: self.restarts]]

        def negative(x: Array) -> tuple[float, Array]:
            values = model.mean(np.concatenate([x[None], x + DIFFERENCE * np.eye(x.size)]))
            return -float(values[0]), -(values[1:] - values[0]) / DIFFERENCE

        return _highest(negative, starts)


class PairwiseModel:
    """Laplace's approximation given hyper-parameters theta: the logarithms of the length-scales and the variance."""

    def __init__(self, better: Array, worse: Array, theta: Array) -> None:
        self.theta, self.points = theta, np.concatenate([better, worse])
        self._length, self._variance = np.exp(theta[:-1]), float(np.exp(theta[-1]))
        m = len(better)
        k = self._kernel(self.points, self.points)
        # z = (f(better) - f(worse)) / sqrt(2) has noise of 1.
        K = 0.5 * (k[:m, :m] - k[:m, m:] - k[m:, :m] + k[m:, m:])
        self._m = m
        alpha, ties = np.zeros(m), np.zeros(m, dtype=bool)
        objective = -np.inf
        for _ in range(MODE_STEPS):
            z = K @ alpha
            terms = log_likelihood(z, ties, 0.0, np.ones(m))
            root_w = np.sqrt(terms.curvature)
            factor = cho_factor(np.eye(m) + root_w[:, None] * K * root_w, lower=True)
            b = terms.curvature * z + terms.slope
            step = b - root_w * cho_solve(factor, root_w * (K @ b)) - alpha
            t = 1.0
            for _ in range(8):
                trial = alpha + t * step
                z = K @ trial
                value = float(log_likelihood(z, ties, 0.0, np.ones(m)).log_p.sum() - 0.5 * trial @ z)
                if value >= objective:
                    break
                t *= 0.5
            gain, objective, alpha = value - objective, max(value, objective), trial
            if gain < 1e-6:
                break
        self._alpha, self._root_w, self._L = alpha, root_w, np.tril(factor[0])
        self.log_evidence = objective - float(np.log(np.diag(self._L)).sum())

    def mean(self, x: Array) -> Array:
        """The mean of f at the rows of x."""
        return self._with_answers(x) @ self._alpha

    def expected_best(self, pairs: Array) -> Array:
        """The expected utility of the better one of each pair: (pairs, 2, n) to (pairs,)."""
        x, y = pairs[:, 0], pairs[:, 1]
        with_x, with_y = self._with_answers(x), self._with_answers(y)
        lead = (with_x - with_y) @ self._alpha
        learnt = solve_triangular(self._L, self._root_w[:, None] * (with_x - with_y).T, lower=True)
        apart = np.square((x - y) / self._length).sum(axis=1)
        variance = 2.0 * self._variance * -np.expm1(-0.5 * apart) - np.square(learnt).sum(axis=0)
        sigma = np.sqrt(np.maximum(variance, 1e-10))
        t = lead / sigma
        return np.asarray(with_y @ self._alpha + lead * ndtr(t) + sigma * normal_density(t))

    def _with_answers(self, x: Array) -> Array:
        k = self._kernel(x, self.points)
        return np.asarray((k[:, : self._m] - k[:, self._m :]) * np.sqrt(0.5))

    def _kernel(self, x: Array, y: Array) -> Array:
        u, v = x / self._length, y / self._length
        squares = np.square(u).sum(axis=1)[:, None] + np.square(v).sum(axis=1) - 2.0 * u @ v.T
        return np.asarray(self._variance * np.exp(-0.5 * np.maximum(squares, 0.0)))


def fit_pairs(better: Array, worse: Array, theta: Array) -> PairwiseModel:
    """The model with hyper-parameters at the maximum of evidence and prior, looked for from theta."""

    def negative(theta: Array) -> float:
        length = np.exp(theta[:-1])
        prior = ((GAMMA_SHAPE - 1.0) * np.log(length) - GAMMA_RATE * length).sum()
        return -(PairwiseModel(better, worse, theta).log_evidence + float(prior))

    bounds = [(np.log(1e-2), np.log(20.0))] * (theta.size - 1) + [(np.log(LEAST_VARIANCE), np.log(MOST_VARIANCE))]
    found = minimize(negative, theta, method="L-BFGS-B", bounds=bounds, options={"maxiter": 15})
    return PairwiseModel(better, worse, found.x if np.isfinite(found.fun) else theta)


def _highest(negative: Callable[[Array], tuple[float, Array]], starts: Array) -> Array:
    """The best point that climbing from the starts finds in the unit box."""
    found = [
        minimize(
            negative, start, jac=True, method="L-BFGS-B", bounds=[(0.0, 1.0)] * start.size, options={"maxiter": 50}
        )
        for start in starts
    ]
    return np.asarray(np.clip(min(found, key=lambda one: float(one.fun)).x, 0.0, 1.0))
