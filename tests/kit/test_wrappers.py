import numpy as np
import pytest
from judging import Counting, badness, prefer

from steelyard import BothWays, Concurrent, Shuffled, minimize

START = np.ones(3)


def run(judge, **more):
    return minimize(judge, START, **{"budget": 200, "rng": 0, "method": "stp", **more})


def likes_the_first(x, y):
    """Right if the difference is clear, else the first."""
    difference = badness(y) - badness(x)
    return int(np.sign(difference)) if abs(difference) > 0.3 else 1


def test_shuffling_does_not_change_the_run_of_a_fair_judge():
    np.testing.assert_array_equal(run(prefer, shuffle=True).x, run(prefer, shuffle=False).x)


def test_functions_are_shuffled_by_default_and_the_liking_is_reported():
    result = run(likes_the_first)
    assert result.first_share > 0.7
    assert "the side shown first" in result.message
    assert "first_share" not in run(likes_the_first, shuffle=False)


def test_an_oracle_is_shuffled_if_it_declares_a_liking():
    class Judge:
        position_bias = True

        def compare(self, a, b):
            return np.array([likes_the_first(x, y) for x, y in zip(a, b, strict=True)])

    assert "first_share" in run(Judge())
    Judge.position_bias = False
    assert "first_share" not in run(Judge())


def test_about_half_of_the_questions_are_turned_and_the_same_ones_again():
    def turned(seed):
        seen = []
        judge = Shuffled(lambda x, y: seen.append((x, y)) or prefer(x, y), seed)
        run(judge)
        start = [bool(np.array_equal(x, START)) for x, _ in seen[:40]]
        return start, judge

    (first, judge), (again, _), (other, _) = turned(1), turned(1), turned(2)
    assert first == again != other
    assert judge.first + judge.second + judge.ties == 200
    assert 60 < judge.first < 140


def test_both_ways_takes_disagreement_for_a_tie():
    judge = Counting(likes_the_first)
    both = BothWays(judge)
    result = run(both, budget=60)
    assert judge.calls == 120 == result.calls
    assert result.nties == both.disagreed > 0
    assert both.asked == 60


def test_wrappers_go_round_concurrent():
    np.testing.assert_array_equal(run(BothWays(Concurrent(prefer, 4)), budget=60).x, run(prefer, budget=60).x)
    np.testing.assert_array_equal(run(Shuffled(Concurrent(prefer, 4)), budget=60).x, run(prefer, budget=60).x)


@pytest.mark.parametrize("wrap", [Shuffled, BothWays, Concurrent])
def test_wrappers_are_oracles_and_read_well(wrap):
    judge = wrap(prefer)
    answers = judge.compare(np.array([START, 2 * START]), np.array([2 * START, START]))
    assert answers.tolist() == [1, -1]
    assert wrap.__name__ in repr(judge)
