"""What recorded people do that simulated ones should do as well: how often they tie, how often they go in circles."""

from itertools import combinations
from typing import NamedTuple

import numpy as np

from steelyard.kit.audit import Share
from steelyard.real.recorded import Recorded


class Habits(NamedTuple):
    """Ties among all answers, and circles among triples of items that one person judged without a tie."""

    ties: Share
    circles: Share


def habits(answers: Recorded) -> Habits:
    """Of recorded answers; circles are not asked for where persons were not recorded."""
    ties = Share(int(np.sum(answers.answer == 0)), len(answers.answer))
    circles = whole = 0
    for person in np.unique(answers.person[answers.person >= 0]):
        mine = np.flatnonzero(answers.person == person)
        won = {
            (int(answers.first[k]), int(answers.second[k])): int(answers.answer[k]) for k in mine if answers.answer[k]
        }
        won |= {(j, i): -y for (i, j), y in won.items()}
        for a, b, c in combinations(range(len(answers.items)), 3):
            if {(a, b), (b, c), (c, a)} <= won.keys():
                whole += 1
                circles += won[a, b] == won[b, c] == won[c, a]
    return Habits(ties, Share(circles, whole))
