"""Preference learning with a Gaussian process: the method for people."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
from scipy.special import ndtr

from steelyard.algorithms.preference_gp.answers import AnswerLog, no_answers
from steelyard.algorithms.preference_gp.belief import (
    Belief,
    Thought,
    fingerprint,
    noted,
    nothing_yet,
    recalled,
    with_past,
)
from steelyard.algorithms.preference_gp.candidates import (
    FEW_CANDIDATES,
    MANY_CANDIDATES,
    THOROUGH,
    candidates,
    halton,
    most_promising,
    recommendable,
)
from steelyard.algorithms.preference_gp.certainty import certainty_of, sense_of
from steelyard.algorithms.preference_gp.context import Context
from steelyard.algorithms.preference_gp.coordinates import Coordinates
from steelyard.algorithms.preference_gp.joint import Joint
from steelyard.algorithms.preference_gp.knowledge_gradient import best_question, gain_of_a_win
from steelyard.algorithms.preference_gp.one_shot import refined
from steelyard.algorithms.preference_gp.particles import AnswerFit, Particles, first_particles, noise_of, update
from steelyard.algorithms.preference_gp.posterior import Posterior
from steelyard.algorithms.preference_gp.propagation import Fits
from steelyard.algorithms.preference_gp.recommend import recommend
from steelyard.algorithms.preference_gp.sets import best_set
from steelyard.algorithms.preference_gp.thought_cache import ThoughtCache
from steelyard.certainty import Certainty
from steelyard.checks import check_between, check_whole
from steelyard.dialogue import Capabilities, Choose, Compare, Dialogue, Past, Step
from steelyard.errors import BadValue
from steelyard.typing import Array

FREE_LOOKS = 64
TYPICAL = 40
SEVERAL_ANSWERS, MORE_ANSWERS, MANY_ANSWERS = 30, 60, 100
"""Beyond these numbers of answers there are half as many particles, half as many moves, and half as many of both."""
CHALLENGE_EVERY = 2
"""Every second question is a challenge: answers about what is believed good mislead a model that is wrong the least."""
TESTS_FROM, TEST_EVERY = 10, 5
"""From 10 answers on, every fifth question tests the recommendation against what was asked before, or the start."""
CHECK_EVERY = 4
"""From then on, every fourth question tests whether the answers mean anything, while coins explain them better."""


@dataclass(frozen=True)
class PreferenceGP:
    """Gaussian process over preferences, for people: few questions, noisy answers, ties; 1 comparison per question.

    Works in a box. Each question is the pair whose answer is expected to improve the recommendation most.
    """

    batch: int = 1
    """Questions asked at once, for several raters."""
    levels: tuple[tuple[float, ...], ...] = ()
    """For each variable the points that are allowed, in the unit box; none: all. A `Space` gives them."""
    categorical: tuple[bool, ...] = ()
    """For each variable whether its levels are without order. A `Space` gives it."""
    frozen: tuple[float | None, ...] = ()
    """For each variable the value, in the unit box, at which it is held; None: free."""
    earlier: tuple[tuple[Any, ...], ...] = ()
    """Answers known before, each (a, b, sign) or (a, b, sign, rater), points in the unit box."""
    particles: int = 16
    """How many settings of the model's hyper-parameters are kept, each with a weight."""
    sweeps: int = 2
    """How often the particles are moved after each answer."""
    memory: int = 300
    """The last answers that are thought about, which bounds the time to think."""
    least_difference: float = 0.02
    """The two things of a question differ by at least this part of the range of some variable, so that the difference
    can be seen."""
    choose: int = 2
    """2 for pairs; with 3 or 4, people are shown that many things at once and say which is best. A choice counts as the
    comparisons that it replaces (see `steelyard.dialogue.Choose`)."""
    ranking: bool = False
    """With `choose` 3 or 4, people say in which order they like them."""
    tastes: int = 1
    """How many groups of people with different tastes there may be, at most; 1: all raters like the same. With more,
    questions and recommendation are for `rater`, and what others said counts as far as they agree with him."""
    rater: str = ""
    """With several tastes, the name of the person who is asked."""
    drift: bool = False
    """Whether tastes may change during the study; how fast is learnt, and the recommendation is for the end."""
    bias: bool = False
    """Whether the person may prefer what is shown first, whatever it is; how much is learnt."""

    capabilities: ClassVar[Capabilities] = Capabilities(
        unit_box=True, max_n=50, in_flight="batch", cut=True, matrices=True
    )

    def __post_init__(self) -> None:
        check_whole("batch", self.batch, 1)
        check_whole("particles", self.particles, 4)
        check_whole("sweeps", self.sweeps, 1)
        check_whole("memory", self.memory, 1)
        check_whole("tastes", self.tastes, 1)
        check_between("least_difference", self.least_difference, 0.0, 0.5)
        if self.choose not in (2, 3, 4) or (self.ranking and self.choose == 2):
            raise BadValue(f"choose must be 2, 3 or 4, and 3 or 4 for a ranking, got {self.choose}")
        if self.choose > 2 and self.batch > 1:
            raise BadValue(f"batch must be 1 for choices among {self.choose}, got {self.batch}")
        for name in ("levels", "categorical", "frozen", "earlier"):
            object.__setattr__(self, name, _as_tuples(getattr(self, name)))
        for answer in self.earlier:
            if len(answer) not in (3, 4) or answer[2] not in (-1, 0, 1):
                raise BadValue(f"earlier must hold answers (a, b, -1 or 0 or +1) or (.., rater), got {answer!r}")

    def run(self, x: Array, rng: np.random.Generator) -> Dialogue:
        return (yield from self.resume(x, rng, nothing_yet(x.size)))

    def resume(self, x: Array, rng: np.random.Generator, past: Past) -> Dialogue:
        coordinates = Coordinates(x.size, self.levels, self.categorical, self.frozen)
        start = coordinates.snap(x[None])[0]
        thoughts = ThoughtCache((self, start.tobytes(), fingerprint(past)), seed=int(rng.integers(2**63)))
        thoughts.heard(past.answers, past.raters)
        thought, heard = thoughts.remember(partial(self._begin, coordinates, start, past)), len(past)
        while len(thought.a):
            belief = thought.belief
            yield Step(belief.best, self._certainty(coordinates, start, belief), partial(noted, thought, heard))
            if self.choose > 2:
                choice = Choose(thought.a, self.ranking)
                ranks = yield choice
                thoughts.heard(ranks, (choice.rater,) * len(ranks))
                heard += len(thought.a) - 1
                answered = belief.answered.add_choice(thought.a, ranks, self.ranking, choice.rater)
            else:
                question = Compare(thought.a, thought.b, reserve=0)
                answers = (yield question)[: question.cut_to]
                thoughts.heard(answers, question.raters)
                heard += len(answers)
                a, b = thought.a[: question.cut_to], thought.b[: question.cut_to]
                answered = belief.answered.add(a, b, answers, question.raters)
            thought = thoughts.remember(partial(self._think, coordinates, start, belief, answered.last(self.memory)))
        return "no variable is free to differ"

    # --- thinking

    def _begin(self, coordinates: Coordinates, start: Array, past: Past, rng: np.random.Generator) -> Thought:
        known = self._known(coordinates)
        answered = with_past(known, past, len(past)).last(self.memory)
        if past.memory is not None:
            thought = recalled(past, known, partial(self._evidence, coordinates=coordinates), self.memory)
            if len(past) == int(past.memory["heard"]) and past.pending_a is None:
                return thought
            belief = thought.belief
        else:
            particles, count = first_particles(coordinates, self.particles, rng, self._context), 1
            while count < len(answered):  # little by little, or all particles but one would die out at once
                evidence = self._evidence(answered.first(count), coordinates)
                particles, _ = update(particles, evidence, *self._effort(count), rng)
                count *= 2
            belief = Belief(answered, particles, start)
        return self._think(coordinates, start, belief, answered, rng, past)

    @property
    def _context(self) -> Context:
        return Context(self.tastes, self.drift, self.bias, self.rater)

    def _evidence(self, answered: AnswerLog, coordinates: Coordinates) -> AnswerFit:
        return AnswerFit(answered, coordinates, self._context)

    def _known(self, coordinates: Coordinates) -> AnswerLog:
        """The answers given as an option."""
        answered = no_answers(coordinates.n, (self.rater,) if self.tastes > 1 else ())
        for a, b, sign, *rater in self.earlier:
            if len(a) != coordinates.n or len(b) != coordinates.n:
                raise BadValue(f"earlier must compare points with {coordinates.n} coordinates, got {a!r} and {b!r}")
            if not all(0.0 <= value <= 1.0 for value in (*a, *b)):
                raise BadValue(
                    f"earlier must hold points of the unit box (`earlier_answers` makes them), got {a!r} and {b!r}"
                )
            answered = answered.add(np.array([a]), np.array([b]), np.array([sign], dtype=np.int8), tuple(rater))
        return answered

    def _think(
        self,
        coordinates: Coordinates,
        start: Array,
        belief: Belief,
        answered: AnswerLog,
        rng: np.random.Generator,
        past: Past | None = None,
    ) -> Thought:
        best, particles = belief.best, belief.particles
        evidence = self._evidence(answered, coordinates)
        particles, fits = update(particles, evidence, *self._effort(len(answered)), rng)
        posterior = _posterior(evidence, particles, fits)
        asked = most_promising(np.concatenate([answered.unbeaten, start[None]]), posterior, coordinates)
        if len(answered):
            looks = [best[None], asked, rng.random((FREE_LOOKS, coordinates.n))]
            best = recommend(posterior, coordinates, np.concatenate(looks))
        # Only pairs are refined, and only along continuous coordinates.
        size = FEW_CANDIDATES if coordinates.continuous.all() and self.choose == 2 else MANY_CANDIDATES
        if _challenges(answered) and self.choose == 2:
            size = THOROUGH
        points = candidates(best, asked, coordinates, len(answered), rng, size)
        if past is not None and past.pending_a is not None and past.pending_b is not None:
            tau = _joint(posterior, coordinates, points, answered).tau
            for pair in np.stack([past.pending_a, past.pending_b], axis=1):  # as if they had been answered
                posterior = posterior.fantasised(coordinates.features(pair), tau)
        if self.choose > 2:
            a, b = self._set(_joint(posterior, coordinates, points, answered), points, rng), points[:0]
        else:
            # With the start: it may never have been asked about, and may be better than what is recommended.
            rivals = np.concatenate([answered.points, start[None]])
            doubtful = particles.log_marginal < evidence.by_chance()
            a, b = self._questions(posterior, coordinates, points, answered, rivals, doubtful)
        return Thought(Belief(answered, particles, best), a, b)

    def _set(self, joint: Joint, points: Array, rng: np.random.Generator) -> Array:
        """The points to choose among, from the candidates `points`: the best pair, and those that add most to it."""
        if len(points) < 2:
            return points[:0]
        among = recommendable(joint)
        pair = best_question(joint, among)
        return points[best_set(joint, (pair.x, pair.y), self.choose, among, rng)]

    def _questions(
        self,
        posterior: Posterior,
        coordinates: Coordinates,
        points: Array,
        answered: AnswerLog,
        rivals: Array,
        doubtful: bool,
    ) -> tuple[Array, Array]:
        """A batch of them, from the candidates `points`: each with those before it fantasised. Now and then the
        recommendation is tested against one of the `rivals`, or, if it is `doubtful` that the answers mean anything,
        whether they do."""
        a, b = [], []
        taken: set[frozenset[int]] = set()
        for i in range(self.batch if len(points) > 1 else 0):
            joint = _joint(posterior, coordinates, points, answered)
            rows = _test(joint, points, answered, rivals, self.least_difference) if i == 0 else None
            if rows is None and i == 0 and _challenges(answered):
                rows = _challenge(joint, points, self.least_difference)
            if rows is None and i == 0 and doubtful and len(answered) > TESTS_FROM and not len(answered) % CHECK_EVERY:
                rows = _check(joint, points)
            if rows is None:
                question = best_question(joint, recommendable(joint), taken)
                taken.add(frozenset((question.x, question.y)))
                rows = points[[question.x, question.y, *question.after]]
                rows = _visible(refined(posterior, coordinates, joint.tau, rows), coordinates, self.least_difference)
            a.append(rows[0])
            b.append(rows[1])
            if i + 1 < self.batch:
                posterior = posterior.fantasised(coordinates.features(rows[:2]), joint.tau)
        return np.array(a), np.array(b)

    def _effort(self, answers: int) -> tuple[int, int]:
        """Particles, and moves of a half of them: the more is known, the less the hyper-parameters vary, and the more
        each costs."""
        if answers <= SEVERAL_ANSWERS:
            return self.particles, (2 * self.sweeps if answers else 0)
        if answers <= MANY_ANSWERS:
            return max(self.particles // 2, 4), (2 * self.sweeps if answers <= MORE_ANSWERS else self.sweeps)
        return max(self.particles // 4, 4), 1

    def _certainty(self, coordinates: Coordinates, start: Array, belief: Belief) -> Callable[[], Certainty]:
        def work_out() -> Certainty:
            rng = np.random.default_rng(0)
            answered, particles = belief.answered, belief.particles
            evidence = self._evidence(answered, coordinates)
            fits = evidence.fit(particles.thetas, particles.sites)
            posterior = _posterior(evidence, particles, fits)
            asked = most_promising(np.concatenate([answered.points, start[None]]), posterior, coordinates)
            near = candidates(belief.best, asked, coordinates, 1, rng, THOROUGH)
            near = np.concatenate([belief.best[None], start[None], near[1:]])
            typical = coordinates.snap(np.concatenate([belief.best[None], halton(coordinates.n, TYPICAL, 0)]))
            unit = posterior.distance(coordinates.features(typical)) + 1e-12
            joint = replace(_joint(posterior, coordinates, near, answered), unit=unit)
            among = recommendable(joint)
            gain = best_question(joint, among).gain
            points, others = np.concatenate([near, typical[1:]]), len(near) + np.arange(TYPICAL)
            joint = replace(_joint(posterior, coordinates, points, answered), unit=unit)
            box = coordinates.snap(np.array([np.zeros(coordinates.n), np.ones(coordinates.n)]))
            raters = dict(zip(answered.raters, noise_of(fits, evidence, particles.thetas).tolist(), strict=False))
            sense = sense_of(particles.log_marginal, evidence.by_chance())
            return certainty_of(joint, points, among, others, box, gain, raters, sense, len(answered))

        return work_out


def _posterior(evidence: AnswerFit, particles: Particles, fits: Fits) -> Posterior:
    thetas = particles.thetas
    return Posterior(evidence.prior.unpack(thetas), evidence.points, fits, evidence.share(thetas))


def _joint(posterior: Posterior, coordinates: Coordinates, points: Array, answered: AnswerLog) -> Joint:
    tau = posterior.hyper.tau
    return posterior.joint(coordinates.features(points), tau if answered.tie.any() else np.zeros_like(tau))


def _test(joint: Joint, points: Array, answered: AnswerLog, rivals: Array, least: float) -> Array | None:
    """Now and then: the recommendation, row 0 of `points`, against the one of the `rivals` whose win is expected to
    gain most. The most likely winner would be a neighbour, about which an answer says nothing.

    A model that is wrong is found out by this; one that is right loses little."""
    if len(answered) < TESTS_FROM or len(answered) % TEST_EVERY:
        return None
    is_rival = (np.abs(points[:, None] - rivals).max(axis=2) < 1e-9).any(axis=1)
    is_rival &= np.abs(points - points[0]).max(axis=1) >= least
    if not is_rival.any():
        return None
    return points[[0, int(np.where(is_rival, gain_of_a_win(joint), -np.inf).argmax())]]


def _check(joint: Joint, points: Array) -> Array:
    """The recommendation, row 0 of `points`, against the point that it is most certain to beat: whoever tosses coins is
    found out soonest by what anybody else would know."""
    lead, variance = joint.difference(0)
    wins = ndtr((lead - joint.tau[:, None]) / np.sqrt(1.0 + variance)).mean(axis=0)
    wins[0] = -np.inf
    return points[[0, int(wins.argmax())]]


def _challenges(answered: AnswerLog) -> bool:
    return len(answered) % CHALLENGE_EVERY == CHALLENGE_EVERY - 1


def _challenge(joint: Joint, points: Array, least: float) -> Array | None:
    """The recommendation, row 0 of `points`, against the point that is expected to exceed it most."""
    improvement = (joint.improvement / joint.unit[:, None]).mean(axis=0)
    improvement[np.abs(points - points[0]).max(axis=1) < least] = -np.inf
    rival = int(improvement.argmax())
    return points[[0, rival]] if np.isfinite(improvement[rival]) else None


def _visible(rows: Array, coordinates: Coordinates, least: float) -> Array:
    """The two ends at least `least` apart in some coordinate, the second moved if need be."""
    move = rows[1] - rows[0]
    size = float(np.abs(move).max())
    if size >= least or size == 0.0 or not coordinates.continuous[np.abs(move).argmax()]:
        return rows
    rows = rows.copy()
    end = rows[0] + move * (least / size)
    outside = (end < 0.0) | (end > 1.0)
    rows[1] = coordinates.snap(np.where(outside, rows[0] - move * (least / size), end)[None])[0]
    return rows


def _as_tuples(value: Any) -> Any:
    """Lists and arrays within each other as tuples, so that the method can be hashed and compared."""
    return tuple(_as_tuples(item) for item in value) if isinstance(value, list | tuple | np.ndarray) else value
