"""The second phase: quasi-Newton steps along gradients measured by comparisons, about 2.7 n + 11 comparisons each."""

from collections import deque
from dataclasses import dataclass, field
from math import sqrt
from typing import NamedTuple

import numpy as np

from steelyard.algorithms.cqn.basis import Basis, identity
from steelyard.algorithms.cqn.lengths import is_far, is_short
from steelyard.algorithms.cqn.measure import length_ratio, measure, remnant
from steelyard.algorithms.cqn.tie_skipping import TieSkipping
from steelyard.algorithms.cqn.tuning import Tuning
from steelyard.dialogue import Compare, GaveUp, Question, Step
from steelyard.parts.line_search import Moved, line_search
from steelyard.parts.speculation import ahead
from steelyard.typing import Array

NO_DESCENT = "no step length led down, although the gradient was measured at many radii"
NO_DIFFERENCE = "no difference can be seen around the point, at any radius"
ERRATIC = "steps along gradients are mostly much shorter than expected"
SHORT_STEPS = "the steps have become too short for floating-point numbers"
NO_MINIMUM = GaveUp("stopped: there seems to be no minimum: better points are found at any distance")


class Ended(NamedTuple):
    """Where a descent came to an end, and why."""

    x: Array
    reason: str


@dataclass
class LocalModel:
    """What the second phase knows: a basis, the gradient G u seen from it, and how to probe."""

    B: Basis
    G: float
    delta: float
    eps: float
    usual_eps: float
    u: Array = field(default_factory=lambda: np.empty(0))
    kappa: float = 1.0
    a_prev: float = 1.0
    distinguished: int = 0
    whole: bool = True
    """False once the gradient was measured in part only, at the end of a budget."""
    falls: int = 0
    """How many steps in a row the gradient has become much shorter."""
    fallen: float = 1.0
    """By what the gradient has become shorter since the phase began."""
    least: float = 1.0
    """By what it had when it was shortest: at the end rounding decides answers about it."""


@dataclass(frozen=True)
class QuasiNewton:
    """How steps are made: by which constants, and in which form of the basis (see `CQN`)."""

    tuning: Tuning
    dense_limit: int
    secant_pairs: int

    def first_basis(self, n: int, scale: float = 1.0) -> Basis:
        return identity(n, scale, self.dense_limit, self.secant_pairs)

    def wide_look(self, x: Array, scale: float, resting: TieSkipping) -> Question[Moved | None]:
        """A better point by gradients measured far more widely than the last steps; None if there is none.

        At most 3 (2.7 n + 5) comparisons. On a ridge or in a corner of f short probes see only the kink; wide ones, the
        same on both sides of it, see where it leads.
        """
        B = self.first_basis(x.size)
        for radius in self.tuning.wide_looks:
            length = radius * scale * sqrt(x.size)
            g = (yield from measure(x, B, radius * scale, resting, self.tuning.eps, self.tuning)).g
            if not g.any():
                continue
            p = -g / float(np.linalg.norm(g))
            moved = yield from ahead(
                lambda: line_search(x, p, length, bits=0, shrinks=self.tuning.wide_shrinks),  # noqa: B023
                x,
                self.tuning.in_flight,
            )
            if moved is not None:
                yield Step(moved.x)
                return moved
        return None

    def descent(
        self, x: Array, a: float, scale: float, resting: TieSkipping, B: Basis | None = None
    ) -> Question[tuple[Ended, bool]]:
        """Quasi-Newton steps from x, of length a at first; where they end, and whether that looks like a minimum.

        Towards a minimum the gradient falls as the steps do. At a kink the steps fall alone.
        """
        n, t = x.size, self.tuning
        finer = min(1.0, n / t.many)
        m = LocalModel(
            B=self.first_basis(n) if B is None else B,
            G=a,
            delta=a / sqrt(n),
            eps=finer * t.eps_start,
            usual_eps=finer * t.eps,
        )
        if not (yield from self._look(x, m, resting)):
            return Ended(x, NO_DIFFERENCE), False
        failures = short = 0
        first, length, close = a, a, False
        poor: deque[bool] = deque(maxlen=t.erratic_of)
        while True:
            p = -m.G * m.B.apply(m.u)
            moved = yield from ahead(
                lambda: line_search(x, p, 1.0, bits=t.bits, shrinks=t.shrinks),  # noqa: B023
                x,
                t.in_flight,
            )
            poor.append(not close and (moved is None or moved.a < t.poor_step))
            if sum(poor) >= t.erratic and t.few < n <= t.populations_to:
                if not (yield from self._ties(x, length)):
                    return Ended(x if moved is None else moved.x, ERRATIC), False
                poor.clear()  # where differences cannot be seen, poor steps are no wonder
            if moved is None:
                failures += 1
                if close and failures == t.close_failures:
                    return Ended(x, NO_DESCENT), self._evidence(m, length / first)
                resting.wake()
                if failures % t.failures == 0:
                    if failures == t.failures * t.resets:
                        return Ended(x, NO_DESCENT), self._evidence(m, length / first)
                    m.B = self.first_basis(n, m.B.mean_length())
                    m.G, m.delta, m.a_prev = t.reset_radius * m.G, t.reset_radius * m.delta, 1.0
                m.delta, m.G, m.eps = t.failed * m.delta, t.failed * m.G, max(t.eps_least, t.finer_failed * m.eps)
                if not (yield from self._look(x, m, resting)):
                    return Ended(x, NO_DIFFERENCE), False
                continue
            before, (x, a) = x, moved
            yield Step(x)
            failures, length = 0, float(np.linalg.norm(x - before))
            close = is_short(x - before, x, scale, t.close)
            short = short + 1 if is_short(x - before, x, scale, t.rounding_step) else 0
            if short == t.short_in_a_row:
                return Ended(x, SHORT_STEPS), self._evidence(m, length / first)
            if is_far(x):
                return Ended(x, NO_MINIMUM), False
            self._adapt_precision(m, a)
            self._adapt_radius(m, a)
            u = m.u
            if not (yield from self._look(x, m, resting)):
                return Ended(x, NO_DIFFERENCE), False
            if m.whole:
                yield from self._learn(before, x, a, u, m)

    def _ties(self, x: Array, length: float) -> Question[bool]:
        """Is there a tie among x and points as far from it as the last step went? At most 16 comparisons."""
        which = np.arange(min(x.size, self.tuning.tie_probes))
        d = (length / sqrt(x.size)) * self.first_basis(x.size).columns(which)
        answers = yield Compare(np.concatenate([x + d, x - d]), np.broadcast_to(x, (2 * len(d), x.size)))
        return bool((answers == 0).any())

    def _evidence(self, m: LocalModel, shrunk: float) -> bool:
        """Has the gradient fallen with the steps? In few variables searches along lines have come to rest before."""
        return m.B.n <= self.tuning.few or m.least <= max(shrunk, self.tuning.rounding_step) ** self.tuning.evidence

    def _look(self, x: Array, m: LocalModel, resting: TieSkipping) -> Question[bool]:
        """Measure the gradient's direction at x into m.u; False if no difference can be distinguished at any radius.

        Where columns tie that were distinguished before, the radius has become too small, and so has the step: both are
        widened, at most twice if some can still be distinguished.
        """
        t = self.tuning
        for widened in range(t.widenings):
            g, m.whole = yield from measure(x, m.B, m.delta, resting, m.eps, t)
            seen = int(np.count_nonzero(g))
            m.distinguished = max(m.distinguished, seen)
            if seen > 0 and (seen >= t.distinguished * m.distinguished or widened >= t.patience or not m.whole):
                m.u = g / float(np.linalg.norm(g))
                return True
            resting.wake()
            m.delta, m.G = t.widen * m.delta, t.widen * m.G
        return False

    def _adapt_precision(self, m: LocalModel, a: float) -> None:
        """Short steps say that the direction is poor."""
        t = self.tuning
        if a < t.short_step:
            m.eps = max(t.eps_least, t.finer_short * m.eps)
        elif m.eps > m.usual_eps:
            m.eps = max(m.usual_eps, t.settle * m.eps)
        elif a > t.full_step:
            m.eps = min(m.usual_eps, t.coarser * m.eps)

    def _adapt_radius(self, m: LocalModel, a: float) -> None:
        """Probe as far as the last step went; where the gradient falls step by step, let go of a wide look slowly.

        On a sharp ridge the gradient seems to fall too: short probes see the ridge, from either side of it. At a smooth
        minimum wide probes do no harm, for they are right to third order.
        """
        t = self.tuning
        delta = min(max(a, t.shortest), t.longest) * m.G / sqrt(m.B.n)
        m.delta = max(delta, t.radius_held * m.delta) if m.falls >= t.falls_gate else delta

    def _learn(self, before: Array, x: Array, a: float, u: Array, m: LocalModel) -> Question[None]:
        """The secant pair of the last step, from direction u to m.u by a step a, and the BFGS update by it."""
        v, G, t = m.u, m.G, self.tuning
        middle = 0.5 * (before + x)
        rho = t.ratio_radius * m.delta * sqrt(x.size)
        least, most = t.ratio_guess
        guess = min(max(m.kappa, least), most)
        kappa = yield from ahead(lambda: length_ratio(middle, m.B, u, v, rho, guess, t), middle, t.in_flight)
        if kappa is None:
            if float(u @ v) > t.parallel and a > t.short_step:  # no curvature seen along the step
                m.B, g = m.B.updated(u, t.no_curvature * u, G * v)
                m.G = float(np.linalg.norm(g))
                m.u = g / m.G
            else:
                m.G = min(t.no_ratio, max(a, t.shortest)) * G
            return
        missed = 0.0
        if x.size >= t.remnant_from:
            missed = yield from ahead(lambda: remnant(before, m.B, u, v, rho, kappa, t), before, t.in_flight)
        kappa -= missed
        m.kappa = kappa
        m.fallen *= kappa
        m.least = min(m.least, m.fallen)
        m.falls = m.falls + 1 if kappa < t.fall else 0
        by = rescale(a, m.a_prev, t)
        root = sqrt(by)
        g = root * kappa * G * v
        s, y = -max(a, t.least_learnt) * G * u / root, g - root * G * (u + missed * v)
        m.B, m.a_prev = m.B.scaled(root), a / by
        m.B, g = m.B.updated(s, damped(s, y, t.least_cosine), g)
        m.G = float(np.linalg.norm(g))
        m.u = g / m.G


def rescale(a: float, a_prev: float, t: Tuning) -> float:
    """By how much B is too long or too short if two steps in a row say so."""
    if max(a, a_prev) < t.rescale_below:
        return max(a, a_prev, 1.0 / t.rescale_most)
    if min(a, a_prev) > t.rescale_above:
        return min(a, a_prev, t.rescale_most)
    return 1.0


def damped(s: Array, y: Array, least: float) -> Array:
    """y, turned towards s until their cosine is `least`.

    Seen from a good basis y is about s. A pair that is nearly orthogonal says more about errors of the gradients than
    about curvature, and BFGS would stretch B without bounds to fit it.
    """
    unit = s / float(np.linalg.norm(s))
    along = float(unit @ y)
    across = y - along * unit
    wanted = least / sqrt(1.0 - least * least) * float(np.linalg.norm(across))
    return y if along >= wanted and along > 0.0 else across + max(wanted, 1e-12) * unit
