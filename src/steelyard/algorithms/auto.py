"""`auto`: which method, by what is known before the first question."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from steelyard.algorithms.speculative import with_parallel
from steelyard.bounds import Box
from steelyard.checks import check_whole
from steelyard.dialogue import Algorithm, Capabilities, Dialogue
from steelyard.registry import make_algorithm
from steelyard.typing import Array

MOST_FOR_MODEL = 100
"""Up to this many variables bayes-quadratic is ahead or level (docs/results/judges.md)."""
MOST_FOR_PEOPLE, FEW_ANSWERS = 6, 60
"""A box with at most this many variables and this many answers is a task as people have it."""


class ChosenMethod(NamedTuple):
    """A method and why it was chosen, in words."""

    method: Algorithm
    why: str


@dataclass(frozen=True)
class Auto:
    """The default: a method chosen by the number of variables, the bounds and the number of answers.

    | what is known | method |
    |---|---|
    | a finite box, at most 6 variables, at most 60 answers | `preference-gp` |
    | at most 100 variables | `bayes-quadratic`, which learns from the first answers how the judge errs |
    | more | `cqn` |
    """

    answers: int | None = None
    """How many answers there will be, if known; `minimize` passes its budget."""
    batch: int | None = None
    """About how many questions are asked at once; None: as many as the method chooses."""

    capabilities: ClassVar[Capabilities] = Capabilities(in_flight="as the method chosen")

    def __post_init__(self) -> None:
        for name in ("answers", "batch"):
            if getattr(self, name) is not None:
                check_whole(name, getattr(self, name), 1)

    def method_for(self, n: int, box: Box | None) -> ChosenMethod:
        """The method for n variables in a box."""
        few = self.answers is not None and self.answers <= FEW_ANSWERS
        if few and n <= MOST_FOR_PEOPLE and box is not None and box.finite:
            why = f"a box of {_variables(n)} and {self.answers} answers"
            return ChosenMethod(self._make("preference-gp"), f"preference-gp, for {why}")
        if n <= MOST_FOR_MODEL:
            return ChosenMethod(self._make("bayes-quadratic"), f"bayes-quadratic, for {_variables(n)}")
        return ChosenMethod(self._make("cqn"), f"cqn, for {_variables(n)}")

    def run(self, x: Array, rng: np.random.Generator) -> Dialogue:
        return (yield from self.method_for(x.size, None).method.run(x, rng))

    def _make(self, name: str) -> Algorithm:
        return with_parallel(make_algorithm(name), self.batch)


def _variables(n: int) -> str:
    return "1 variable" if n == 1 else f"{n} variables"
