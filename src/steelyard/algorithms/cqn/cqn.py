"""CQN: a quasi-Newton method that only compares.

Why it works. C(x - d, x + d) is the sign of the directional derivative along d, up to third order: one comparison, one
bit. The bits are spent in a basis B with B B^T close to the inverse Hessian, where every coordinate matters equally.
Ratios of gradient components at one point, and the ratio of gradient lengths between two points, are themselves
comparisons along mixed directions: so the gradient is known up to one common factor, a true secant pair exists, and
BFGS can be run.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import sqrt
from typing import NamedTuple

import numpy as np

from steelyard.algorithms.cqn.basis import Basis, identity
from steelyard.algorithms.cqn.escape import challenging, jump, look_far
from steelyard.algorithms.cqn.lengths import is_far, is_short, start_scale
from steelyard.algorithms.cqn.line_phase import line_phase
from steelyard.algorithms.cqn.measure import length_ratio, measure
from steelyard.algorithms.cqn.sign_phase import sign_phase
from steelyard.algorithms.cqn.start_line import start_line
from steelyard.algorithms.cqn.tie_skipping import TieSkipping
from steelyard.checks import check_flag, check_positive, check_whole
from steelyard.dialogue import Dialogue, GaveUp, Question, Step
from steelyard.parts.line_search import line_search
from steelyard.parts.repeating import repeating
from steelyard.typing import Array

NO_DESCENT = "converged: no descent at any step length, in measurements of the gradient at many radii"
NOTHING_TOLD = "converged: no difference can be told around the point, at any radius"
SHORT_STEPS = "converged: the steps have become shorter than the numbers can tell apart"
NO_MINIMUM = GaveUp("stopped: there seems to be no minimum, better points are found at any distance")
TOLD_APART = 1e-13
SHORTEST = 0.02
"""The part of a step to which probes and the next step shrink at once when a line search stops short."""
RESETS = 2
WIDENINGS, PATIENCE, TOLD = 8, 2, 0.75
"""How often probes are widened: if nothing can be told, and if less than TOLD of the columns that once could be."""
FEW, SOME, MANY = 3, 10, 13
"""In at most FEW variables the first phase searches lines. From SOME on the look along the start costs no more than a
gradient. From MANY on the errors of a gradient average out; in fewer it is measured more finely, in proportion."""


class Ended(NamedTuple):
    """Where a descent came to an end, and why."""

    x: Array
    reason: str


@dataclass
class Model:
    """What the second phase knows: a basis, the gradient G u seen from it, and how to probe."""

    B: Basis
    G: float
    delta: float
    eps: float
    usual_eps: float
    u: Array = field(default_factory=lambda: np.empty(0))
    kappa: float = 1.0
    a_prev: float = 1.0
    told: int = 0
    whole: bool = True
    """False once the gradient was measured in part only, at the end of a budget."""


@dataclass(frozen=True)
class CQN:
    """Comparison quasi-Newton: signs first, then BFGS on gradients measured by comparisons; about 2.7 n a step.

    `scale` is the length by which one coordinate may be expected to move; by default it is taken from x0. A wrong scale
    costs a few comparisons. With `start_line` the start as a whole is first made larger or smaller, at most 25
    comparisons, if there are 10 variables or more. Once it has converged it looks for a better basin: far along each
    coordinate (18 n comparisons), then by descents from random points, which are given up as soon as they lead nowhere.
    It stops after `escapes` looks in a row that found nothing better; 0 for none. B is a matrix up to `dense_limit`
    variables, beyond that it is made of the last `memory` secant pairs.
    """

    scale: float | None = None
    eps_start: float = 0.5
    eps: float = 0.38
    eps_least: float = 0.08
    dense_limit: int = 2000
    memory: int = 20
    escapes: int = 10
    start_line: bool = True

    def __post_init__(self) -> None:
        if self.scale is not None:
            check_positive("scale", self.scale)
        check_whole("memory", self.memory, 1)
        check_whole("dense_limit", self.dense_limit, 0)
        check_whole("escapes", self.escapes, 0)
        check_flag("start_line", self.start_line)
        for name in ("eps_start", "eps", "eps_least"):
            check_positive(name, getattr(self, name))

    def run(self, x: Array, rng: np.random.Generator) -> Dialogue:
        scale = self.scale or start_scale(x)
        return (yield from repeating(lambda start: self._run(start, scale, rng), x))

    def _run(self, x: Array, scale: float, rng: np.random.Generator) -> Dialogue:
        if self.start_line and x.size >= SOME and x.any():
            x = yield from start_line(x)
        ended = yield from self._descend(x, scale)
        if ended is None:
            return NOTHING_TOLD
        fruitless = 0
        while fruitless < self.escapes and ended.reason is not NO_MINIMUM:
            if fruitless == 0:
                found = yield from self._look_far(ended, scale, rng)
            else:
                start = jump(ended.x, scale, rng)
                found = yield from challenging(self._descend(start, scale), start, ended.x)
            ended, fruitless = (ended, fruitless + 1) if found is None else (found, 0)
        return ended.reason

    def _descend(self, x: Array, scale: float) -> Question[Ended | None]:
        """Both phases; None if no difference was ever told."""
        resting = TieSkipping(x.size)
        if x.size <= FEW:
            first = yield from line_phase(x, 0.1 * scale, scale, resting)
        else:
            first = yield from sign_phase(x, 0.1 * scale, resting)
        if first is None:
            return None
        return (yield from self._quasi_newton(first.x, first.a, scale, resting))

    def _look_far(self, ended: Ended, scale: float, rng: np.random.Generator) -> Question[Ended | None]:
        """Look far along each coordinate, and descend from what is better; None if nothing is."""
        far = yield from look_far(ended.x, scale, rng)
        if far is None:
            return None
        return (yield from self._quasi_newton(far, 0.1 * scale, scale, TieSkipping(far.size)))

    def _quasi_newton(self, x: Array, a: float, scale: float, resting: TieSkipping) -> Question[Ended]:
        n = x.size
        finer = min(1.0, n / MANY)
        m = Model(
            B=identity(n, 1.0, self.dense_limit, self.memory),
            G=a,
            delta=a / sqrt(n),
            eps=finer * self.eps_start,
            usual_eps=finer * self.eps,
        )
        if not (yield from self._look(x, m, resting)):
            return Ended(x, NOTHING_TOLD)
        failures = short = 0
        while True:
            moved = yield from line_search(x, -m.G * m.B.apply(m.u), 1.0, bits=3, shrinks=12)
            if moved is None:
                failures += 1
                resting.wake()
                if failures % 4 == 0:
                    if failures == 4 * RESETS:
                        return Ended(x, NO_DESCENT)
                    m.B = identity(n, m.B.mean_length(), self.dense_limit, self.memory)
                    m.G, m.delta, m.a_prev = 125.0 * m.G, 125.0 * m.delta, 1.0
                m.delta, m.G, m.eps = 0.2 * m.delta, 0.2 * m.G, max(self.eps_least, 0.6 * m.eps)
                if not (yield from self._look(x, m, resting)):
                    return Ended(x, NOTHING_TOLD)
                continue
            before, (x, a) = x, moved
            yield Step(x)
            failures = 0
            short = short + 1 if is_short(x - before, x, scale, TOLD_APART) else 0
            if short == 3:
                return Ended(x, SHORT_STEPS)
            if is_far(x):
                return Ended(x, NO_MINIMUM)
            self._adapt_precision(m, a)
            m.delta = min(max(a, SHORTEST), 3.0) * m.G / sqrt(n)
            u = m.u
            if not (yield from self._look(x, m, resting)):
                return Ended(x, NOTHING_TOLD)
            if m.whole:
                yield from self._learn(0.5 * (before + x), a, u, m)

    def _look(self, x: Array, m: Model, resting: TieSkipping) -> Question[bool]:
        """Measure the gradient's direction at x into m.u; False if no difference can be told at any radius.

        Where columns tie that could be told before, the radius has become too small, and so has the step: both are
        widened, at most twice if some can still be told.
        """
        for widened in range(WIDENINGS):
            g, m.whole = yield from measure(x, m.B, m.delta, resting, m.eps)
            told = int(np.count_nonzero(g))
            m.told = max(m.told, told)
            if told > 0 and (told >= TOLD * m.told or widened >= PATIENCE or not m.whole):
                m.u = g / float(np.linalg.norm(g))
                return True
            resting.wake()
            m.delta, m.G = 4.0 * m.delta, 4.0 * m.G
        return False

    def _adapt_precision(self, m: Model, a: float) -> None:
        """Short steps say that the direction is poor."""
        if a < 0.3:
            m.eps = max(self.eps_least, 0.85 * m.eps)
        elif m.eps > m.usual_eps:
            m.eps = max(m.usual_eps, 0.8 * m.eps)
        elif a > 0.6:
            m.eps = min(m.usual_eps, 1.1 * m.eps)

    def _learn(self, middle: Array, a: float, u: Array, m: Model) -> Question[None]:
        """The secant pair of the last step, from direction u to m.u by a step a, and the BFGS update by it."""
        v, G = m.u, m.G
        rho = 0.5 * m.delta * sqrt(middle.size)
        kappa = yield from length_ratio(middle, m.B, u, v, rho, min(max(m.kappa, 0.1), 3.0))
        if kappa is None:
            if float(u @ v) > 0.97 and a > 0.3:  # no curvature seen along the step
                m.B, g = m.B.updated(u, 0.25 * u, G * v)
                m.G = float(np.linalg.norm(g))
                m.u = g / m.G
            else:
                m.G = min(0.7, max(a, SHORTEST)) * G
            return
        m.kappa = kappa
        t = rescale(a, m.a_prev)
        root = sqrt(t)
        g = root * kappa * G * v
        s, y = -max(a, 0.05) * G * u / root, g - root * G * u
        m.B, m.a_prev = m.B.scaled(root), a / t
        if float(s @ y) > 1e-3 * float(np.linalg.norm(s)) * float(np.linalg.norm(y)):
            m.B, g = m.B.updated(s, y, g)
        m.G = float(np.linalg.norm(g))
        m.u = g / m.G


def rescale(a: float, a_prev: float) -> float:
    """By how much B is too long or too short if two steps in a row say so."""
    if max(a, a_prev) < 0.7:
        return max(a, a_prev, 0.1)
    if min(a, a_prev) > 1.5:
        return min(a, a_prev, 10.0)
    return 1.0
