"""CQN: a quasi-Newton method that only compares.

Why it works. C(x - d, x + d) is the sign of the directional derivative along d, up to third order: one comparison, one
bit. The bits are spent in a basis B with B B^T close to the inverse Hessian, where every coordinate matters equally.
Ratios of gradient components at one point, and the ratio of gradient lengths between two points, are themselves
comparisons along mixed directions: so the gradient is known up to one common factor, a true secant pair exists, and
BFGS can be run.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace
from math import sqrt
from typing import ClassVar, NamedTuple

import numpy as np

from steelyard.algorithms.cma_es import usual_population
from steelyard.algorithms.cqn.axes import look_along_axes
from steelyard.algorithms.cqn.basis import Basis, identity
from steelyard.algorithms.cqn.escape import challenging, jump, population_search
from steelyard.algorithms.cqn.landscape import RUGGED, Landscape, is_rugged, landscape
from steelyard.algorithms.cqn.lengths import is_far, is_short, start_scale
from steelyard.algorithms.cqn.line_phase import line_phase
from steelyard.algorithms.cqn.measure import length_ratio, measure
from steelyard.algorithms.cqn.sign_phase import FirstPhase, sign_phase
from steelyard.algorithms.cqn.start_line import start_line
from steelyard.algorithms.cqn.sums import search_axes
from steelyard.algorithms.cqn.tie_skipping import TieSkipping
from steelyard.algorithms.cqn.tuning import DEFAULT, Tuning
from steelyard.checks import check_flag, check_positive, check_whole
from steelyard.dialogue import Capabilities, Compare, Dialogue, GaveUp, Question, Step, Unproven, better
from steelyard.errors import BadType
from steelyard.parts.line_search import Moved, line_search
from steelyard.parts.repeating import repeating
from steelyard.parts.speculation import ahead
from steelyard.parts.stopping import settled
from steelyard.parts.stretched import stretched
from steelyard.typing import Array

NO_DESCENT = "no descent at any step length, in measurements of the gradient at many radii"
NOTHING_TOLD = "no difference can be seen around the point, at any radius"
NO_DESCENT_YET = Unproven(
    "stopped: f rises and falls again and again here, no descent was made: this may not be a minimum"
)
ERRATIC = "steps along gradients are mostly much shorter than expected"
AT_REST = "a population has come to rest"
SHORT_STEPS = "the steps have become shorter than the numbers can distinguish"
KINK = Unproven(
    "stopped: the steps have become short but the gradient has not, as at a kink or on a sharp ridge: "
    "this may not be a minimum"
)
NO_MINIMUM = GaveUp("stopped: there seems to be no minimum, better points are found at any distance")


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
    told: int = 0
    whole: bool = True
    """False once the gradient was measured in part only, at the end of a budget."""
    falls: int = 0
    """How many steps in a row the gradient has become much shorter."""
    fallen: float = 1.0
    """By what the gradient has become shorter since the phase began."""
    least: float = 1.0
    """By what it had when it was shortest: at the end rounding decides answers about it."""


@dataclass(frozen=True)
class CQN:
    """Comparison quasi-Newton: signs first, then BFGS on gradients measured by comparisons; about 2.7 n a step.

    Once it has converged it looks for a better basin: far along each coordinate (20 n comparisons) and by descents from
    random points, given up as soon as they lead nowhere. Where f is rugged (12 comparisons say so, after four steps) it
    does not descend first: sums over the coordinates are searched along each axis, others by populations that grow.
    """

    step: float | None = None
    """The length by which a coordinate may be expected to move: the first step along it is a tenth of that. By default
    the root mean square of x0. A wrong length costs a few comparisons."""
    escapes: int = 10
    """It stops after this many looks for a better basin in a row that found nothing; 0 for none."""
    start_line: bool = False
    """First make the start as a whole larger or smaller: at most 25 comparisons. Worth it only where the zero of the
    coordinates means something and the sizes in x0 are guesses."""
    dense_limit: int = 2000
    """B is a matrix up to this many variables, beyond that it is made of the last `memory` secant pairs."""
    memory: int = 20
    """The number of secant pairs that make B in many variables."""
    batch: int | None = None
    """About how many questions are in flight where each depends on the last, as in searches along lines: those that may
    follow are asked too. None: one. Gradients are asked for in batches of about n anyway."""
    tuning: Tuning = DEFAULT
    """All other constants, with their sources."""

    capabilities: ClassVar[Capabilities] = Capabilities(in_flight="n, or batch", cut=True, matrices=True)

    def __post_init__(self) -> None:
        if self.step is not None:
            check_positive("step", self.step)
        check_whole("memory", self.memory, 1)
        check_whole("dense_limit", self.dense_limit, 0)
        check_whole("escapes", self.escapes, 0)
        check_flag("start_line", self.start_line)
        if self.batch is not None:
            check_whole("batch", self.batch, 1)
        if not isinstance(self.tuning, Tuning):
            raise BadType(f"tuning must be a Tuning, got {self.tuning!r}")

    def run(self, x: Array, rng: np.random.Generator) -> Dialogue:
        if self.batch is not None and self.batch != self.tuning.in_flight:
            fast = replace(self, tuning=replace(self.tuning, in_flight=self.batch))
            return (yield from fast.run(x, rng))
        scale = self.step or start_scale(x)
        return (yield from repeating(lambda start: self._run(start, scale, rng), x))

    def _run(self, x: Array, scale: float, rng: np.random.Generator) -> Dialogue:
        if self.start_line and x.any():
            x = yield from start_line(x)
        return (yield from self._search(x, scale, rng, stretch=True))

    def _search(self, x: Array, scale: float, rng: np.random.Generator, stretch: bool) -> Dialogue:
        """A descent, then better basins until none is found any more; in stretched coordinates if that pays."""
        resting = TieSkipping(x.size, self.tuning.tie_rounds)
        first = yield from self._first_phase(x, scale, resting, stretch, rng if self.escapes else None)
        if first is None:
            return Unproven(NOTHING_TOLD)
        if first.stretch is not None:
            inner = self._search(first.x / first.stretch, scale, rng, stretch=False)
            return (yield from stretched(inner, first.stretch))
        if first.landscape.rugged:
            return (yield from self._better_basins(Ended(first.x, NO_DESCENT_YET), scale, rng, first.landscape))
        ended = yield from self._quasi_newton(first.x, first.a, scale, resting, rng)
        return (yield from self._better_basins(ended, scale, rng))

    def beyond(self, x: Array, reason: str, rng: np.random.Generator) -> Dialogue:
        """From x, where another method has come to rest for some reason: a search for better basins.

        It begins with a wide look around x, or with a descent from there if it was not seen to be a minimum.
        """
        scale = self.step or start_scale(x)
        return (yield from repeating(lambda start: self._beyond(Ended(start, reason), scale, rng), x))

    def _beyond(self, ended: Ended, scale: float, rng: np.random.Generator) -> Dialogue:
        if isinstance(ended.reason, Unproven):
            return (yield from self._search(ended.x, scale, rng, stretch=True))
        else:
            resting = TieSkipping(ended.x.size, self.tuning.tie_rounds)
            wide = yield from self._wide_look(ended.x, scale, resting)
            if wide is not None:
                ended = yield from self._quasi_newton(*wide, scale, resting, rng)
        return (yield from self._better_basins(ended, scale, rng))

    def _better_basins(
        self, ended: Ended, scale: float, rng: np.random.Generator, known: Landscape | None = None
    ) -> Dialogue:
        """Looks for a better basin until many in a row have found none.

        On a smooth landscape by descents from elsewhere, on a rugged one by populations that grow.
        """
        fruitless, n, t = 0, ended.x.size, self.tuning
        if self.escapes == 0:
            return (yield from settled(ended.reason, ended.x, scale, rng))
        if known is None and ended.reason is AT_REST:
            known = RUGGED
        rugged, separable = known or (yield from landscape(ended.x, scale, rng, t))
        usual = usual_population(n)
        size, most = usual if rugged else t.population_growth * usual, t.population_growth**t.population_growths * usual
        while fruitless < self.escapes and ended.reason is not NO_MINIMUM:
            if fruitless == 0 and (separable or not rugged):
                found = yield from self._look_far(ended, scale, rng, separable)
            elif n <= (t.populations_to if rugged else t.smooth_populations_to) and (
                fruitless % (t.rugged_every if rugged else t.population_every) == (0 if rugged else t.population_at)
            ):
                found = yield from self._population(ended, scale, size, rugged, rng)
                size = min(size * t.population_growth, most)
            else:
                start = jump(ended.x, scale, rng, t)
                found = yield from challenging(self._descend(start, scale, rng), start, ended.x, t)
            if found is None and ended.reason is NO_DESCENT_YET:
                resting = TieSkipping(n, t.tie_rounds)
                found = yield from self._quasi_newton(ended.x, t.first_step * scale, scale, resting, None)
            ended, fruitless = (ended, fruitless + 1) if found is None else (found, 0)
        return (yield from settled(ended.reason, ended.x, scale, rng))

    def _first_phase(
        self, x: Array, scale: float, resting: TieSkipping, stretch: bool, rng: np.random.Generator | None = None
    ) -> Question[FirstPhase | None]:
        """Lines in few variables, else signs; None if no difference was ever told."""
        h = self.tuning.first_step * scale
        if x.size <= self.tuning.few:
            return (yield from line_phase(x, h, scale, resting, self.tuning))
        return (yield from sign_phase(x, h, resting, self.tuning, scale if stretch else None, rng))

    def _descend(self, x: Array, scale: float, rng: np.random.Generator) -> Question[Ended | None]:
        """Both phases; None if no difference was ever told."""
        resting = TieSkipping(x.size, self.tuning.tie_rounds)
        first = yield from self._first_phase(x, scale, resting, stretch=False)
        if first is None:
            return None
        return (yield from self._quasi_newton(first.x, first.a, scale, resting, rng))

    def _look_far(
        self, ended: Ended, scale: float, rng: np.random.Generator, separable: bool
    ) -> Question[Ended | None]:
        """Look far along each coordinate, and descend from what is better; None if nothing is."""
        t = self.tuning
        look = search_axes if separable else look_along_axes
        far = yield from look(ended.x, scale, rng, t)
        if far is None:
            return None
        if separable:
            return Ended(far, AT_REST) if (yield from better(far, ended.x)) else None
        resting = TieSkipping(far.size, t.tie_rounds)
        return (yield from self._quasi_newton(far, t.first_step * scale, scale, resting, rng))

    def _population(
        self, ended: Ended, scale: float, size: int, rugged: bool, rng: np.random.Generator
    ) -> Question[Ended | None]:
        """A population looks for a better basin, and a descent for its bottom; None if there is none."""
        t = self.tuning
        basin = yield from population_search(
            ended.x, t.population_width * scale, size, t.rugged_rest if rugged else t.smooth_rest, rng, t, rugged
        )
        if basin is None:
            return None
        return (yield from self._quasi_newton(*basin, scale, TieSkipping(basin.x.size, t.tie_rounds), None))

    def _quasi_newton(
        self, x: Array, a: float, scale: float, resting: TieSkipping, rng: np.random.Generator | None
    ) -> Question[Ended]:
        """Descents by quasi-Newton steps; where one ends a wide look says whether it leads on."""
        evidence = False
        while True:
            ended, seen = yield from self._descent(x, a, scale, resting)
            evidence = evidence or seen  # a descent from nearby is too short to see much
            if ended.reason is ERRATIC:
                if rng is None:
                    return Ended(ended.x, KINK)
                if (yield from is_rugged(ended.x, scale, rng, self.tuning)):
                    return Ended(ended.x, NO_DESCENT_YET)
                return Ended((yield from self._without_gradients(ended.x, scale, rng)), AT_REST)
            if ended.reason not in (NO_DESCENT, SHORT_STEPS):
                return ended
            resting.wake()
            wide = yield from self._wide_look(ended.x, scale, resting)
            if wide is None:
                return ended if evidence else Ended(ended.x, KINK)
            x, a = wide

    def _without_gradients(self, x: Array, scale: float, rng: np.random.Generator) -> Question[Array]:
        """Where a population comes to rest around x: at a kink it goes on where gradients mislead."""
        t = self.tuning
        rested = yield from population_search(x, t.kink_width * scale, usual_population(x.size), t.kink_rest, rng, t)
        return x if rested is None else rested.x

    def _wide_look(self, x: Array, scale: float, resting: TieSkipping) -> Question[Moved | None]:
        """A better point by gradients measured far more widely than the last steps; None if there is none.

        At most 3 (2.7 n + 5) comparisons. On a ridge or in a corner of f short probes see only the kink; wide ones, the
        same on both sides of it, see where it leads.
        """
        B = identity(x.size, 1.0, self.dense_limit, self.memory)
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

    def _descent(self, x: Array, a: float, scale: float, resting: TieSkipping) -> Question[tuple[Ended, bool]]:
        """Quasi-Newton steps from x, of length a at first; where they end, and whether that looks like a minimum.

        Towards a minimum the gradient falls as the steps do. At a kink the steps fall alone.
        """
        n, t = x.size, self.tuning
        finer = min(1.0, n / t.many)
        m = LocalModel(
            B=identity(n, 1.0, self.dense_limit, self.memory),
            G=a,
            delta=a / sqrt(n),
            eps=finer * t.eps_start,
            usual_eps=finer * t.eps,
        )
        if not (yield from self._look(x, m, resting)):
            return Ended(x, NOTHING_TOLD), False
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
                    m.B = identity(n, m.B.mean_length(), self.dense_limit, self.memory)
                    m.G, m.delta, m.a_prev = t.reset_radius * m.G, t.reset_radius * m.delta, 1.0
                m.delta, m.G, m.eps = t.failed * m.delta, t.failed * m.G, max(t.eps_least, t.finer_failed * m.eps)
                if not (yield from self._look(x, m, resting)):
                    return Ended(x, NOTHING_TOLD), False
                continue
            before, (x, a) = x, moved
            yield Step(x)
            failures, length = 0, float(np.linalg.norm(x - before))
            close = is_short(x - before, x, scale, t.close)
            short = short + 1 if is_short(x - before, x, scale, t.told_apart) else 0
            if short == t.short_in_a_row:
                return Ended(x, SHORT_STEPS), self._evidence(m, length / first)
            if is_far(x):
                return Ended(x, NO_MINIMUM), False
            self._adapt_precision(m, a)
            self._adapt_radius(m, a)
            u = m.u
            if not (yield from self._look(x, m, resting)):
                return Ended(x, NOTHING_TOLD), False
            if m.whole:
                yield from self._learn(0.5 * (before + x), a, u, m)

    def _ties(self, x: Array, length: float) -> Question[bool]:
        """Is there a tie among x and points as far from it as the last step went? At most 16 comparisons."""
        which = np.arange(min(x.size, self.tuning.tie_probes))
        d = (length / sqrt(x.size)) * identity(x.size, 1.0, self.dense_limit, self.memory).columns(which)
        answers = yield Compare(np.concatenate([x + d, x - d]), np.broadcast_to(x, (2 * len(d), x.size)))
        return bool((answers == 0).any())

    def _evidence(self, m: LocalModel, shrunk: float) -> bool:
        """Has the gradient fallen with the steps? In few variables searches along lines have come to rest before."""
        return m.B.n <= self.tuning.few or m.least <= max(shrunk, self.tuning.told_apart) ** self.tuning.evidence

    def _look(self, x: Array, m: LocalModel, resting: TieSkipping) -> Question[bool]:
        """Measure the gradient's direction at x into m.u; False if no difference can be told at any radius.

        Where columns tie that could be told before, the radius has become too small, and so has the step: both are
        widened, at most twice if some can still be told.
        """
        t = self.tuning
        for widened in range(t.widenings):
            g, m.whole = yield from measure(x, m.B, m.delta, resting, m.eps, t)
            told = int(np.count_nonzero(g))
            m.told = max(m.told, told)
            if told > 0 and (told >= t.told * m.told or widened >= t.patience or not m.whole):
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

    def _learn(self, middle: Array, a: float, u: Array, m: LocalModel) -> Question[None]:
        """The secant pair of the last step, from direction u to m.u by a step a, and the BFGS update by it."""
        v, G, t = m.u, m.G, self.tuning
        rho = t.ratio_radius * m.delta * sqrt(middle.size)
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
        m.kappa = kappa
        m.fallen *= kappa
        m.least = min(m.least, m.fallen)
        m.falls = m.falls + 1 if kappa < t.fall else 0
        by = rescale(a, m.a_prev, t)
        root = sqrt(by)
        g = root * kappa * G * v
        s, y = -max(a, t.least_learnt) * G * u / root, g - root * G * u
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
