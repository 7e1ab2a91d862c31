"""One run: what the two explanations believe, which one leads, and what else the judge was asked."""

from collections.abc import Callable
from functools import partial

import numpy as np

from steelyard.algorithms.bayes_quadratic.caution import cautiously
from steelyard.algorithms.bayes_quadratic.claims import MUCH_NEARER, Claims
from steelyard.algorithms.bayes_quadratic.duels import Duels
from steelyard.algorithms.bayes_quadratic.explanation import BLUR, FLIPS, Explanation
from steelyard.algorithms.bayes_quadratic.faces import Inward
from steelyard.algorithms.bayes_quadratic.first_step import first_step
from steelyard.algorithms.bayes_quadratic.foothold import Foothold
from steelyard.algorithms.bayes_quadratic.geometry import Geometry
from steelyard.algorithms.bayes_quadratic.guard import Guard
from steelyard.algorithms.bayes_quadratic.leading import LEAD, Lead, expects_worse
from steelyard.algorithms.bayes_quadratic.look import MISPREDICTED, Look
from steelyard.algorithms.bayes_quadratic.mind import Mind
from steelyard.algorithms.bayes_quadratic.repeats import Repeats
from steelyard.algorithms.bayes_quadratic.trial import Trial, confirm
from steelyard.algorithms.bayes_quadratic.votes import Votes
from steelyard.algorithms.bayes_quadratic.vouching import Vouching
from steelyard.algorithms.cqn.landscape import Landscape
from steelyard.bounds import Box
from steelyard.dialogue import Question, Step
from steelyard.judge_report import JudgeReport
from steelyard.typing import Array

LAZY = 40
"""The explanation that does not lead is fitted again when one answer in LAZY is new to it ..."""
MANY_KEPT, LAZY_BEYOND = 500, 25
"""... and the one that leads when one in LAZY_BEYOND of those beyond MANY_KEPT is: each fit of a thousand takes long,
and twenty more answers change little."""


class Run:
    """The state of a run from x0, and what it asks besides the model's own questions."""

    def __init__(self, x0: Array, unit: Array, scale: float, box: Box | None, rng: np.random.Generator) -> None:
        self.x0, self.box, self._unit, self._rng = x0, box, unit, rng
        self.asked, self.ties, self.past = 0, 0, 0
        self.repeats, self.duels, self.trial = Repeats(x0.size), Duels(x0), Trial(box)
        self._guard, self._look, self._cautious = Guard(x0), Look(scale), True
        self._vouching, self._claims, self._inward = Vouching(x0), Claims(), Inward()
        self._begin(*(self._mind_at(why, x0) for why in (FLIPS, BLUR)))

    def _mind_at(self, why: Explanation, x: Array) -> Mind:
        return Mind(why, x, self._unit, self.box, Geometry(), self.x0)

    def _begin(self, flips: Mind, blur: Mind) -> None:
        self.flips, self.blur = flips, blur
        self.lead, self._foothold = Lead(flips, blur), Foothold(blur)

    def _begin_at(self, x: Array) -> None:
        """Begin again at x, with all answers that were kept."""
        self._begin(*(self._mind_at(one.why, x).taught(one) for one in (self.flips, self.blur)))

    # --- what is known

    @property
    def mind(self) -> Mind:
        """The explanation that leads."""
        return self.lead.mind

    @property
    def steady(self) -> bool:
        """Is the judge taken at its word? In a box coordinates come to be held at bounds by few answers: there some
        doubt is welcome."""
        return self.repeats.steady and self.box is None

    @property
    def blames_model(self) -> bool:
        """Is what was mispredicted the model's fault? In a box that is asked only if much was: duels cost answers."""
        boxed = self.box is not None and self.box.finite and self.mind.predictive.rate > MISPREDICTED
        return self.steady or (self.repeats.steady and boxed)

    @property
    def doubted(self) -> bool:
        return not (self.trial.open or self.repeats.steady)

    @property
    def taken_in(self) -> bool:
        """Have the answers of another run all been heard?"""
        return self.asked >= self.past

    def report(self) -> Callable[[], JudgeReport]:
        """What says, if it is called, what was learnt about the judge so far."""
        return partial(_report, self.mind, self.lead.believed, self.asked, self.ties)

    # --- asking and hearing

    def asked_again(self, a: Array, b: Array) -> tuple[Array, Array, Array]:
        """A batch, some of it replaced by questions that were asked before, with the answers expected then."""
        return self.repeats.mix(a, b, self.flips.predictive.rate, self._rng, self.lead.suspected)

    def count(self, answers: Array) -> None:
        self.asked, self.ties = self.asked + len(answers), self.ties + int((answers == 0).sum())

    def take(self, a: Array, b: Array, answers: Array) -> None:
        """Answers to questions that were not the model's own, for both explanations."""
        self.count(answers)
        for one in (self.flips, self.blur):
            one.hear(a, b, answers)

    def _take_votes(self, votes: Votes) -> None:
        self.take(votes.a, votes.b, votes.answers)

    def hear(self, a: Array, b: Array, answers: Array, expected: Array) -> Question[None]:
        """Take in a batch; at the first sign that the judge errs, what was learnt in trust is learnt again."""
        self.count(answers)
        a, b, answers = self.repeats.hear(a, b, answers, expected[: len(a)])
        # Once the minimiser is known, what a judge says far and wide is predicted badly if f is no quadratic.
        known_here = self.doubted and self.box is None and self.flips.epochs > 0
        near = self.flips.is_about(a, b) if known_here else np.ones(len(a), dtype=bool)
        known = [one.hear(a[near], b[near], answers[near]) for one in (self.flips, self.blur)]
        self.blur.hear(a[~near], b[~near], answers[~near])
        if self.trial.convicts(self.repeats):
            yield from self._convict()
        else:
            self.lead.hear(*known)

    def _convict(self) -> Question[None]:
        self.flips.doubt()
        if self.flips.grown and self.taken_in:
            lost, votes = yield from confirm(self.flips, self._rng)
            self.count(votes.answers)
            if lost:
                self._begin_at(self.x0)
        # What was predicted so far was not predicted by what is now believed.
        self.lead = Lead(self.flips, self.blur)

    def think(self) -> Question[None]:
        """Let the better explanation lead, if the judge does not object, and fit what there is to fit."""
        if self.lead.dim:
            self.lead.weigh(self.asked)
        if self.lead.contested and self.taken_in:
            self.count((yield from self.lead.contest(self._rng)).answers)
        else:
            self.lead.mind = self.lead.favourite
        repeated = self.trial.on_rates(self.repeats, self.flips, self.steady)
        for one in (self.flips, self.blur):
            if self._fit_is_due(one):
                one.think(repeated)
        # What a judge that says the same again is said to see dimly, the model sees wrongly.
        self.lead.dim = not (self.repeats.innocent or self.repeats.steady or self.repeats.always_steady)

    def _fit_is_due(self, one: Mind) -> bool:
        if one is self.mind:
            return one.fresh * LAZY_BEYOND >= len(one.answers) - MANY_KEPT
        return one.fresh * LAZY >= len(one.answers)

    # --- what is recommended

    def step_first(self, scale: float) -> Question[None]:
        """A step before there is a model, which then begins there."""
        x, seen, checks = yield from first_step(self.x0, scale, self._rng)
        self.repeats.hear(*seen, np.zeros(len(seen.answers)))
        self.repeats.hear(*checks, np.full(len(checks.answers), -1.0))
        self.count(checks.answers)
        if x is not self.x0:
            # The minimiser is expected as far away as the step was long, if that is farther than it was thought.
            far = np.sqrt(np.mean(((x - self.x0) / self._unit) ** 2)) / Geometry().slope
            self._unit = max(far, 1.0) * self._unit
            self._begin(*(self._mind_at(why, x) for why in (FLIPS, BLUR)))
            self.duels.best = x.copy()
            yield Step(x)
        self.take(*seen)
        for one in (self.flips, self.blur):
            one.think(None)
            one.gain_since(self.x0)

    def recommend(self, batch: int) -> Question[Array]:
        """Where the model sees the minimum, as far as that is sure and the judge agrees."""
        mind = self.mind
        self._cautious = (self._cautious and mind.epochs == 0) or mind.grown
        best = mind.best
        if self._cautious:
            minds = (self.flips, self.blur) if self.trial.open else (mind,)
            best = cautiously(mind, minds, self.trial.open)
        if self._cautious and self.repeats.innocent and self._claims.open and self.taken_in:
            best = yield from self._claimed(best)
        if self.blames_model:
            if self.duels.due(self.asked, mind):
                self._take_votes((yield from self.duels.fight(best, self.asked, batch, mind, self._rng)))
            if self.duels.lost:
                best = self.duels.best.copy()
        if self.doubted and self.taken_in:
            vouching = self._vouching
            erring = not self.repeats.innocent
            early = erring and self._cautious and not vouching.over(self.asked, self.flips)
            bad = erring and (vouching.is_bad(self.flips) or expects_worse(self.lead.other, best))
            if (bad or not early) and (best != self.x0).any() and self._guard.due(self.asked, self.flips):
                best = yield from self._guarded(best)
            if bad or (early and not vouching.sure(best, self.asked, mind)):
                return (yield from self._vouched(best))
        if mind is self.blur:
            best = yield from self._firm(best)
        return best

    def _claimed(self, best: Array) -> Question[Array]:
        """Of a judge that has not been seen to err, at first: what it says is ahead of the last good point."""
        claims, anchor = self._claims, self.mind.anchor.copy()
        if np.array_equal(best, anchor):
            return best
        if not claims.due(self.asked):
            return best if claims.last_held else anchor
        said = yield from claims.make(best, anchor, self.asked, self._rng)
        self.take(*said.heard)
        self.count(said.again)
        if said.refuted:
            self._look_nearer(anchor)
        return best if said.held else anchor

    def _look_nearer(self, x: Array) -> None:
        """The minimiser is much nearer to x than was thought."""
        for one in (self.flips, self.blur):
            one.retreat(x, MUCH_NEARER)

    def _vouched(self, best: Array) -> Question[Array]:
        """Of a judge that errs, at first, and of a bad one: what votes have put ahead of the start."""
        vouching = self._vouching
        if vouching.due(best, self.asked, self.flips):
            # In a box, which says how far is too far, the judge is asked about what differs most from the start.
            point = best if self.box is None else self.mind.best
            self._take_votes((yield from vouching.ask(point, self.asked, self.flips, self._rng)))
            if vouching.all_refused:
                self._look_nearer(self.x0)
        return vouching.allowed(best, self.flips)

    def _guarded(self, best: Array) -> Question[Array]:
        """Of a bad judge: is the run ahead of its start?"""
        astray, votes = yield from self._guard.lost(best, self.asked, self.flips, self._rng)
        self._take_votes(votes)
        if not astray:
            return best
        for one in (self.flips, self.blur):
            one.begin_again(self.x0)
        self._cautious = True
        return self.x0.copy()

    def _firm(self, best: Array) -> Question[Array]:
        """Of errors from closeness: is what long questions have led to ahead of what was confirmed?"""
        foothold = self._foothold
        if self.taken_in and foothold.due(best, self.asked, self.blur):
            slipped, votes = yield from foothold.slips(best, self.asked, self.blur, self._rng)
            self._take_votes(votes)
            if slipped:
                self.blur.look_nearer(foothold.place)
                best = foothold.place.x.copy()
            else:
                self.blur.look_farther()
        return foothold.place.x.copy() if foothold.left(best, self.blur) else best

    def narrow(self) -> Question[None]:
        """Smaller regions around minimisers that are known, once it was asked what is held at a bound."""
        if self.repeats.innocent and self.taken_in and self._inward.due(self.mind):
            self.take(*(yield from self._inward.ask(self.mind, self._rng)))
        else:
            self.mind.shrink_if_known()

    def widen(self, x: Array) -> None:
        """It goes on around x, which is better than where the model saw the minimum."""
        for one in (self.flips, self.blur):
            one.widen(x)

    def reason(self) -> str | None:
        """Why to ask the model no more, in words; None to go on."""
        if not self.blames_model:
            return None
        # In a box much is mispredicted before it is known which variables are at a bound.
        mispredicted = self.mind.predictive.rate if self.box is None else 0.0
        return self.duels.reason(self.asked, mispredicted)

    # --- what f is like

    def look_around(self, x: Array) -> Question[Landscape | None]:
        """Where the judge is steady and the model does not fit: what f is like, if that was asked.

        If its axes are measured in different units, the model begins again at x in these.
        """
        n = x.size
        self._look.notice(self.asked, n, self.mind.predictive.rate)
        if not self.steady:
            return None
        if self._look.rugged_due(self.asked, n):
            kind, seen = yield from self._look.landscape(x, self._rng)
            self.take(*seen)
            return kind
        if self._look.units_due(self.asked, n):
            units, seen = yield from self._look.units(x, self._rng)
            self.take(*seen)
            if units is not None:
                self._unit = self._unit * units
                self._begin_at(x)
        return None


def _report(mind: Mind, ahead: float, asked: int, ties: int) -> JudgeReport:
    noise = mind.noise
    return JudgeReport(
        answers=asked,
        error_rate=noise.rate,
        when_close=float(1.0 / (1.0 + np.exp(-(ahead - 0.5 * LEAD)))),
        ties=ties / max(asked, 1),
        first_bias=noise.first - noise.second,
    )
