"""One explanation at work: a region of space, a quadratic fitted there, and the noise that goes with it.

A region is a centre c and a map W: in its coordinates z = W (x - c) the quadratic is expected to be about |z|^2 / 2.
When the minimiser is known to a part of the unit, a new region is made around it, in which it is known to about 1 and
the Hessian is about I again; f is then counted in smaller units. When the minimiser leaves the region, it grows.
"""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from steelyard.algorithms.bayes_quadratic.explanation import Explanation
from steelyard.algorithms.bayes_quadratic.fit import look
from steelyard.algorithms.bayes_quadratic.geometry import Geometry, Place
from steelyard.algorithms.bayes_quadratic.noise import LEAST_TRUST, RATES, Noise, Predictions, learn
from steelyard.bounds import Box
from steelyard.parts.propagation import Differences, Sites, propagate
from steelyard.parts.quadratic import Quadratic
from steelyard.parts.region import Region
from steelyard.typing import Array

TRUSTED, DOUBTED = Noise(0.01, 0.01), Noise()
"""What is believed about a judge before any answer, and when it was first seen to err."""


FARTHER, MOST_FARTHER = 1.5, 4.0
"""Where errors come from closeness, questions reach this much farther from the minimiser than the start is, which is
taken to be at most MOST_FARTHER times as far away as f has been seen to fall."""
ABOUT = 1.5
"""A question is about the region if its ends are at most this many radii from its middle."""
DOUBLED = 2.0
"""By what a region grows that is not confirmed by votes."""
NARROWER, EPS = 0.01, 1e-16
"""By what a region becomes narrower at most; and how narrow it may be, compared with the coordinates of its centre."""
NEARER = 0.5
"""By what questions become shorter that led astray."""
WAITED = 0.25
"""Answers per variable that growth always waits for, counted as if they were never wrong."""
SURELY = 2.0
"""Where the judge is doubted, a region grows only if f falls towards the minimiser by this many deviations ..."""
PATIENT = 4.0
"""... or, outside of boxes, by fewer of them after this many times the answers that growth always waits for: a region
that is too small is left in the end, however bad the judge."""


class Mind:
    """One explanation at work."""

    def __init__(
        self, why: Explanation, x0: Array, unit: Array, box: Box | None, geometry: Geometry, start: Array | None = None
    ) -> None:
        n = x0.size
        self.why, self.box, self.geometry = why, box, geometry
        self.start = x0 if start is None else start
        self.model = Quadratic(n, geometry.slope**2, geometry.bend**2 / n, _none(n))
        self.region = Region.around(x0, unit)
        self.noise = self.predictive = TRUSTED if why.repeats and box is None else DOUBTED
        self.weighed: Noise | None = None  # what the evidence says of the noise, if that was asked
        self.predictions = Predictions.none()
        self.a, self.b = np.empty((0, n)), np.empty((0, n))
        self.answers = np.empty(0)
        self.sites = Sites.flat(0)
        self.posterior: Differences | None = None
        self.sight = 1.0  # how far questions may reach, as a part of how far it would make sense
        self.scale, self.gained = 1.0, 0.0  # f in current units per first unit; what was gained, in current units
        self.fresh = 0  # answers that the fit does not know yet
        self.since_growth = 0
        self.epochs = 0
        self.anchor, self.grown = x0.copy(), False  # a point that is known to be good; did the region grow since?
        self.view = look(self.model, self.posterior, self.region, self.box, self.geometry)

    # --- places

    @property
    def n(self) -> int:
        return self.model.n

    @property
    def radius(self) -> float:
        return self.geometry.radius_in(self.n)

    @property
    def best(self) -> Array:
        x = self.region.point(self.view.z)
        return x if self.box is None else np.clip(x, self.box.low, self.box.high)

    # --- answers

    def predict(self, a: Array, b: Array) -> tuple[Array, Array]:
        """Mean and variance of f(b) - f(a), row by row, before the answers are known."""
        u, m = self._question(a, b)
        if self.posterior is None:
            return self.model.mean(u, m), self.model.variance(u, m)
        return self.posterior.predict(u, m)

    def predict_if_worse(self, a: Array, b: Array, deviations: float) -> tuple[Array, Array]:
        """The same if the judge errs as often as it may, by what is believed: `deviations` of its rate more often."""
        more = min(deviations * self.noise.doubt, max(RATES[-1] - self.noise.rate, 0.0))
        noise = replace(self.noise, first=self.noise.first + more, second=self.noise.second + more)
        posterior = Differences(self.model, *self._question(self.a, self.b), self.sites)
        propagate(posterior, self.answers, noise)
        return posterior.predict(*self._question(a, b))

    def hear(self, a: Array, b: Array, answers: Array) -> float:
        """Take answers in; returns the logarithm of the probability with which they were predicted."""
        mean, var = self.predict(a, b)
        surprise = float(self.predictive.log_likelihood(answers, mean, var).sum())
        self.predictions = self.predictions.add(mean, var, answers, self.why.prior.remembered)
        self.a, self.b = np.concatenate([self.a, a]), np.concatenate([self.b, b])
        self.answers = np.append(self.answers, answers)
        self.sites = self.sites.extended(len(answers))
        self.fresh += len(answers)
        self.since_growth += len(answers)
        return surprise

    def differences(self, rows: NDArray[np.intp]) -> Differences:
        """The differences of some answers, with the factors that they have."""
        sites = Sites(self.sites.precision[rows], self.sites.shift[rows])
        return Differences(self.model, *self._question(self.a[rows], self.b[rows]), sites)

    def is_about(self, a: Array, b: Array) -> NDArray[np.bool_]:
        """Which questions are about the region, rather than about f far and wide?"""
        return np.asarray(np.linalg.norm((b - a) @ self.region.into.T, axis=1) <= 2.0 * ABOUT * self.radius)

    def doubt(self) -> None:
        """The judge errs, against expectation: what was learnt with too much trust is learnt again."""
        self.noise = self.predictive = DOUBTED
        self.predictions = Predictions.none()
        self.sites = Sites.flat(len(self.answers))
        self._fit()

    def taught(self, other: Mind) -> Mind:
        """Itself, with the answers that another has heard, and its doubts."""
        self.hear(other.a, other.b, other.answers)
        self.noise = self.predictive = other.noise.rescaled(self.scale / other.scale)
        self.predictions = other.predictions.rescaled(self.scale / other.scale)
        self._fit()
        return self

    def think(self, repeated: Array | None) -> None:
        """Learn the noise from the predictions and from repeated questions, then fit all answers that are kept."""
        self.predictive = self.noise = learn(self.predictions, self.why.prior, self.noise)
        if self.why.repeats and repeated is not None:
            self.noise = learn(self.predictions, self.why.prior, self.noise, repeated)
        if self.weighed is not None:
            known = self.weighed
            self.noise = replace(self.noise, first=known.first, second=known.second, blur=known.blur)
        typical = self.predictions.typical
        kept = self.why.how_many(self.n, self.noise, typical, self.box is not None)
        self.a, self.b, self.answers = self.a[-kept:], self.b[-kept:], self.answers[-kept:]
        self.sites = self.sites.last(len(self.answers))
        self._fit()
        self.fresh = 0

    def _question(self, a: Array, b: Array) -> tuple[Array, Array]:
        za, zb = self.region.coordinates(a), self.region.coordinates(b)
        return zb - za, 0.5 * (za + zb)

    def _fit(self) -> None:
        try:
            if not len(self.answers):
                raise FloatingPointError("no answers are left")
            posterior = Differences(self.model, *self._question(self.a, self.b), self.sites)
            propagate(posterior, self.answers, self.noise)
            view = look(self.model, posterior, self.region, self.box, self.geometry)
            self.posterior, self.sites, self.view = posterior, posterior.sites, view
        except FloatingPointError:  # answers from scales too different to be held in one matrix
            self._forget(np.zeros(len(self.answers), dtype=bool))
            self.posterior = None
            self.view = look(self.model, None, self.region, self.box, self.geometry)

    def _forget(self, kept: NDArray[np.bool_]) -> None:
        """All answers but those."""
        self.a, self.b, self.answers = self.a[kept], self.b[kept], self.answers[kept]
        self.sites = Sites(self.sites.precision[kept], self.sites.shift[kept])

    # --- what follows

    def worth(self, a: Array, b: Array) -> Array:
        """By how much the answer to each question is expected to lower the expected regret."""
        assert self.posterior is not None
        u, m = self._question(a, b)
        mean, var = self.posterior.predict(u, m)
        spread2 = var + self.noise.blur**2 + 1e-300
        t = mean / np.sqrt(spread2)
        p = self.noise.first + self.noise.trust * ndtr(t)
        told = self.noise.trust**2 * np.exp(-t * t) / (p * (1.0 - p) * spread2)
        moved = self.region.into.T @ self.posterior.with_gradient(self.view.z, u, m)
        H, _ = self.view.curvature()
        free = ~self.view.held
        regret = (self.view.wrongly / H.diagonal()) @ moved**2
        if free.any():
            regret = regret + np.einsum("ij,ij->j", moved[free], np.linalg.solve(H[np.ix_(free, free)], moved[free]))
        return np.asarray(told * regret)

    @property
    def reach(self) -> float:
        """How far from the minimiser it makes sense to ask, in the metric of H: as far as f has fallen so far.

        Where errors may come from closeness, beyond the start: what answers say grows with the square of the distance.
        """
        fallen = sqrt(2.0 * max(self.gained + self.view.gain, 0.5 * self.radius**2 * self.scale))
        if self.weighed is None:
            return self.sight * fallen
        start = float(np.linalg.norm(self.view.root @ (self.region.coordinates(self.start) - self.view.z)))
        return self.sight * FARTHER * max(fallen, min(start, MOST_FARTHER * fallen))

    def leaves(self, doubted: bool) -> bool:
        """Does the minimiser leave the region, by more than a few answers? Of a doubted judge more is asked."""
        needed = WAITED * self.n / max(self.noise.trust, 0.5 * LEAST_TRUST) ** 2
        if float(np.linalg.norm(self.view.z)) <= self.geometry.outside * self.radius or self.since_growth < needed:
            return False
        if not doubted:
            return True
        (mean,), (var,) = self.predict(self.best[None], self.region.centre[None])
        impatience = 1.0 if self.box is not None else min(1.0, sqrt(PATIENT * needed / self.since_growth))
        return bool(mean > SURELY * impatience * sqrt(var))

    def grow(self, z: Array, width: float) -> None:
        """A region `width` times as wide around z."""
        self.since_growth, self.grown = 0, True
        self._move(z, 1.0 / width)

    def gain_since(self, x: Array) -> None:
        """Count what f has fallen by from x to the centre as gained."""
        (mean,), _ = self.predict(self.region.centre[None], x[None])
        self.gained = max(float(mean), 0.0)

    def double(self) -> None:
        """A region DOUBLED times as wide around the minimiser, without asking the judge whether f falls that far."""
        self.grow(self.view.z, DOUBLED)

    def retreat(self, x: Array, finer: float = 2.0) -> None:
        """Back to x, to a region that is narrower by `finer`: what was learnt farther away did not hold."""
        self._move(self.region.coordinates(x), finer)
        _, middle = self._question(self.a, self.b)
        self._forget(np.linalg.norm(middle, axis=1) <= self.radius)
        self.since_growth, self.anchor, self.grown = 0, x.copy(), False
        self._fit()

    def place(self, x: Array) -> Place:
        """The region as it is, around x."""
        return Place(Region(x.copy(), self.region.into, self.region.out), self.scale, self.gained)

    def look_nearer(self, place: Place) -> None:
        """Back to a place of before, with shorter questions: what long ones said did not hold."""
        self._rescale(place.scale / self.scale)
        self.region, self.scale, self.gained = place
        self.posterior, self.sight = None, NEARER * self.sight
        self.view = look(self.model, self.posterior, self.region, self.box, self.geometry)
        self.retreat(place.x)
        u, _ = self._question(self.a, self.b)
        self._forget(np.linalg.norm(u, axis=1) <= 2.0 * max(self.reach, self.radius))
        self._fit()
        self.grown = True  # what is recommended next is to be sure

    def look_farther(self) -> None:
        """What questions of this length said of the minimiser held."""
        self.sight = min(self.sight / NEARER, 1.0)

    def begin_again(self, x: Array) -> None:
        """Back to x, where it began, as if nothing had been known for sure yet."""
        self.retreat(x)
        self.epochs = 0

    def widen(self, x: Array) -> None:
        """A region around x, as wide as the way there was long; the answers that had led elsewhere are forgotten."""
        z = self.region.coordinates(x)
        self._forget(np.zeros(len(self.answers), dtype=bool))
        self.grow(z, max(float(np.linalg.norm(z)), 1.0))
        self.anchor = x.copy()

    @property
    def is_known(self) -> bool:
        """Is the minimiser known well enough for a narrower region?"""
        return self.view.spread < self.geometry.known

    @property
    def _at_rounding(self) -> bool:
        """Is the region so narrow that its points are all the same?"""
        return bool((np.abs(self.region.out).sum(axis=1) < EPS * np.abs(self.region.centre)).all())

    def shrink_if_known(self) -> bool:
        """A new epoch if the minimiser is known well enough; was it?"""
        if not self.is_known or self._at_rounding:
            return False
        self._move(self.view.z, 1.0 / max(self.view.spread, NARROWER))
        self.epochs += 1
        self.anchor, self.grown = self.best, False
        return True

    def _steep(self, slope: Array, finer: float) -> Array:
        """The directions in which variables are at a bound, as long as f is steep there, in the new coordinates."""
        held = self.view.held
        if not held.any():
            return _none(self.n)
        slope = finer * (self.view.inverse_root @ slope)
        normals = self.region.out.T[:, held]
        normals = normals / np.linalg.norm(normals, axis=0)
        return np.asarray(normals * (2.0 * np.abs(normals.T @ slope) + self.geometry.slope))

    def _move(self, z: Array, finer: float) -> None:
        view, unit = self.view, finer * finer
        fallen = -float(view.g @ z + 0.5 * z @ view.H @ z)
        self.gained, self.scale = (self.gained + max(fallen, 0.0)) * unit, self.scale * unit
        centre = self.region.point(z)
        centre = centre if self.box is None else np.clip(centre, self.box.low, self.box.high)
        into, out = finer * (view.root @ self.region.into), (self.region.out @ view.inverse_root) / finer
        self.region = Region(centre, into, out)
        self.model = replace(self.model, steep=self._steep(view.g + view.H @ z, finer))
        self._rescale(unit)
        self._fit()  # also so that what is predicted next is predicted in the new coordinates

    def _rescale(self, unit: float) -> None:
        """f is counted in units that are `unit` times smaller."""
        self.noise, self.predictive = self.noise.rescaled(unit), self.predictive.rescaled(unit)
        self.weighed = None if self.weighed is None else self.weighed.rescaled(unit)
        self.predictions = self.predictions.rescaled(unit)
        self.sites = self.sites.rescaled(unit)


def _none(n: int) -> Array:
    return np.zeros((n, 0))
