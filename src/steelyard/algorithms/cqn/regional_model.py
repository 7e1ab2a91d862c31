"""What all answers together say about f in a region: a quadratic, its minimiser, and how well that is known."""

from contextlib import suppress
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from steelyard.algorithms.cqn.tuning import Tuning
from steelyard.parts.hearing import Heard
from steelyard.parts.propagation import Differences, Sites, propagate
from steelyard.parts.quadratic import Quadratic
from steelyard.parts.region import Region
from steelyard.typing import AnyArray, Array


@dataclass(frozen=True)
class Rarely:
    """How a judge errs that hardly ever does: at this rate, whatever it compares."""

    rate: float
    blur: float = 0.0
    tie: float = 0.0
    absent: float = 0.0

    @property
    def first(self) -> float:
        return self.rate

    @property
    def second(self) -> float:
        return self.rate

    @property
    def trust(self) -> float:
        return 1.0 - 2.0 * self.rate


class RegionalModel:
    """A quadratic in a region around a centre, of a unit of length; it learns from what it hears."""

    def __init__(self, x: Array, unit: float, heard: Heard, t: Tuning) -> None:
        n = x.size
        self.tuning = t
        self.prior = Quadratic(n, t.model_slope**2, t.model_bend**2 / n, np.zeros((n, 0)))
        self.region = Region.around(x, np.full(n, unit))
        self.a, self.b, self.answers = heard
        self.sites = Sites.flat(len(self.answers))
        self.errors = Rarely(t.model_rate)
        self.fit()

    @property
    def n(self) -> int:
        return self.region.centre.size

    @property
    def radius(self) -> float:
        return self.tuning.model_radius * sqrt(self.n)

    @property
    def width(self) -> float:
        """The longest unit of length."""
        return float(np.linalg.norm(self.region.out, 2))

    @property
    def best(self) -> Array:
        """Where the minimum seems to be, as far as it lies in the region."""
        return self.region.point(self.z)

    def hear(self, a: Array, b: Array, answers: AnyArray) -> None:
        """Take in answers, none of them a tie; the next fit knows them."""
        self.a, self.b = np.concatenate([self.a, a]), np.concatenate([self.b, b])
        self.answers = np.append(self.answers, answers)
        self.sites = self.sites.extended(len(answers))

    def fit(self) -> None:
        """The quadratic that fits the answers kept, and what follows."""
        kept = max(int(self.tuning.model_kept * self.n), self.tuning.model_fewest)
        if len(self.answers) > kept:
            self._keep(np.arange(len(self.answers) - kept, len(self.answers)))
        self.posterior: Differences | None = None
        with np.errstate(all="ignore"), suppress(FloatingPointError):  # scales too different to be held in one matrix
            if len(self.answers):
                posterior = Differences(self.prior, *self._questions(self.a, self.b), self.sites)
                propagate(posterior, self.answers, self.errors, misfit=self.tuning.model_misfit)
                if np.isfinite(posterior.weights).all():
                    self.posterior, self.sites = posterior, posterior.sites
        if self.posterior is None:
            self._keep(np.arange(0))
        self._look()

    def _look(self) -> None:
        g, H = np.zeros(self.n), np.eye(self.n)
        if self.posterior is not None:
            g, H = self.prior.gradient_and_hessian(self.posterior.weights, self.posterior.u, self.posterior.m)
        self.curvatures, vectors = np.linalg.eigh(H)
        values = np.maximum(self.curvatures, self.tuning.model_floor)
        self.root = (vectors * np.sqrt(values)) @ vectors.T
        self.inverse_root = (vectors / np.sqrt(values)) @ vectors.T
        z = -(vectors / values) @ (vectors.T @ g)
        self.z = z * min(1.0, self.radius / max(float(np.linalg.norm(z)), 1e-300))
        known = self.prior if self.posterior is None else self.posterior
        E = self.inverse_root @ known.gradient_covariance(self.z) @ self.inverse_root
        self.E = 0.5 * (E + E.T)
        self.spread = sqrt(max(float(np.trace(self.E)), 0.0) / self.n)

    @property
    def basis(self) -> Array:
        """B with B B^T about the inverse Hessian, in units in which the minimiser is known to `spread`."""
        return np.asarray(self.region.out @ self.inverse_root)

    @property
    def leaves(self) -> bool:
        """Does the minimiser leave the region?"""
        return float(np.linalg.norm(self.z)) > self.tuning.model_outside * self.radius

    @property
    def outgrown(self) -> bool:
        """Is the minimiser known to a part of the unit, or the Hessian no longer about I?"""
        low, high, t = float(self.curvatures[0]), float(self.curvatures[-1]), self.tuning
        flat = low < 1.0 / t.model_round and self.spread < 1.0
        return self.spread < t.model_known or high > t.model_round or flat

    def refine(self) -> None:
        """A region around the minimiser, in which it is known to about 1."""
        self.move(self.z, 1.0 / max(self.spread, 1e-8))

    def move(self, z: Array, finer: float) -> None:
        """A new region around z, finer by this factor, in which the Hessian is about I again."""
        into, out = finer * (self.root @ self.region.into), (self.region.out @ self.inverse_root) / finer
        self.region = Region(self.region.point(z), into, out)
        self.sites = self.sites.rescaled(finer * finer)
        self.fit()

    def retreat(self, x: Array) -> None:
        """Back to x, to a region half as wide; what was learnt farther away is forgotten."""
        self.move(self.region.coordinates(x), 2.0)
        _, middle = self._questions(self.a, self.b)
        self._keep(np.flatnonzero(np.linalg.norm(middle, axis=1) <= self.radius))
        self.fit()

    def ask(self, count: int, rng: np.random.Generator) -> tuple[Array, Array]:
        """Questions, at most n: the two sides of the minimiser in the directions in which it is least known."""
        _, vectors = np.linalg.eigh(self.E)
        directions = vectors[:, -count:] @ np.linalg.qr(rng.standard_normal((count, count)))[0]
        size = np.sqrt(np.maximum(np.einsum("ij,ij->j", directions, self.E @ directions), 1e-300))
        half = (self.basis @ (directions * size)).T
        half = half * np.where(rng.random(count) < 0.5, 1.0, -1.0)[:, None]
        return self.best + half, self.best - half

    def _questions(self, a: Array, b: Array) -> tuple[Array, Array]:
        first, second = self.region.coordinates(a), self.region.coordinates(b)
        return second - first, 0.5 * (first + second)

    def _keep(self, rows: NDArray[np.intp]) -> None:
        self.a, self.b, self.answers = self.a[rows], self.b[rows], self.answers[rows]
        self.sites = Sites(self.sites.precision[rows], self.sites.shift[rows])
