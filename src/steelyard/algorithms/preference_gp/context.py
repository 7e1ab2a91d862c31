"""What answers say about the person asked now: other people may have other tastes, and tastes change.

f belongs to a person and a moment. Two answers are about the same f to the extent C, by which the covariances of the
differences they are about are multiplied:

    tastes   C = 1 for answers of the same person, `agreement` for people of the same group, 0 for people of different
             groups. The groups are learnt.
    drift    C is multiplied by exp(-.5 (t / T)^2) for answers that are t answers apart, where T is learnt.

Somebody may also prefer what is shown first, whatever it is. That `bias` is one more number of unknown size, integrated
out exactly: it adds to the difference of what was shown first from what was shown second.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from steelyard.algorithms.preference_gp.answers import AnswerLog
from steelyard.typing import Array

BIAS = 0.7
"""How large a bias is, in units of the noise: a priori its deviation from 0."""
LASTING = (120.0, 0.8)
"""After how many answers a taste that drifts is a different one: median, and spread of the logarithm."""
AGREEMENT = (1.0, 0.7)
"""What people of a group have in common is Phi of this: mean and spread. The mean stands for 84 %."""


@dataclass(frozen=True)
class Context:
    """Which of these are believed in: `tastes` is the largest number of groups, 1 if all people like the same;
    `rater` is whom questions and recommendation are for."""

    tastes: int = 1
    drift: bool = False
    bias: bool = False
    rater: str = ""

    @property
    def differs(self) -> bool:
        """May two answers be about different f?"""
        return self.tastes > 1 or self.drift


@dataclass(frozen=True, eq=False)
class Setting:
    """The hyper-parameters of a context for P particles: `lasting` and `agreement` (P,), the group of each rater
    (P, raters)."""

    lasting: Array
    agreement: Array
    group: Array

    def alike(self, context: Context, answered: AnswerLog) -> tuple[Array, Array]:
        """C among the answers (P, m, m), and between them and the person asked now (P, m)."""
        rater = np.append(answered.rater, _index(context, answered))
        # The question to come is the next answer.
        number = np.arange(len(rater), dtype=float)
        P = len(self.lasting)
        alike = np.ones((P, len(rater), len(rater)))
        if context.tastes > 1:
            group = self.group[:, rater]
            alike = (group[:, :, None] == group[:, None]) * self.agreement[:, None, None]
            alike = np.where(rater[:, None] == rater, 1.0, alike)
        if context.drift:
            apart = np.square(number[:, None] - number)
            alike = alike * np.exp(-0.5 * apart / np.square(self.lasting)[:, None, None])
        return alike[:, :-1, :-1], alike[:, -1, :-1]


def group_of(taste: Array, tastes: int) -> Array:
    """The group that a standard normal `taste` stands for, all equally likely: 0 to tastes - 1."""
    return np.minimum(np.floor(ndtr(taste) * tastes), tastes - 1.0)


def shown_first(answered: AnswerLog) -> Array:
    """+1 where the winner was shown first, -1 where it was second, 0 where several were shown together."""
    sign = np.where(answered.in_front, 1.0, -1.0)
    return np.asarray(np.where(answered.looks[:, 0] >= 0, 0.0, sign))


def _index(context: Context, answered: AnswerLog) -> int:
    return answered.raters.index(context.rater) if context.rater in answered.raters else 0


ALL_THE_SAME = Context()
