"""The method: two explanations of the judge's errors side by side, weighed by how well they predict answers."""

from collections.abc import Callable, Generator
from dataclasses import dataclass
from math import ceil, log, sqrt
from typing import ClassVar

import numpy as np

from steelyard.algorithms.bayes_quadratic.faces import Rest, beats, freed
from steelyard.algorithms.bayes_quadratic.geometry import Geometry
from steelyard.algorithms.bayes_quadratic.growing import grow
from steelyard.algorithms.bayes_quadratic.leading import LEAD
from steelyard.algorithms.bayes_quadratic.mind import Mind
from steelyard.algorithms.bayes_quadratic.questions import questions
from steelyard.algorithms.bayes_quadratic.run import Run
from steelyard.algorithms.cqn.cqn import CQN, NO_DESCENT_YET
from steelyard.algorithms.cqn.lengths import start_scale
from steelyard.bounds import Box, SmoothMap
from steelyard.checks import check_at_least, check_positive, check_whole
from steelyard.dialogue import Capabilities, Compare, Dialogue, GaveUp, Message, Past, Step, Unproven, better, intercept
from steelyard.judge_report import JudgeReport
from steelyard.parts.stopping import settled
from steelyard.parts.stretched import mapped
from steelyard.typing import Answers, Array

UNIT = 0.25 / 3.0
"""The first unit of length, in units of the rms of x0; 1 where that is 0."""
UNIT_IN_BOX = 1.0 / 12.0
"""The first unit of length in a box, in widths of it."""
AT_FIRST, LATER, FIRST = 0.12, 0.3, 2
"""Questions per batch and variable: this many until FIRST n answers have come, then that many."""
MOST_FOR_STEP = 20
"""In more variables than this the first answers are better spent on the model than on a step along the gradient."""
MOST_PARTS = 100
"""Answers of another run are taken in in at most this many parts."""
SCALE_IN_BOX = 0.25
"""How far a coordinate may be expected to move, in widths of the box."""
ROUNDING, FARTHEST = 1e-15, 1e150
WRONGLY = 1e-3
"""How probable it may be, at most, that one of the variables is at a bound wrongly, for a run to end in a corner."""
BLAMELESS = 0.1
"""It also takes mispredictions that are at most this much more frequent than the errors of the judge."""
PREDICTED = 3.0
"""Success takes predictions that are this much better than a coin's, in units of the logarithm."""


@dataclass(frozen=True)
class BayesQuadratic:
    """A Bayesian quadratic model of all answers: for judges that err, even if they repeat their errors.

    No answer counts twice: a wrong one is outvoted by answers to other questions. A batch costs `batch`
    comparisons (about .12 n at first, then .3 n) and takes some milliseconds of computation per question.
    The method learns how the judge errs: how often, whether more often when the two are close, ties, a preference for
    the first. Some questions (2 to 20 %) are asked again, moved a little: a judge that then says the same is steady,
    and wrong predictions are the model's fault. With a steady judge each recommendation must beat the one before (one
    comparison in 15); where the model leads no further, or f is seen to be rugged, CQN takes over. In up to 20
    variables, without a box, it begins with a step along the signs of the gradient (n + 8 comparisons). At first the
    judge says whether a recommendation beats the last good point (2 comparisons, more near the minimum), and in a box
    whether what is at a bound belongs there (one per such variable, a few times).
    """

    step: float | None = None
    """The expected distance from x0 to the minimiser per coordinate; None: from the box, or .4 of the rms of x0."""
    batch: int | None = None
    """Questions asked at once; None: about .12 n for the first 2 n, then .3 n. Larger ones save waiting."""
    tol: float = 1e-14
    """The run stops when the expected remaining gain is below this part of what was gained."""
    escapes: int = 10
    """When the model leads no further and the judge is steady, CQN looks for a better basin until this many looks
    in a row have found none; 0 for none."""

    capabilities: ClassVar[Capabilities] = Capabilities(
        knows_box=True, max_n=300, in_flight=".3 n, or batch", cut=True, matrices=True
    )

    def __post_init__(self) -> None:
        if self.step is not None:
            check_positive("step", self.step)
        if self.batch is not None:
            check_whole("batch", self.batch, 1)
        check_at_least("tol", self.tol, 0.0)
        check_whole("escapes", self.escapes, 0)

    def run(self, x: Array, rng: np.random.Generator, box: Box | None = None) -> Dialogue:
        return (yield from self.run_after(x, rng, _nothing(x.size), box))

    def run_after(self, x: Array, rng: np.random.Generator, past: Past, box: Box | None = None) -> Dialogue:
        """A run that begins with the answers of another, taken in as if it had asked for them itself."""
        n = x.size
        scale = self.step or start_scale(x)
        run = Run(x, self._unit(x, box), scale, box, rng)
        run.past = len(past)
        rest: Rest | None = None
        # Where several questions are answered at once, a search along a line would keep the others waiting.
        alone = self.batch is None or self.batch == 1
        if not len(past) and alone and n <= MOST_FOR_STEP and box is None:  # a box says how far it may be
            yield from run.step_first(scale)
        while True:
            if run.taken_in:
                a, b, expected = run.asked_again(*self._questions(run, rng))
                answers, a, b = yield from _ask(a, b)
            else:
                a, b, answers = self._part(past, run.asked)
                expected = np.zeros(len(a))
            if not len(a):
                continue
            yield from run.hear(a, b, answers, expected)
            yield from run.think()
            best = yield from run.recommend(self._count(n, run.asked))
            kind = yield from run.look_around(best)
            if kind is not None and kind.rugged and self.escapes:
                search = CQN(step=scale, escapes=self.escapes).beyond(best, NO_DESCENT_YET, rng, kind)
                return (yield from _reporting(search, run.report()))
            mind, doubted = run.mind, run.doubted
            reason = self._reason(mind) or run.reason()
            if rest is not None:
                if reason is None and mind.epochs == rest.epochs:
                    best = rest.x  # until it is known what the way from the bound has led to
                elif (yield from beats(best, rest.x, mind, rng)):
                    rest = None
                else:
                    best, reason = rest.x, rest.reason
            yield Step(best, judge=run.report())
            if run.blames_model and run.duels.just_lost:
                mind.retreat(best)
                continue
            if reason is not None:
                away = None if rest is not None else (yield from freed(best, mind, rng))
                if away is not None:
                    rest = Rest(best, reason, mind.epochs)
                    run.widen(away)
                    continue
                if not run.repeats.always_steady or isinstance(reason, GaveUp):
                    return reason
                return (yield from _reporting(self._beyond(best, reason, run, rng), run.report()))
            if mind.leaves(doubted):
                if run.taken_in:
                    run.count((yield from grow(mind, rng, self.batch or 1, run.trial.open)))
                else:
                    mind.double()
            yield from run.narrow()
            run.lead.tend_other(doubted)

    def _unit(self, x: Array, box: Box | None) -> Array:
        if self.step is not None:
            return np.full(x.size, self.step / Geometry().slope)
        rms = sqrt(float(np.mean(x * x))) or 1.0
        unit = np.full(x.size, UNIT * rms)
        if box is not None:
            width = box.high - box.low
            unit = np.where(np.isfinite(width) & (width > 0.0), UNIT_IN_BOX * width, unit)
        return unit

    def _questions(self, run: Run, rng: np.random.Generator) -> tuple[Array, Array]:
        """The next batch, in parts of at most n questions, each asked by one of the two explanations."""
        lead, n = run.lead, run.mind.n
        count = self._count(n, run.asked)
        parts = [
            questions(lead.asker(run.steady, rng), min(n, count - start), rng, lead.believed > LEAD, start)
            for start in range(0, count, n)
        ]
        return np.concatenate([a for a, _ in parts]), np.concatenate([b for _, b in parts])

    def _part(self, past: Past, start: int) -> tuple[Array, Array, Array]:
        """The next answers of another run."""
        rows = slice(start, start + max(self._count(past.a.shape[1], start), ceil(len(past) / MOST_PARTS)))
        return past.a[rows], past.b[rows], past.answers[rows].astype(np.float64)

    def _count(self, n: int, asked: int) -> int:
        if self.batch is not None:
            return self.batch
        return max(1, round((AT_FIRST if asked < FIRST * n else LATER) * n))

    def _beyond(self, x: Array, reason: str, run: Run, rng: np.random.Generator) -> Dialogue:
        """What is left to do once the model has nothing to add, for a judge that says the same when asked again."""
        box, scale = run.box, start_scale(run.x0)
        if not self.escapes or (box is not None and not box.finite):
            return (yield from settled(reason, x, scale, rng))
        if box is None:
            return (yield from CQN(step=scale, escapes=self.escapes).beyond(x, reason, rng))
        unit = Box(np.zeros(x.size), np.ones(x.size))
        smooth = SmoothMap(unit, box.to_unit(x))
        search = CQN(step=SCALE_IN_BOX, escapes=self.escapes).beyond(smooth.inward(box.to_unit(x)), reason, rng)
        return (yield from _once_better(mapped(search, lambda z: box.from_unit(smooth.outward(z))), x))

    def _reason(self, mind: Mind) -> str | None:
        """Why to stop, in words; None to go on."""
        if not np.isfinite(mind.region.centre).all() or np.abs(mind.region.centre).max() > FARTHEST:
            return GaveUp("the minimiser has moved without end: the function seems unbounded below")
        shift = np.abs(mind.region.out @ mind.view.inverse_root).sum(axis=1) * mind.view.spread
        if mind.view.held.all() and mind.view.wrongly.sum() < WRONGLY:
            reason = "every variable is at a bound, to which f falls for certain"
        elif mind.epochs and 0.5 * mind.n * mind.view.spread**2 < self.tol * (mind.gained + mind.view.gain):
            reason = f"the expected remaining gain is below {self.tol:g} of what was gained"
        elif (shift <= ROUNDING * (np.abs(mind.region.centre) + 1e-280)).all():
            reason = "the minimiser is known to rounding"
        else:
            return None
        return (
            reason if _evidence(mind) else Unproven(f"{reason}, but answers were mostly ties or could not be predicted")
        )


def _nothing(n: int) -> Past:
    """No answers from before."""
    return Past(np.empty((0, n)), np.empty((0, n)), np.empty(0, dtype=np.int8))


def _evidence(mind: Mind) -> bool:
    """Were answers better predicted than by a coin, and not mostly ties?"""
    seen = mind.predictions
    decided = seen.answers != 0
    if not len(seen) or decided.mean() < 0.5 or mind.predictive.rate > mind.noise.rate + BLAMELESS:
        return False
    known = mind.noise.log_likelihood(seen.answers[decided], seen.mean[decided], seen.var[decided]).sum()
    return bool(known - log(0.5) * decided.sum() > PREDICTED)


def _ask(a: Array, b: Array) -> Generator[Message, Answers, tuple[Array, Array, Array]]:
    """The answers, with the rows that were asked: the driver may cut the batch."""
    message = Compare(a, b, reserve=0)
    answers = yield message
    rows = len(a) if message.cut_to is None else message.cut_to
    return np.asarray(answers[:rows], dtype=np.float64), a[:rows], b[:rows]


def _reporting(dialogue: Dialogue, judge: Callable[[], JudgeReport]) -> Dialogue:
    """A dialogue that also says what was learnt about the judge before it began."""
    speaker, answers = intercept(dialogue), None
    while (message := speaker.next(answers)) is not None:
        if isinstance(message, Step):
            answers, message.judge = None, judge
            yield message
        else:
            answers = yield message
    return speaker.result


def _once_better(dialogue: Dialogue, x: Array) -> Dialogue:
    """A dialogue that descends, heard only once it is ahead of x: one comparison per step until then.

    A search through a smooth map begins a little inside the box, which may be worse than x on its surface.
    """
    speaker, answers, ahead = intercept(dialogue), None, False
    while (message := speaker.next(answers)) is not None:
        if not isinstance(message, Step):
            answers = yield message
            continue
        answers, ahead = None, ahead or (yield from better(message.x, x))
        if ahead:
            yield message
    return speaker.result
