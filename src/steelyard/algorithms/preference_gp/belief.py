"""What a run knows between two questions, and how it is noted down and recalled."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256

import numpy as np

from steelyard.algorithms.preference_gp.answers import AnswerLog
from steelyard.algorithms.preference_gp.particles import AnswerFit, Particles
from steelyard.dialogue import Past
from steelyard.typing import Array


@dataclass(frozen=True, eq=False)
class Belief:
    """Everything a run knows between two questions: small, and never changed."""

    answered: AnswerLog
    particles: Particles
    best: Array


@dataclass(frozen=True, eq=False)
class Thought:
    """What came of thinking: the belief and the next question, both ends empty if there is nothing to ask."""

    belief: Belief
    a: Array
    b: Array


def noted(thought: Thought, heard: int) -> Mapping[str, Array]:
    """A thought after a number of answers, as arrays; the answers are not among them, as the driver has them."""
    belief = thought.belief
    particles = belief.particles
    return {
        "heard": np.array(heard),
        "best": belief.best,
        "thetas": particles.thetas,
        "sites": particles.sites,
        "log_evidence": particles.log_evidence,
        "log_marginal": np.array(particles.log_marginal),
        "a": thought.a,
        "b": thought.b,
    }


def recalled(past: Past, known: AnswerLog, evidence: Callable[[AnswerLog], AnswerFit], most: int) -> Thought:
    """The thought that was noted after the first answers of the past."""
    memory = past.memory
    assert memory is not None
    heard = int(memory["heard"])
    answered = with_past(known, past, heard).last(most)
    prior = evidence(answered).prior
    marginal = float(memory["log_marginal"])
    particles = Particles(prior, memory["thetas"], memory["sites"], memory["log_evidence"], marginal)
    return Thought(Belief(answered, particles, memory["best"]), memory["a"], memory["b"])


def with_past(known: AnswerLog, past: Past, count: int) -> AnswerLog:
    """What was known, and the first `count` answers of the past."""
    if not count:
        return known
    added = known.add(past.a[:count], past.b[:count], past.answers[:count], past.raters[:count])
    if past.looks is not None:
        looks = past.looks[:count]
        added.looks[len(known) :] = np.where(looks < 0, -1, looks + known.looks.max(initial=-1) + 1)
    return added


def nothing_yet(n: int) -> Past:
    return Past(np.empty((0, n)), np.empty((0, n)), np.empty(0, dtype=np.int8))


def fingerprint(past: Past) -> str:
    """What distinguishes runs that were resumed, for the memory of thoughts; empty for one from the beginning."""
    if not len(past) and past.memory is None and past.pending_a is None:
        return ""
    parts = [past.a, past.b, past.looks, past.pending_a, past.pending_b, *(past.memory or {}).values()]
    digest = sha256()
    for part in parts:
        digest.update(b"-" if part is None else np.ascontiguousarray(part).tobytes())
    return digest.hexdigest()
