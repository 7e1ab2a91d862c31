"""Recorded answers of people: how often they tie and contradict themselves, and the best university from a few of them.

Needs rdata and Debian's r-cran-bradleyterry2 (apt-get install r-cran-bradleyterry2; pip install rdata).
"""

import numpy as np

import steelyard
from steelyard.real.habits import habits
from steelyard.real.recorded import recorded
from steelyard.real.replay import ReplayedChoices, shares
from steelyard.real.tasks import missing


def main(budget: int = 150) -> tuple[str, str]:
    answers = recorded("universities")
    ties, circles = habits(answers)
    print(f"303 students about 6 universities: ties {ties}, circles among three {circles}")
    by_all = answers.items[int(np.argmax(shares(answers)))]
    replay = ReplayedChoices(answers, np.random.default_rng(2))
    found = steelyard.best_of(range(len(answers.items)), replay, budget=budget, rng=0)
    best = answers.items[found.best]
    print(f"best by all {len(answers.answer)} answers: {by_all}; by {found.ncmp} of them, replayed: {best}")
    return by_all, best


if __name__ == "__main__":
    if reason := missing("dessert"):
        raise SystemExit(reason)
    main()
