"""The method as a whole, by short runs: it thinks tens of milliseconds a question."""

import numpy as np
import pytest

from steelyard import FunctionOracle, LogisticOracle, Parameter, Session, Space
from steelyard.algorithms.preference_gp import PreferenceGP
from steelyard.algorithms.preference_gp import method as method_module
from steelyard.algorithms.preference_gp.answers import no_answers
from steelyard.algorithms.preference_gp.joint import Joint


def session(n=2, seed=0, particles=8, **options):
    """Half the usual number of particles, for half the time."""
    return Session(PreferenceGP(particles=particles, **options), np.full(n, 0.5), rng=seed, bounds=[(0.0, 1.0)] * n)


def sphere(optimum):
    return FunctionOracle(lambda x: np.square(x - np.asarray(optimum)).sum(axis=-1), vectorized=True)


def drive(s, oracle, budget):
    while s.queries < budget:
        question = s.ask()
        assert (question.a != question.b).any(axis=1).all()
        s.tell(oracle.compare(question.a, question.b))
    return s.x


def test_finds_an_optimum_inside_and_one_in_a_corner():
    assert np.linalg.norm(drive(session(), sphere([0.35, 0.7]), 25) - [0.35, 0.7]) < 0.08
    assert np.linalg.norm(drive(session(), sphere([1.0, 0.0]), 25) - [1.0, 0.0]) < 0.08


def test_works_in_any_box_and_recommends_the_start_at_first():
    s = Session(PreferenceGP(particles=8), [0.0, 150.0], rng=1, bounds=[(-10, 10), (100, 200)])
    np.testing.assert_allclose(s.x, [0, 150])
    x = drive(s, FunctionOracle(lambda x: float(((x[0] - 5) / 20) ** 2 + ((x[1] - 120) / 100) ** 2)), 20)
    assert abs(x[0] - 5) < 3 and abs(x[1] - 120) < 15


@pytest.mark.parametrize("answer", [0, 1, -1, None])
def test_survives_answers_without_sense(answer):
    s = session(3)
    rng = np.random.default_rng(0)
    for _ in range(12):
        s.ask()
        s.tell([rng.integers(-1, 2) if answer is None else answer])
    assert ((s.x >= 0) & (s.x <= 1)).all()
    certainty = s.certainty
    assert np.isfinite([certainty.missing, certainty.gain]).all()


def test_ties_widen_what_cannot_be_told():
    f = FunctionOracle(lambda x: np.square(x - 0.4).sum(axis=-1), vectorized=True, jnd=0.05)
    s = session()
    assert np.square(drive(s, f, 20) - 0.4).sum() < 0.05
    assert s.ties > 0


def test_undo_and_replay_give_the_same_run_without_thinking_again(monkeypatch):
    s = session(seed=5)
    drive(s, sphere([0.2, 0.9]), 6)
    question, x = s.ask(), s.x
    s.tell([1])
    with monkeypatch.context() as patch:
        patch.setattr(method_module, "update", lambda *_: pytest.fail("thought again"))
        s.undo()
        again = session(seed=5)
        again.replay(s.log)
    np.testing.assert_array_equal(s.x, x)
    for run in (s, again):
        np.testing.assert_array_equal(run.ask().b, question.b)


def test_a_run_does_not_depend_on_what_is_remembered():
    from steelyard.algorithms.preference_gp import thought_cache as memory

    first = drive(session(seed=6), sphere([0.2, 0.9]), 6)
    memory._thoughts.clear()
    np.testing.assert_array_equal(drive(session(seed=6), sphere([0.2, 0.9]), 6), first)


def test_looking_at_the_certainty_changes_nothing_and_grows_with_answers():
    s, quiet = session(seed=7), session(seed=7)
    before = s.certainty
    drive(s, sphere([0.2, 0.8]), 20)
    after = s.certainty
    assert after.beats_start > 0.9 and after.missing < before.missing
    assert (after.high - after.low).sum() < (before.high - before.low).sum()
    assert (after.low <= s.x).all() and (s.x <= after.high).all()
    assert 0.5 <= after.beats_runner_up <= 1.0 and after.gain >= 0.0
    drive(quiet, sphere([0.2, 0.8]), 20)
    np.testing.assert_array_equal(quiet.x, s.x)


def test_after_few_answers_little_is_said_of_the_start():
    s = session(seed=7)
    said = []
    for budget in (2, 6, 20):
        drive(s, sphere([0.1, 0.9]), budget)
        said.append(s.certainty.beats_start)
    assert 0.5 < said[0] < 0.7 and said[0] < said[1] < 0.9 and said[2] > 0.9


SPACE = Space(
    (
        Parameter("size", 0.1, 10, scale="log"),
        Parameter("count", 1, 6, integer=True),
        Parameter("colour", categories=("red", "green", "blue", "black")),
    )
)


def dislike(t):
    values = SPACE.values(t)
    colour = {"red": 1.0, "green": 0.0, "blue": 0.8, "black": 1.2}[values["colour"]]
    return (np.log10(values["size"]) - 0.5) ** 2 + 0.1 * (values["count"] - 2) ** 2 + colour


def test_integers_and_categories_are_asked_on_their_levels_only():
    method = PreferenceGP(particles=8, levels=SPACE.levels, categorical=SPACE.categorical)
    s = Session(method, SPACE.start, rng=0, bounds=SPACE.bounds)
    oracle = FunctionOracle(dislike, vectorized=False)
    while s.queries < 25:
        question = s.ask()
        for t in (*question.a, *question.b):
            np.testing.assert_allclose(SPACE.snap(t), t, atol=1e-12)
        s.tell(oracle.compare(question.a, question.b))
    found = SPACE.values(s.x)
    assert found["colour"] == "green" and found["count"] in (1, 2, 3)


def test_a_parameter_frozen_in_the_middle_of_a_study_stays_and_what_was_learnt_is_kept():
    s = session(3, seed=2)
    oracle = sphere([0.3, 0.6, 0.8])
    earlier = []
    while s.queries < 20:
        question = s.ask()
        sign = oracle.compare(question.a, question.b)
        earlier.append((tuple(question.a[0]), tuple(question.b[0]), int(sign[0])))
        s.tell(sign)
    later = session(3, seed=3, frozen=(None, 0.5, None), earlier=tuple(earlier))
    assert np.linalg.norm(later.x[[0, 2]] - [0.3, 0.8]) < 0.3  # before any new answer
    for _ in range(3):
        question = later.ask()
        assert (question.a[:, 1] == 0.5).all() and (question.b[:, 1] == 0.5).all()
        later.tell(oracle.compare(question.a, question.b))
    assert later.x[1] == 0.5


def test_with_everything_frozen_there_is_nothing_to_ask():
    s = session(2, frozen=(0.5, 0.5))
    assert s.question is None and "free" in s.reason


def test_a_batch_asks_different_questions_and_any_order_of_answers_will_do():
    runs = []
    for order in ([0, 1, 2], [2, 0, 1]):
        s = session(2, seed=4, batch=3)
        for _ in range(3):
            question = s.ask()
            pairs = np.hstack([question.a, question.b])
            assert len(question) == 3 and len(np.unique(pairs.round(9), axis=0)) == 3
            answers = sphere([0.3, 0.4]).compare(question.a, question.b)
            for row in order:
                s.answer(row, int(answers[row]), rater=f"r{row}")
        runs.append(s.x)
    np.testing.assert_array_equal(*runs)


def test_an_unreliable_rater_is_found_out():
    f = FunctionOracle(lambda x: np.square(x - 0.3).sum(axis=-1), vectorized=True)
    oracles = {"good": LogisticOracle(f, 0.01, 0), "bad": LogisticOracle(f, 100.0, 1)}
    a, b = np.random.default_rng(2).random((2, 60, 2))
    names = ["good", "bad"] * 30
    signs = [int(oracles[name].compare(x[None], y[None])[0]) for name, x, y in zip(names, a, b, strict=True)]
    s = session(2, seed=1, earlier=tuple(zip(a.tolist(), b.tolist(), signs, names, strict=True)))
    noise = s.certainty.noise
    assert noise["bad"] > 2.0 * noise["good"]
    assert np.linalg.norm(s.x - 0.3) < 0.15


def test_old_answers_are_forgotten_beyond_the_memory():
    s = session(2, kept_answers=5)
    assert np.isfinite(drive(s, sphere([0.3, 0.4]), 12)).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"batch": 0}, "batch"),
        ({"particles": 2}, "particles"),
        ({"kept_answers": 0.5}, "kept_answers"),
        ({"sweeps": 0}, "sweeps"),
    ],
)
def test_bad_options_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        PreferenceGP(**options)


def test_bounds_are_needed_and_earlier_answers_checked():
    with pytest.raises(ValueError, match="bounds must be finite"):
        Session(PreferenceGP(), [0.5])
    with pytest.raises(ValueError, match="earlier"):
        session(2, earlier=(((0.1, 0.2, 0.3), (0.4, 0.5, 0.6), 1),))
    with pytest.raises(ValueError, match="earlier"):
        PreferenceGP(earlier=(((0.1,), (0.4,), 2),))


def test_answers_by_chance_are_found_out_and_clear_ones_are_not():
    rng = np.random.default_rng(3)
    a, b = rng.random((2, 40, 2))
    for signs, sense in ((rng.choice([-1, 1], 40), False), (sphere([0.3, 0.7]).compare(a, b), True)):
        s = session(2, seed=1, earlier=tuple(zip(a.tolist(), b.tolist(), signs.tolist(), strict=True)))
        certainty = s.certainty
        assert certainty.no_better_than_chance is not sense
        if sense:
            assert certainty.sense > 0.99 and certainty.missing < 0.2
        else:
            assert 0.3 < certainty.beats_start < 0.75 and certainty.missing > 0.5
            assert (certainty.high - certainty.low > 0.6).all()


def test_the_recommendation_is_tested_and_the_two_ends_can_be_told_apart():
    s = session(2, seed=8, least_difference=0.1)
    oracle = sphere([0.35, 0.65])
    asked = [s.x]  # the start is a rival though nobody was asked about it
    while s.queries < 21:
        question = s.ask()
        assert np.abs(question.a - question.b).max() >= 0.1 - 1e-9
        if s.queries in (10, 15, 20):
            np.testing.assert_allclose(question.a[0], s.x, atol=1e-12)
            assert any(np.allclose(question.b[0], point) for point in asked)
        asked += [question.a[0], question.b[0]]
        s.tell(oracle.compare(question.a, question.b))


def test_the_start_is_a_rival_though_it_was_not_asked_about():
    joint, points = two_points_and_the_start()
    first, second = points[:1].repeat(10, axis=0), points[1:2].repeat(10, axis=0)
    answered = no_answers(2).add(first, second, np.ones(10, dtype=np.int8))
    for rivals, end in ((points[:2], 1), (points, 2)):
        np.testing.assert_array_equal(method_module._test(joint, points, answered, rivals, 0.02), points[[0, end]])


def test_a_check_is_about_what_the_recommendation_is_most_certain_to_beat():
    joint, points = two_points_and_the_start()
    np.testing.assert_array_equal(method_module._check(joint, points), points[[0, 1]])


def two_points_and_the_start():
    """The recommendation, a point that is certainly worse, and the start, which may be better."""
    points = np.array([[0.2, 0.3], [0.9, 0.9], [0.5, 0.5]])
    variance = np.array([[0.1, 0.1, 4.0]])
    joint = Joint(
        np.array([[0.0, -6.0, -0.5]]),
        np.zeros(1),
        np.ones(1),
        variance,
        np.empty((1, 0, 3)),
        lambda rows: np.diag(variance[0])[None][:, rows],
    )
    return joint, points


def test_most_who_toss_are_found_out_and_nobody_who_errs_sometimes():
    told = {"tossing": 0, "honest": 0}
    for seed in range(10):
        tosses = np.random.default_rng(seed)
        tossing, honest = session(2, seed), session(2, seed)
        while tossing.queries < 60:
            tossing.ask()
            tossing.tell(tosses.choice([-1, 1], 1))
        drive(honest, LogisticOracle(sphere([0.3, 0.7]), scale=0.05, rng=seed), 40)
        told["tossing"] += tossing.certainty.no_better_than_chance
        told["honest"] += honest.certainty.no_better_than_chance
    assert told["tossing"] >= 6 and told["honest"] == 0


def test_particles_live_in_both_worlds_until_answers_decide():
    from steelyard.algorithms.preference_gp.coordinates import Coordinates
    from steelyard.algorithms.preference_gp.model import HILLY, SHORTER, Prior
    from steelyard.algorithms.preference_gp.particles import first_particles

    coordinates = Coordinates(3)
    particles = first_particles(coordinates, 64, np.random.default_rng(0))
    world = particles.thetas[:, 3 + 4] > HILLY
    assert 16 < world.sum() < 48
    length = Prior(coordinates).unpack(particles.thetas).length
    np.testing.assert_allclose(
        length / np.exp(particles.thetas[:, :3]), np.where(world, SHORTER, 1.0)[:, None] * np.ones(3)
    )
