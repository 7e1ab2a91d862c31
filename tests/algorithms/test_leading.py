"""Which explanation of a judge's errors leads, and when a doubted judge makes the region grow."""

import numpy as np
import pytest

from steelyard import FunctionOracle, NoisyOracle, minimize
from steelyard.algorithms.bayes_quadratic.explanation import BLUR, FLIPS
from steelyard.algorithms.bayes_quadratic.geometry import Geometry
from steelyard.algorithms.bayes_quadratic.leading import LEAD, MOST_ASKED, Lead, expects_worse
from steelyard.algorithms.bayes_quadratic.mind import Mind
from steelyard.algorithms.bayes_quadratic.questions import questions
from steelyard.algorithms.bayes_quadratic.weighing import weigh
from steelyard.dialogue import drive
from steelyard.problems import get

RNG = 5


def taught(why, favourite: float, answers: int = 60) -> Mind:
    """An explanation that has heard a judge who likes what is near to `favourite` in both variables."""
    rng = np.random.default_rng(3)
    one = Mind(why, np.full(2, 0.5), np.full(2, 0.1), None, Geometry())
    a, b = rng.uniform(0.0, 1.0, (2, answers, 2))
    far = [((x - favourite) ** 2).sum(axis=1) for x in (a, b)]
    one.hear(a, b, np.where(far[0] < far[1], 1.0, -1.0))
    one.think(None)
    return one


def likes(favourite: float):
    def judge(question):
        far = [((x - favourite) ** 2).sum(axis=1) for x in (question.a, question.b)]
        return np.where(far[0] < far[1], 1, -1).astype(np.int8)

    return judge


def ahead_by_blur() -> Lead:
    lead = Lead(taught(FLIPS, 0.3), taught(BLUR, 0.7))
    lead.dim = True
    lead.ahead = 2.0 * LEAD
    assert lead.favourite is lead.blur and lead.mind is lead.flips
    return lead


def test_the_better_predictor_leads_if_the_judge_does_not_object():
    lead = ahead_by_blur()
    votes = drive(lead.contest(np.random.default_rng(RNG)), likes(0.7))
    assert lead.mind is lead.blur and 1 <= len(votes.answers) <= MOST_ASKED
    assert lead.other is lead.flips


def test_a_new_leader_whose_point_is_worse_does_not_lead_and_comes_back():
    lead = ahead_by_blur()
    before = np.linalg.norm(lead.blur.best - lead.flips.best)
    drive(lead.contest(np.random.default_rng(RNG)), likes(0.3))
    assert lead.mind is lead.flips and lead.believed <= LEAD
    np.testing.assert_array_equal(lead.blur.anchor, lead.flips.best)
    assert np.linalg.norm(lead.blur.best - lead.flips.best) < before


def test_a_new_leader_whose_point_the_old_one_expects_to_be_worse_than_the_start_must_win():
    lead = ahead_by_blur()
    lead.flips.start = lead.flips.best + 0.01  # better than what blur recommends, as flips has it
    assert expects_worse(lead.flips, lead.blur.best) and not expects_worse(lead.flips, lead.flips.best)
    drive(lead.contest(np.random.default_rng(RNG)), lambda question: np.zeros(1, dtype=np.int8))
    assert lead.mind is lead.flips


def test_the_explanations_are_weighed_also_if_all_answers_about_the_region_were_ties():
    lead = ahead_by_blur()
    lead.flips.answers[:] = 0.0
    lead.weigh(1000)
    assert np.isfinite(lead.ahead)
    lead.blur.answers[:] = 0.0
    lead.weigh(10_000)
    assert np.isfinite(lead.ahead)


def test_a_judge_that_cannot_be_blamed_for_closeness_is_not():
    lead = ahead_by_blur()
    lead.dim = False
    assert lead.favourite is lead.flips and lead.believed == 0.0
    assert lead.asker(True, np.random.default_rng(RNG)) is lead.flips


def outside(answers: int) -> Mind:
    """A minimiser far outside of the region, by random answers: little evidence that f falls that way."""
    rng = np.random.default_rng(8)
    one = Mind(FLIPS, np.zeros(4), np.full(4, 0.01), None, Geometry())
    one.doubt()
    a = rng.normal(0.0, 0.05, (answers, 4))
    one.hear(a, -a, rng.choice([-1.0, 1.0], answers))
    one.think(None)
    one.view.z[:] *= 1.01 * one.geometry.outside * one.radius / np.linalg.norm(one.view.z)
    return one


def test_of_a_doubted_judge_more_evidence_is_asked_before_the_region_grows():
    one = outside(12)
    assert one.leaves(doubted=False) and not one.leaves(doubted=True)
    one.since_growth = 10**9  # in the end it grows all the same
    assert one.leaves(doubted=True)


@pytest.mark.parametrize("n", [5, 10])
def test_a_judge_that_is_wrong_four_times_in_ten_leads_few_runs_astray(n):
    gaps = []
    for seed in range(20, 32):
        for name in ("QING?N={n}~rotated={seed}", "BROYDN3DLS?N={n}~rotated={seed}", "Ellipsoid?n={n}&condition=100"):
            problem = get(name.format(n=n, seed=seed))
            judge = NoisyOracle(FunctionOracle(problem.f), 0.6, rng=seed)
            x = minimize(judge, problem.x0, method="bayes-quadratic", budget=100, rng=seed).x
            gaps.append((problem.f(x) - problem.f_best) / (problem.f(problem.x0) - problem.f_best))
    assert np.exp(np.mean(np.log(gaps))) < 1.1
    assert np.mean(np.array(gaps) > 2.0) < 0.15


def test_an_explanation_that_was_not_fitted_since_does_not_ask_the_same_again():
    one = taught(BLUR, 0.7)
    pairs = []
    for _ in range(2):
        a, b = questions(one, 1, np.random.default_rng(RNG), blurred=False)
        pairs.append(np.sort(np.concatenate([a, b]), axis=0))
        one.hear(a, b, np.ones(1))
    assert not np.array_equal(*pairs)
    np.testing.assert_allclose(*pairs, rtol=0.1)


def asked_about_a_bowl(judge, answers: int = 150) -> Mind:
    """Questions of many lengths about a bowl, answered by what `judge` makes of the difference of f."""
    rng = np.random.default_rng(7)
    one = Mind(BLUR, np.zeros(3), np.full(3, 0.2), None, Geometry())
    middle = rng.normal(0.0, 0.1, (answers, 3))
    half = rng.normal(0.0, 1.0, (answers, 3)) * 10.0 ** rng.uniform(-1.5, 0.5, (answers, 1))
    a, b = middle + half, middle - half
    difference = (b**2).sum(axis=1) - (a**2).sum(axis=1)
    one.hear(a, b, judge(difference, rng))
    one.think(None)
    return one


def test_the_evidence_distinguishes_errors_when_close_from_flips():
    def close(difference, rng):
        return np.where(rng.random(len(difference)) < 1.0 / (1.0 + np.exp(-difference / 0.05)), 1.0, -1.0)

    def flipped(difference, rng):
        return np.sign(difference) * np.where(rng.random(len(difference)) < 0.8, 1.0, -1.0)

    assert weigh(asked_about_a_bowl(close), 0.0).ahead > LEAD
    assert weigh(asked_about_a_bowl(flipped, 300), 0.0).ahead < 0.0


def test_the_blur_is_found_in_units_of_the_model():
    """A logistic judge of scale s is about one of blur 1.7 s; f is counted in the model's units, which are relative."""
    levels = []
    for scale in (0.02, 0.2):

        def close(difference, rng, scale=scale):
            return np.where(rng.random(len(difference)) < 1.0 / (1.0 + np.exp(-difference / scale)), 1.0, -1.0)

        levels.append(weigh(asked_about_a_bowl(close, 300), 0.0).blur)
    assert 3.0 < levels[1] / levels[0] < 30.0
