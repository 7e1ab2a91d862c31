"""The examples of real tasks run where what they need is installed."""

import pytest
from test_every_example import load

from steelyard.real.tasks import missing


def needs(task):
    return pytest.mark.skipif(bool(missing(task)), reason=missing(task) or "it is there")


@needs("acrobot")
def test_control_by_preference():
    before, after = load("control_by_preference").main()
    assert after < 0.5 * before


@needs("dessert")
def test_recorded_choices():
    by_all, best = load("recorded_choices").main()
    assert best == by_all == "London"


@needs("chess")
def test_chess_engine():
    before, after = load("chess_engine").main(budget=6, pairs=2)
    assert -900 < before <= 0
    assert -900 < after < 900


@needs("photo")
def test_a_judge_of_photos():
    answer, before, after = load("learned_judge").main(budget=20)
    assert answer == 1
    assert after != before


@needs("denoiser")
def test_a_judge_of_speech():
    answer, before, after = load("learned_judge").main("denoiser", budget=16)
    assert answer == 1
    assert -5 < after < before < -1  # the words that the judge did not hear sound better as well


@needs("noisy")
def test_noisy_simulation():
    before, after = load("noisy_simulation").main()
    assert after < 0.7 * before
