"""Who said it, when, and in which place: tastes, drift, bias, and raters who do not look."""

import numpy as np
import pytest

from steelyard import Session
from steelyard.algorithms.preference_gp import PreferenceGP
from steelyard.algorithms.preference_gp.answers import no_answers
from steelyard.algorithms.preference_gp.context import Context, Setting, group_of
from steelyard.algorithms.preference_gp.coordinates import Coordinates
from steelyard.algorithms.preference_gp.particles import AnswerFit, first_particles, noise_of, update


def answers_about(bad, a, b):
    return np.sign(bad(b) - bad(a)).astype(np.int8)


def test_answers_count_for_the_same_person_for_the_group_and_not_for_other_groups():
    rng = np.random.default_rng(0)
    names = ("me", "friend", "stranger", "me")
    answered = no_answers(2, ("me",)).add(*rng.random((2, 4, 2)), np.ones(4, dtype=np.int8), names)
    setting = Setting(np.array([50.0]), np.array([0.8]), np.array([[0.0, 0.0, 1.0]]))
    alike, share = setting.alike(Context(tastes=2, rater="me"), answered)
    np.testing.assert_allclose(share[0], [1.0, 0.8, 0.0, 1.0])
    np.testing.assert_allclose(alike[0, 0], [1.0, 0.8, 0.0, 1.0])
    assert (np.linalg.eigvalsh(alike[0]) > -1e-12).all()
    alike, share = setting.alike(Context(drift=True), answered)
    assert (np.diff(share[0]) > 0).all() and share[0, -1] == pytest.approx(np.exp(-0.5 / 50.0**2))


def test_groups_are_equally_likely():
    group = group_of(np.random.default_rng(0).standard_normal(6000), 3)
    assert set(group) == {0.0, 1.0, 2.0} and np.bincount(group.astype(int)).min() > 1800


def posterior_lead(context, a, b, signs, point, other):
    """How much better `point` is believed to be than `other`, in the mean and in units of its deviation."""
    from steelyard.algorithms.preference_gp.posterior import Posterior

    coordinates, rng = Coordinates(a.shape[1]), np.random.default_rng(1)
    evidence = AnswerFit(no_answers(a.shape[1]).add(a, b, signs), coordinates, context)
    particles = first_particles(coordinates, 8, rng, context)
    particles, fits = update(particles, evidence, 8, 4, rng)
    thetas = particles.thetas
    posterior = Posterior(evidence.prior.unpack(thetas), evidence.points, fits, evidence.share(thetas))
    mean, variance = posterior.joint(np.array([point, other]), np.zeros(8)).difference(0)
    return mean[:, 1].mean(), (mean[:, 1] / np.sqrt(variance[:, 1])).mean()


def test_somebody_who_always_says_the_first_is_not_believed_if_there_may_be_bias():
    rng = np.random.default_rng(2)
    a, b = rng.random((2, 16, 2))
    first = np.ones(16, dtype=np.int8)
    plain, biased = (posterior_lead(Context(bias=on), a, b, first, a[0], b[0])[0] for on in (False, True))
    assert 0.0 < biased < 0.8 * plain


def test_what_was_said_last_counts_more_if_tastes_drift():
    rng = np.random.default_rng(3)
    a, b = rng.random((2, 40, 1))
    early = answers_about(lambda x: np.abs(x[:, 0] - 0.1), a, b)
    late = answers_about(lambda x: np.abs(x[:, 0] - 0.9), a, b)
    signs = np.concatenate([early[:26], late[26:]])
    stays, drifts = (posterior_lead(Context(drift=on), a, b, signs, [0.9], [0.1])[1] for on in (False, True))
    assert drifts > stays


def test_after_fifteen_answers_each_a_random_rater_is_the_least_reliable():
    rng = np.random.default_rng(5)
    names = np.repeat(["good", "fair", "random"], 15)
    a, b = rng.random((2, 45, 2))
    lead = np.square(b - 0.3).sum(axis=1) - np.square(a - 0.3).sum(axis=1)
    noisy = lead + np.where(names == "fair", 0.15, 0.01) * rng.logistic(size=45)
    signs = np.where(names == "random", rng.choice([-1, 1], 45), np.sign(noisy)).astype(np.int8)
    order = rng.permutation(45)
    answered = no_answers(2).add(a[order], b[order], signs[order], tuple(names[order]))
    coordinates = Coordinates(2)
    particles, count = first_particles(coordinates, 16, rng), 3
    while count <= 45:
        evidence = AnswerFit(answered.first(count), coordinates)
        particles, fits = update(particles, evidence, 16, 4, rng)
        count *= 2 if count < 24 else 15
    evidence = AnswerFit(answered, coordinates)
    particles, fits = update(particles, evidence, 16, 4, rng)
    noise = dict(zip(answered.raters, noise_of(fits, evidence, particles.thetas), strict=True))
    assert noise["random"] > 2.0 * max(noise["good"], noise["fair"]) and noise["good"] < noise["fair"]


def test_others_of_the_same_taste_are_listened_to_and_those_of_another_are_not():
    rng = np.random.default_rng(7)
    earlier = []
    for person in range(6):
        a, b = rng.random((2, 10, 2))
        favourite = [0.15, 0.2] if person % 2 else [0.85, 0.8]
        signs = answers_about(lambda x, at=favourite: np.square(x - at).sum(axis=1), a, b)
        earlier += list(zip(a.tolist(), b.tolist(), signs.tolist(), [f"p{person}"] * 10, strict=True))
    method = PreferenceGP(particles=8, tastes=2, rater="me", earlier=tuple(earlier))
    session = Session(method, [0.5, 0.5], rng=0, bounds=[(0.0, 1.0)] * 2)
    for _ in range(5):
        question = session.ask()
        session.tell(answers_about(lambda x: np.square(x - [0.15, 0.2]).sum(axis=1), question.a, question.b), "me")
    assert np.linalg.norm(session.x - [0.15, 0.2]) < 0.2


def test_bad_options_are_named():
    with pytest.raises(ValueError, match="tastes"):
        PreferenceGP(tastes=0)
