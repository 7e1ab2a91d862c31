"""CQN: a quasi-Newton method that only compares.

Why it works. C(x - d, x + d) is the sign of the directional derivative along d, up to third order: one comparison, one
bit. The bits are spent in a basis B with B B^T close to the inverse Hessian, where every coordinate matters equally.
Ratios of gradient components at one point, and the ratio of gradient lengths between two points, are themselves
comparisons along mixed directions: so the gradient is known up to one common factor, a true secant pair exists, and
BFGS can be run.
"""

from dataclasses import dataclass, replace
from itertools import count
from math import sqrt
from typing import ClassVar

import numpy as np

from steelyard.algorithms.cma_es import usual_population
from steelyard.algorithms.cqn.axes import look_along_axes
from steelyard.algorithms.cqn.basis import Basis, Dense
from steelyard.algorithms.cqn.escape import challenging, jump, population_search, unheard
from steelyard.algorithms.cqn.landscape import RUGGED, Landscape, is_rugged, landscape
from steelyard.algorithms.cqn.lengths import is_short, start_scale
from steelyard.algorithms.cqn.line_phase import line_phase
from steelyard.algorithms.cqn.model_phase import model_phase
from steelyard.algorithms.cqn.polls import polls
from steelyard.algorithms.cqn.quasi_newton import (
    ERRATIC,
    NO_DESCENT,
    NO_DIFFERENCE,
    NO_MINIMUM,
    SHORT_STEPS,
    Ended,
    QuasiNewton,
)
from steelyard.algorithms.cqn.sign_phase import FirstPhase, follow, sign_phase
from steelyard.algorithms.cqn.start_line import start_line
from steelyard.algorithms.cqn.sums import search_axes
from steelyard.algorithms.cqn.tie_skipping import TieSkipping
from steelyard.algorithms.cqn.tuning import DEFAULT, Tuning
from steelyard.checks import check_flag, check_positive, check_whole
from steelyard.dialogue import Capabilities, Dialogue, Question, Step, Unproven, better
from steelyard.errors import BadType
from steelyard.parts.hearing import Heard, listened
from steelyard.parts.repeating import repeating
from steelyard.parts.stopping import settled
from steelyard.parts.stretched import stretched
from steelyard.typing import Array

NO_DESCENT_YET = Unproven(
    "stopped: f rises and falls again and again here, so no descent was made: this may not be a minimum"
)
AT_REST = "a population has come to rest"
KINK = Unproven(
    "stopped: the steps have become short but the gradient has not, as at a kink or on a sharp ridge: "
    "this may not be a minimum"
)


@dataclass(frozen=True)
class CQN:
    """Comparison quasi-Newton: signs, then BFGS on gradients measured by comparisons; about 2.7 n comparisons per step.

    In 2 to 10 variables a quadratic fitted to all answers leads between the two, until it leads no further.
    Once it has converged it looks for a better basin: far along each coordinate (20 n comparisons) and by descents from
    random points, given up as soon as they lead nowhere. Where f is rugged (12 or 24 comparisons say so, after four
    steps) it does not descend first: sums over the coordinates are searched along each axis, others by populations that
    grow.
    """

    step: float | None = None
    """How far a coordinate is expected to move: the first step along it is a tenth of that. By default the root mean
    square of x0. A wrong length costs a few comparisons."""
    escapes: int = 15
    """It stops after this many looks in a row that found no better basin; 0 for none."""
    start_line: bool = False
    """First make the start as a whole larger or smaller: at most 25 comparisons. Worthwhile only if the origin means
    something and the sizes in x0 are guesses."""
    dense_limit: int = 2000
    """B is a matrix up to this many variables; beyond that it is made of the last `secant_pairs`."""
    secant_pairs: int = 20
    """The number of secant pairs that make B in many variables."""
    batch: int | None = None
    """About how many questions are open at a time where each depends on the last, as in line searches: those that may
    follow are asked too. None: one. Questions about gradients come in batches of about n in any case."""
    tuning: Tuning = DEFAULT
    """All other constants, with their sources."""

    capabilities: ClassVar[Capabilities] = Capabilities(in_flight="n, or batch", cut=True, matrices=True)

    def __post_init__(self) -> None:
        if self.step is not None:
            check_positive("step", self.step)
        check_whole("secant_pairs", self.secant_pairs, 1)
        check_whole("dense_limit", self.dense_limit, 0)
        check_whole("escapes", self.escapes, 0)
        check_flag("start_line", self.start_line)
        if self.batch is not None:
            check_whole("batch", self.batch, 1)
        if not isinstance(self.tuning, Tuning):
            raise BadType(f"tuning must be a Tuning, got {self.tuning!r}")

    @property
    def _steps(self) -> QuasiNewton:
        return QuasiNewton(self.tuning, self.dense_limit, self.secant_pairs)

    def run(self, x: Array, rng: np.random.Generator) -> Dialogue:
        if self.batch is not None and self.batch != self.tuning.in_flight:
            fast = replace(self, tuning=replace(self.tuning, in_flight=self.batch))
            return (yield from fast.run(x, rng))
        scale = self.step or start_scale(x)
        modelled = self.tuning.model_from <= x.size <= self.tuning.model_to
        # A dialogue that begins again has been contradicted: no model is built on answers like that.
        begun = count()
        return (yield from repeating(lambda start: self._run(start, scale, rng, modelled and next(begun) == 0), x))

    def _run(self, x: Array, scale: float, rng: np.random.Generator, modelled: bool) -> Dialogue:
        if self.start_line and x.any():
            x = yield from start_line(x)
        return (yield from self._search(x, scale, rng, stretch=True, modelled=modelled))

    def _search(
        self, x: Array, scale: float, rng: np.random.Generator, stretch: bool, modelled: bool = False
    ) -> Dialogue:
        """A descent, then better basins until none is found any more; in stretched coordinates if that pays."""
        resting = TieSkipping(x.size, self.tuning.tie_rounds)
        looking = rng if self.escapes else None
        phase = self._first_phase(x, scale, resting, stretch, looking, short=modelled)
        first, heard = (yield from listened(phase, x.size)) if modelled else ((yield from phase), None)
        if first is None:
            return Unproven(NO_DIFFERENCE)
        if first.stretch is not None:
            inner = self._search(first.x / first.stretch, scale, rng, stretch=False, modelled=modelled)
            return (yield from stretched(inner, first.stretch))
        if first.landscape.rugged:
            return (yield from self._better_basins(Ended(first.x, NO_DESCENT_YET), scale, rng, first.landscape))
        if heard is None:
            ended = yield from self._quasi_newton(first.x, first.a, scale, resting, rng)
        else:
            ended = yield from self._modelled(x, first.x, scale, heard, resting, rng)
        return (yield from self._better_basins(ended, scale, rng))

    def _modelled(
        self, start: Array, x: Array, scale: float, heard: Heard, resting: TieSkipping, rng: np.random.Generator
    ) -> Question[Ended]:
        """From x, to which signs have led: a model of all answers, then quasi-Newton steps in the basis it found."""
        t = self.tuning
        moved = float(np.linalg.norm(x - start)) / sqrt(x.size)
        unit = max(t.model_unit * scale, moved / t.model_slope)
        handed = yield from model_phase(x, unit, scale, heard, rng, t)
        B = Dense(handed.basis.T)
        width = handed.length * B.mean_length() / sqrt(x.size)
        at_rest = is_short(np.full(x.size, width), x, scale, t.close)
        return (yield from self._quasi_newton(handed.x, handed.length, scale, resting, rng, B, width, at_rest))

    def beyond(self, x: Array, reason: str, rng: np.random.Generator, known: Landscape | None = None) -> Dialogue:
        """From x, where another method has come to rest for some reason: a search for better basins.

        It begins with a wide look around x, or with a descent from there if it was not seen to be a minimum; or, where
        f is known to be rugged, without one.
        """
        scale = self.step or start_scale(x)
        return (yield from repeating(lambda start: self._beyond(Ended(start, reason), scale, rng, known), x))

    def _beyond(self, ended: Ended, scale: float, rng: np.random.Generator, known: Landscape | None) -> Dialogue:
        if known is not None and known.rugged:
            return (yield from self._better_basins(Ended(ended.x, NO_DESCENT_YET), scale, rng, known))
        if isinstance(ended.reason, Unproven):
            return (yield from self._search(ended.x, scale, rng, stretch=True))
        resting = TieSkipping(ended.x.size, self.tuning.tie_rounds)
        wide = yield from self._steps.wide_look(ended.x, scale, resting)
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
        first = t.rugged_size if rugged else t.population_growth
        size, most = first * usual, t.population_growth**t.population_growths * usual
        while fruitless < self.escapes and ended.reason is not NO_MINIMUM:
            if fruitless == 0 and (separable or not rugged):
                found = yield from self._look_far(ended, scale, rng, separable)
            elif n <= (t.populations_to if rugged else t.smooth_populations_to) and (
                fruitless % (t.rugged_every if rugged else t.population_every) == (0 if rugged else t.population_at)
            ):
                found = yield from self._population(ended, scale, size, rugged, rng)
                size = min(size * t.population_growth, most)
            else:
                start = jump(ended.x, scale, rng, t, far=fruitless % 2 == 1)
                found = yield from challenging(self._descend(start, scale, rng), start, ended.x, t)
            if found is None and ended.reason is NO_DESCENT_YET:
                resting = TieSkipping(n, t.tie_rounds)
                found = yield from self._quasi_newton(ended.x, t.first_step * scale, scale, resting, None)
            ended, fruitless = (ended, fruitless + 1) if found is None else (found, 0)
        return (yield from settled(ended.reason, ended.x, scale, rng))

    def _first_phase(
        self,
        x: Array,
        scale: float,
        resting: TieSkipping,
        stretch: bool,
        rng: np.random.Generator | None = None,
        short: bool = False,
    ) -> Question[FirstPhase | None]:
        """Lines in few variables, else signs, few of them if `short`; None if no difference was ever seen."""
        t = self.tuning
        h = t.first_step * scale
        if x.size <= t.few:
            return (yield from line_phase(x, h, scale, resting, t, short))
        if short:
            t = replace(t, least_sign_steps=t.model_after, most_sign_steps=t.model_after, stretch_after=t.model_after)
        return (yield from sign_phase(x, h, resting, t, scale if stretch else None, rng))

    def _descend(self, x: Array, scale: float, rng: np.random.Generator) -> Question[Ended | None]:
        """Both phases; None if no difference was ever seen."""
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
        self,
        x: Array,
        a: float,
        scale: float,
        resting: TieSkipping,
        rng: np.random.Generator | None,
        B: Basis | None = None,
        width: float = np.inf,
        evidence: bool = False,
    ) -> Question[Ended]:
        """Descents by quasi-Newton steps; where one ends a wide look says whether it leads on.

        The first is made in the basis B, if there is one. `width` is how far away the minimum may be, if that is known;
        `evidence` if it was seen before that there is one.
        """
        tried = rng is None  # trials along axes, once
        while True:
            ended, seen = yield from self._steps.descent(x, a, scale, resting, B)
            B = None
            evidence = evidence or seen  # a descent from nearby is too short to see much
            if not tried and ended.reason in (ERRATIC, NO_DESCENT, SHORT_STEPS):
                reach = min(width, self.tuning.kink_width * scale)
                polled, tried = (yield from polls(ended.x, reach, scale, self.tuning)), True
                moved, ended = float(np.linalg.norm(polled - ended.x)), Ended(polled, ended.reason)
                if moved > 0.0 and ended.reason is not ERRATIC:
                    x, a = polled, moved
                    continue
            if ended.reason is ERRATIC:
                if rng is None:
                    return Ended(ended.x, KINK)
                if (yield from is_rugged(ended.x, scale, rng, self.tuning)):
                    return Ended(ended.x, NO_DESCENT_YET)
                rested = yield from self._without_gradients(ended.x, min(width, self.tuning.kink_width * scale), rng)
                ended, evidence = Ended(rested, AT_REST), True
            elif ended.reason not in (NO_DESCENT, SHORT_STEPS):
                return ended
            elif ended.reason is SHORT_STEPS and rng is not None:
                further, same = yield from self._along_ridge(ended.x, scale, rng)
                ended, evidence = Ended(further, ended.reason), evidence and same
            resting.wake()
            wide = yield from self._steps.wide_look(ended.x, scale, resting)
            if wide is None:
                return ended if evidence else Ended(ended.x, KINK)
            x, a = wide
            if self.escapes and rng is not None and (yield from is_rugged(x, scale, rng, self.tuning)):
                return Ended(x, NO_DESCENT_YET)

    def _along_ridge(self, x: Array, scale: float, rng: np.random.Generator) -> Question[tuple[Array, bool]]:
        """The best point on the line through x and where a descent from nearby ends; or x, and that it ends there too.

        At a smooth minimum rounding ends a descent before its steps become so short. On a ridge they do anywhere on it,
        and two such points say where it leads. Some 100 n comparisons, most of them for the descent.
        """
        t = self.tuning
        nearby = t.ridge_width * scale
        for _ in range(t.ridge_looks):
            start, resting = x + nearby * rng.standard_normal(x.size), TieSkipping(x.size, t.tie_rounds)
            other, _ = yield from unheard(self._steps.descent(start, nearby * sqrt(x.size), scale, resting))
            if is_short(other.x - x, x, scale, t.close):
                return x, True
            moved = yield from follow(x, other.x - x, t.follow, t.ridge_bits)
            if moved is None:
                break
            x = moved.x
            yield Step(x)
        return x, False

    def _without_gradients(self, x: Array, width: float, rng: np.random.Generator) -> Question[Array]:
        """Where a population comes to rest around x: at a kink it goes on where gradients mislead."""
        t = self.tuning
        rested = yield from population_search(x, width, usual_population(x.size), t.kink_rest, rng, t)
        return x if rested is None else rested.x
