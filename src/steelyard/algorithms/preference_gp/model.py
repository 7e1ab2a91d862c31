"""The prior over what people like: a Gaussian process whose mean falls off from a centre that is itself unknown.

    f(x) = -c s |x - x0|^2 + g(x),   x0 ~ N(.5, rho^2) in each coordinate,   g ~ GP(0, s^2 exp(-.5 |(x - x') / l|^2))

Most people's optima are inside the box, so liking falls towards its faces; but where it falls off from must be learnt,
or an optimum near a face is never found. Multiplied out, the unknown centre is a random slope w = 2 c s (x0 - .5):

    f(x) = const - c s |x - .5|^2 + w.(x - .5) + g(x),   w ~ N(0, (2 c s rho)^2),

so it is integrated out exactly, by a linear term of the kernel.

Of people whose answers say little (s is in units of their noise) the pull -c s |x - .5|^2 would decide alone, and a
favourite in a corner would never be recommended. So it is min(1, s / RELIABLE)^2 times as strong; slopes stay.

Of people who hardly ever err the last answers are about small differences near the favourite. There a Gaussian kernel
knows too much: what it sees on one side of a hill says how steep the other must be. Particles that believe in such a
person have Matern's kernel of smoothness 5/2 instead, and amplitudes that may reach hundreds.

There are two worlds: in one liking is a single hill, whose length-scales l are about as long as the box is wide, in the
other there are several, and they are short. In either, liking may be rough: g is then the sum of two processes, the
second with length-scales a quarter as long and `rough` times the variance. Points that won are then better than their
surroundings, and a single answer says less about places far away. Answers decide between these worlds: which one a
particle lives in is one more of its hyper-parameters.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from steelyard.algorithms.preference_gp.context import AGREEMENT, ALL_THE_SAME, LASTING, Context, Setting, group_of
from steelyard.algorithms.preference_gp.coordinates import Coordinates
from steelyard.typing import Array

# Medians of the hyper-parameters and the spread of their logarithms.
LENGTH_SCALE = (1.0, 0.7)  # times sqrt(n)
SHORTER = 0.4
"""Length-scales in the world of several hills, as a part of those in the other."""
HILLY = 0.0
"""A particle whose standard normal `world` is above this lives among several hills: a priori half of them do."""
AMPLITUDE = (4.0, 0.9)
SURE_FROM_SPREADS = 1.3
"""A particle whose amplitude is this many spreads above the median believes in a person who hardly ever errs: a priori
one in ten does."""
UPWARDS = 2.0
"""There the logarithm of the amplitude grows by so much more for each spread: only amplitudes of hundreds believe what
such a person says of things near the favourite."""
LARGEST_AMPLITUDE = 1000.0
"""No amplitude is larger; propagation converges up to here."""
LOUD = 10.0
"""A larger amplitude than this counts as if it were this large where particles are averaged, or the few that believe in
a person who never errs would decide alone."""
PULL = (1.0, 0.5)
RELIABLE = 4.0
"""Where liking varies by less than this many units of noise, the pull to the middle is weaker, by the square."""
SHIFT = (0.3, 0.7)
ROUGH = (0.5, 0.7)
ROUGHLY = 1.0
"""Where the size of `world` is above this, liking is rough: a priori for a third of the particles."""
SHARPER = 16.0
"""The fine part of the kernel has squared distances this many times as large: it is 4 times as short."""
TIE_WIDTH = (0.5, 0.7)
NOISE = (1.0, 1.0)
LAPSES = 0.05
"""The part of answers given without looking."""


@dataclass(frozen=True, eq=False)
class Prior:
    """Normal priors on the logarithms of the hyper-parameters theta, in this order: n length-scales l, amplitude s,
    pull c, spread rho of the centre, tie width tau; then the `world`, which is no logarithm; the roughness; T if tastes
    drift; if there are several, how much people agree. If there are several raters, then for each of them the logarithm
    of the noise and, if there are several tastes, the taste."""

    coordinates: Coordinates
    raters: int = 1
    context: Context = ALL_THE_SAME

    @property
    def median(self) -> Array:
        n = self.coordinates.n
        shared = [AMPLITUDE[0], PULL[0], SHIFT[0], TIE_WIDTH[0], 1.0, ROUGH[0]]
        shared += [LASTING[0]] * self.context.drift + [np.exp(AGREEMENT[0])] * self.several_tastes
        return np.log([LENGTH_SCALE[0] * np.sqrt(n)] * n + shared + [NOISE[0], 1.0][: self.per_rater] * self.noises)

    @property
    def spread(self) -> Array:
        shared = [AMPLITUDE[1], PULL[1], SHIFT[1], TIE_WIDTH[1], 1.0, ROUGH[1]]
        shared += [LASTING[1]] * self.context.drift + [AGREEMENT[1]] * self.several_tastes
        per_rater = [NOISE[1], 1.0][: self.per_rater]
        return np.array([LENGTH_SCALE[1]] * self.coordinates.n + shared + per_rater * self.noises)

    @property
    def several_tastes(self) -> bool:
        return self.context.tastes > 1

    @property
    def per_rater(self) -> int:
        """Hyper-parameters of each rater."""
        return 2 if self.several_tastes else 1

    @property
    def common(self) -> int:
        """Hyper-parameters that belong to no rater."""
        return self.coordinates.n + 6 + self.context.drift + self.several_tastes

    @property
    def noises(self) -> int:
        """A single rater sets the unit of liking; several are compared with each other."""
        return self.raters if self.raters > 1 else 0

    def log_density(self, thetas: Array) -> Array:
        """Of each row of `thetas`, but for a constant."""
        return np.asarray(-0.5 * np.square((thetas - self.median) / self.spread).sum(axis=-1))

    def unpack(self, thetas: Array) -> Hyper:
        """The hyper-parameters of several particles, one per row of `thetas`."""
        n = self.coordinates.n
        values = np.exp(thetas)
        hilly = thetas[:, n + 4] > HILLY
        length = values[:, :n] * np.where(hilly, SHORTER, 1.0)[:, None]
        above = (thetas[:, n] - np.log(AMPLITUDE[0])) / AMPLITUDE[1] - SURE_FROM_SPREADS
        s = np.minimum(np.exp(thetas[:, n] + UPWARDS * np.maximum(above, 0.0)), LARGEST_AMPLITUDE)
        c, rho = values[:, n + 1], values[:, n + 2]
        return Hyper(
            coordinates=self.coordinates,
            length=length[:, self.coordinates.owner],
            s=s,
            unit=np.maximum(s / LOUD, 1.0),
            bent=above > 0.0,
            pull=c * s * np.minimum(s / RELIABLE, 1.0) ** 2,
            slope=2.0 * c * s * rho,
            tau=values[:, n + 3],
            rough=np.where(np.abs(thetas[:, n + 4]) > ROUGHLY, values[:, n + 5], 0.0),
            noise=values[:, self.common :: self.per_rater] if self.noises else np.ones((len(thetas), 1)),
        )

    def setting(self, thetas: Array) -> Setting:
        """How the context counts, for several particles."""
        n, ones = self.coordinates.n, np.ones(len(thetas))
        taste = thetas[:, self.common + 1 :: 2] if self.several_tastes and self.noises else ones[:, None]
        return Setting(
            lasting=np.exp(thetas[:, n + 6]) if self.context.drift else ones,
            agreement=ndtr(thetas[:, self.common - 1]) if self.several_tastes else ones,
            group=group_of(taste, self.context.tastes),
        )


def correlation(half_squares: Array, bent: NDArray[np.bool_] | np.bool_) -> tuple[Array, Array]:
    """The kernel for half the squared distances in length-scales, and minus its derivative in them: Gaussian, or
    Matern's of smoothness 5/2 for the particles that are `bent`; the first axis is that of particles, if there are
    several."""
    k = np.exp(-half_squares)
    if not np.any(bent):
        return k, k
    t = np.sqrt(10.0 * np.maximum(half_squares[bent], 0.0))
    fading = np.exp(-t)
    fall = k.copy()
    fall[bent] = (1.0 + t) * fading
    k[bent] = fall[bent] + t * t / 3.0 * fading
    fall[bent] *= 5.0 / 3.0
    return k, fall


@dataclass(frozen=True, eq=False)
class Hyper:
    """Hyper-parameters of P particles: `length` is (P, features), `noise` (P, raters), the others (P,).

    `pull` is how steeply f falls off from the middle of the box, `slope` how much it is believed to slope in each
    coordinate, as the centre is unknown: a deviation. Where particles are averaged each counts in its `unit`.
    """

    coordinates: Coordinates
    length: Array
    s: Array
    unit: Array
    bent: NDArray[np.bool_]
    pull: Array
    slope: Array
    rough: Array
    tau: Array
    noise: Array

    def kernel(self, x: Array, y: Array) -> Array:
        """Prior covariances of f at features x with f at features y: (P, len(x), len(y))."""
        k = np.empty((len(self.s), len(x), len(y)))
        x, y = x - 0.5, y - 0.5
        particles = zip(k, self.length, self.s, self.slope, self.rough, self.bent, strict=True)
        for block, length, s, slope, rough, bent in particles:  # small enough for the cache
            u, v = x / length, y / length
            np.matmul(u, v.T, out=block)
            np.subtract(0.5 * np.square(u).sum(axis=1)[:, None], block, out=block)
            block += 0.5 * np.square(v).sum(axis=1)
            fine = rough * correlation(SHARPER * block, bent)[0] if rough else 0.0
            block[:] = correlation(block, bent)[0]
            block += fine
            block *= s**2 / (1.0 + rough)
            block += (x * (slope**2 * self.coordinates.ordered)) @ y.T
        return k

    def variance(self, x: Array) -> Array:
        """Prior variances of f at features x: (P, len(x))."""
        distance = np.square((x - 0.5) * self.coordinates.ordered).sum(axis=1)
        return np.asarray((self.s**2)[:, None] + np.outer(self.slope**2, distance))

    def mean(self, x: Array) -> Array:
        """Prior means of f at features x: (P, len(x))."""
        distance = ((x[:, self.coordinates.ordered] - 0.5) ** 2).sum(axis=1)
        return np.asarray(-np.outer(self.pull, distance))
