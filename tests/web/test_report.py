"""What the page says of the result."""

from __future__ import annotations

from unittest.mock import Mock

import numpy as np
import pytest

from steelyard import FunctionOracle, Session
from steelyard.algorithms.preference_gp import PreferenceGP
from steelyard.studies.results import how_settled


def test_settled_grows_with_the_answers_and_three_are_not_many() -> None:
    progress = Mock()  # not looked at where the method has a model
    oracle = FunctionOracle(lambda x: np.square(x - 0.3).sum(axis=-1), vectorized=True)
    session = Session(PreferenceGP(particles=8), np.full(2, 0.5), rng=0, bounds=[(0.0, 1.0)] * 2)
    said = []
    for _ in range(30):
        question = session.ask()
        session.tell(oracle.compare(question.a, question.b))
        said.append(how_settled(progress, session.certainty))
    assert said[2] < 0.3 < said[14] and 0.6 < said[29] <= 1.0


@pytest.mark.parametrize(("missing", "expected"), [(0.0, 1.0), (0.09, 0.7), (1.0, 0.0), (1.7, 0.0)])
def test_settled_is_the_part_of_the_way_that_is_done(missing: float, expected: float) -> None:
    assert how_settled(Mock(), Mock(missing=missing)) == pytest.approx(expected)
