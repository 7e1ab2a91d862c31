"""Choices among several: their likelihood is that of one look at each thing, and sets are chosen for it."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from steelyard import FunctionOracle, Session
from steelyard.algorithms.preference_gp import PreferenceGP, model
from steelyard.algorithms.preference_gp.answers import no_answers
from steelyard.algorithms.preference_gp.coordinates import Coordinates
from steelyard.algorithms.preference_gp.particles import AnswerFit
from steelyard.algorithms.preference_gp.sets import best_set

POINTS = np.array([[0.1, 0.2], [0.5, 0.9], [0.8, 0.4], [0.3, 0.6]])


@pytest.mark.parametrize(("ranking", "ranks"), [(False, [1, 0, 1, 1]), (True, [2, 0, 3, 1])])
def test_evidence_is_that_of_one_noisy_look_at_each(monkeypatch, ranking, ranks):
    monkeypatch.setattr(model, "LAPSES", 0.0)
    answered = no_answers(2).add_choice(POINTS, np.array(ranks, dtype=np.int8), ranking)
    evidence = AnswerFit(answered, Coordinates(2))
    theta = evidence.prior.median[None]
    fit = evidence.fit(theta, np.zeros((1, 3, 2)))
    hyper = evidence.prior.unpack(theta)
    looks = hyper.kernel(POINTS, POINTS)[0] + 0.5 * np.eye(4)  # two looks differ by noise of variance 1
    order = np.argsort(ranks, kind="stable")
    rows = np.zeros((3, 4))
    for i in range(3):
        rows[i, order[i] if ranking else order[0]], rows[i, order[i + 1]] = 1.0, -1.0
    mean, K = rows @ hyper.mean(POINTS)[0], rows @ looks @ rows.T
    exact = multivariate_normal(-mean, K, seed=0).logcdf(np.zeros(3))
    assert fit.log_evidence[0] == pytest.approx(exact, abs=0.02)


def test_one_choice_is_not_three_independent_comparisons():
    """If nothing is liked more than anything else, any of four is named with 1/4, not with 1/8."""
    ranks = np.array([0, 1, 1, 1], dtype=np.int8)
    together = AnswerFit(no_answers(2).add_choice(POINTS, ranks, ranking=False), Coordinates(2))
    apart = AnswerFit(
        no_answers(2).add(np.repeat(POINTS[:1], 3, axis=0), POINTS[1:], np.ones(3, dtype=np.int8)), Coordinates(2)
    )
    theta = together.prior.median[None].copy()
    theta[0, 2] = np.log(1e-3)  # nothing is liked more than anything else
    evidence = [e.fit(theta, np.zeros((1, 3, 2))).log_evidence[0] for e in (together, apart)]
    assert evidence[1] == pytest.approx(3 * np.log(0.5), abs=0.02)
    assert evidence[0] == pytest.approx(np.log(0.25), abs=0.06)


def test_ties_and_names_are_kept():
    answered = no_answers(2).add_choice(POINTS, np.array([0, 1, 0, 1], dtype=np.int8), ranking=False, rater="anna")
    assert answered.tie.tolist() == [True, False, False]
    assert answered.raters == ("anna",) and answered.better.tolist() == [POINTS[0].tolist()] * 3
    more = answered.add_choice(POINTS, np.array([3, 1, 0, 2], dtype=np.int8), ranking=True, rater="anna")
    assert more.worse[3:].tolist() == POINTS[[1, 3, 0]].tolist()
    noise = more.shared_noise
    np.testing.assert_allclose(noise[:3, 3:], 0.0)
    np.testing.assert_allclose(noise[3:, 3:], [[1.0, -0.5, 0.0], [-0.5, 1.0, -0.5], [0.0, -0.5, 1.0]])
    assert more.add(POINTS[:1], POINTS[1:2], np.array([1], dtype=np.int8)).shared_noise[-1].tolist() == [0.0] * 7


def worth(f, felt, chosen):
    """The expected value of the best recommendation after the best of `chosen` was named, from draws."""
    named = felt[:, chosen].argmax(axis=1)
    return sum((f * (named == i)[:, None]).mean(axis=0).max() for i in range(len(chosen)))


def test_a_set_teaches_more_than_most_others(posterior):
    coordinates = posterior.hyper.coordinates
    points = coordinates.snap(np.random.default_rng(5).random((40, 3)))
    joint = posterior.joint(coordinates.features(points), np.zeros(4))
    chosen = best_set(joint, (3, 7), 4, np.arange(40), np.random.default_rng(0))
    assert chosen[:2] == [3, 7] and len(set(chosen)) == 4
    rng = np.random.default_rng(1)  # other draws, and more of them, than it was chosen by
    f = joint.draws(np.arange(40), 500, rng)
    felt = f + np.sqrt(0.5) * rng.standard_normal(f.shape)
    others = [worth(f, felt, [3, 7, *rng.choice(np.arange(8, 40), 2, replace=False)]) for _ in range(60)]
    assert worth(f, felt, chosen) > np.quantile(others, 0.9)


@pytest.mark.parametrize(("k", "ranking"), [(4, False), (3, True), (4, True)])
def test_finds_an_optimum_by_choices_and_replays(k, ranking):
    def session():
        return Session(PreferenceGP(particles=8, choose=k, ranking=ranking), [0.5] * 2, rng=1, bounds=[(0, 1)] * 2)

    s = session()
    s.run(FunctionOracle(lambda x: np.square(x - [0.3, 0.8]).sum(axis=-1), vectorized=True), 40)
    assert np.linalg.norm(s.x - [0.3, 0.8]) < 0.1
    assert len(s.ask().points) == k
    again = session()
    again.replay(s.log)
    np.testing.assert_array_equal(again.x, s.x)
    assert s.certainty.beats_start > 0.8


@pytest.mark.parametrize(
    "options", [{"choose": 5}, {"ranking": True}, {"choose": 3, "batch": 2}, {"least_difference": 1}]
)
def test_bad_options_are_named(options):
    with pytest.raises(ValueError, match="must be"):
        PreferenceGP(**options)
