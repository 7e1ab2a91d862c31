import numpy as np
import pytest
from scipy.special import expit

from steelyard import Concurrent, Pool, best_of, rank, read_log
from steelyard.pools import bradley_terry
from steelyard.pools.bradley_terry import AnswerCounts, fit

STRENGTHS = np.array([0.0, 1.0, -1.0, 4.0, 2.0, 0.5, -2.0, 1.5])
ITEMS = [f"item {i}" for i in range(8)]


def strength(item):
    return STRENGTHS[int(item.split()[1])]


def exact(x, y):
    return int(np.sign(strength(x) - strength(y)))


def noisy(seed):
    rng = np.random.default_rng(seed)

    def judge(x, y):
        return bool(rng.random() < expit(strength(x) - strength(y)))

    return judge


def test_the_best_is_found_and_the_run_stops_when_it_is_sure():
    result = best_of(ITEMS, exact, budget=100, rng=0)
    assert (result.best, result.best_number) == ("item 3", 3)
    assert result.message.startswith("stop: 9")
    assert result.ncmp < 60
    assert result.probability_best[3] >= 0.95
    assert result.probability_best.sum() == pytest.approx(1.0)
    assert "item 3" in repr(result)


def test_a_noisy_judge():
    found = [best_of(ITEMS, noisy(seed), budget=40, rng=seed).best for seed in range(6)]
    assert found.count("item 3") >= 5


def test_ranking_with_intervals():
    result = rank(ITEMS, exact, budget=60, rng=0)
    assert result.ranking == tuple(np.argsort(-STRENGTHS))
    places = np.argsort(np.argsort(-STRENGTHS))
    assert ((result.low <= places) & (places <= result.high)).mean() > 0.8
    assert result.ncmp == 60


def test_ties_and_known_answers_count():
    all_alike = best_of(ITEMS, lambda x, y: 0, budget=30, rng=0)
    assert all_alike.nties == all_alike.ncmp == 30
    assert np.ptp(all_alike.strengths) < 0.2
    known = [(3, k, 1) for k in range(8) if k != 3] * 4
    informed = best_of(ITEMS, exact, budget=30, rng=0, known=known)
    assert informed.best_number == 3
    assert informed.probability_best[3] > 0.9


def test_several_at_a_time_in_any_order_give_the_same_run():
    plain = best_of(ITEMS, exact, budget=24, rng=0, parallel=4, sure=1.0)
    threads = best_of(ITEMS, Concurrent(exact, 4), budget=24, rng=0, parallel=4, sure=1.0)
    np.testing.assert_array_equal(plain.strengths, threads.strengths)
    assert plain.ncmp == 24


def test_a_log_goes_on_where_it_stopped_also_with_more_candidates(tmp_path):
    calls = 0

    def judge(x, y):
        nonlocal calls
        calls += 1
        if calls == 10:
            raise ConnectionError("away")
        return exact(x, y)

    arguments = {"budget": 20, "rng": 0, "sure": 1.0, "log": tmp_path / "a.jsonl"}
    with pytest.raises(ConnectionError) as caught:
        best_of(ITEMS[:6], judge, **arguments)
    assert caught.value.result.ncmp == 9
    result = best_of(ITEMS[:6], judge, **arguments)
    assert calls == 21
    np.testing.assert_array_equal(result.strengths, best_of(ITEMS[:6], exact, budget=20, rng=0, sure=1.0).strengths)
    grown = best_of(ITEMS, judge, **{**arguments, "budget": 30})
    assert calls == 31
    assert len(read_log(tmp_path / "a.jsonl")) == 30
    assert grown.best == "item 3"
    with pytest.raises(ValueError, match="different: items"):
        best_of(ITEMS[::-1], judge, **arguments)


def test_a_pool_grows():
    pool = Pool(ITEMS[:3], rng=0)
    for _ in range(12):
        (i, j), *_ = pool.ask()
        pool.tell(i, j, exact(pool.items[i], pool.items[j]))
    assert pool.best == "item 1"
    pool.add(ITEMS[3:])
    for _ in range(30):
        (i, j), *_ = pool.ask()
        pool.tell(i, j, exact(pool.items[i], pool.items[j]))
    assert pool.best == "item 3"
    assert "8 candidates" in repr(pool)


def test_features_tell_about_candidates_never_asked_about():
    x = np.linspace(0.0, 1.0, 40)[:, None]

    def judge(i, j):
        return int(np.sign(abs(j - 25) - abs(i - 25)))

    result = best_of(range(40), judge, budget=16, rng=0, features=x, sure=1.0)
    assert abs(result.best - 25) <= 3
    near = best_of(range(40), judge, budget=16, rng=0, features=lambda i, j: np.exp(-((i - j) ** 2) / 50), sure=1.0)
    assert abs(near.best - 25) <= 4


def test_the_model_is_bradley_terry_with_a_gaussian_prior():
    """Against quadrature over the difference d of two candidates, of which one won 7 of 10."""
    counts = AnswerCounts.of(
        np.zeros(10, dtype=np.intp), np.ones(10, dtype=np.intp), np.array([1] * 7 + [-1] * 3, np.int8)
    )
    d = np.linspace(-15.0, 15.0, 4001)
    density = np.exp(-(d**2) / (4 * 1.5**2)) * expit(d) ** 7 * expit(-d) ** 3
    density /= density.sum()
    mean = density @ d
    deviation = np.sqrt(density @ (d - mean) ** 2)
    for kernel in (2, np.eye(2)):
        beliefs = fit(counts, kernel, (1.5,))
        assert beliefs.mean[0, 0] - beliefs.mean[0, 1] == pytest.approx(mean, abs=0.05)
        covariance = beliefs.covariance[0]
        spread = np.sqrt(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1])
        assert spread == pytest.approx(deviation, rel=0.05)


def test_many_answers_are_fitted_by_another_way_to_the_same_end(monkeypatch):
    rng = np.random.default_rng(0)
    i, j = rng.integers(0, 8, 200), rng.integers(1, 8, 200)
    j = (i + j) % 8
    answers = np.where(rng.random(200) < expit(STRENGTHS[i] - STRENGTHS[j]), 1, -1).astype(np.int8)
    answers[:10] = 0
    few = fit(AnswerCounts.of(i, j, answers), 8)
    monkeypatch.setattr(bradley_terry, "MOST_PROPAGATED", 0)
    many = fit(AnswerCounts.of(i, j, answers), 8)
    np.testing.assert_allclose(few.average, many.average, atol=0.4)  # Laplace stays nearer to 0
    assert np.argsort(few.average).tolist() == np.argsort(many.average).tolist()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: best_of(["a"], exact, budget=5), "items must be at least two candidates, got 1"),
        (lambda: best_of(3, exact, budget=5), "items must be a list of candidates, got 3"),
        (lambda: best_of(ITEMS, exact, budget=0), "budget must be at least 1, got 0"),
        (lambda: best_of(ITEMS, 7, budget=5), r"oracle must have compare\(a, b\) or be a function prefer.*got 7"),
        (lambda: best_of(ITEMS, exact, budget=5, sure=2), "sure must be from 0.5 to 1, got 2"),
        (lambda: best_of(ITEMS, exact, budget=5, parallel=0), "parallel must be at least 1, got 0"),
        (lambda: best_of(ITEMS, exact, budget=5, known=[(1, 2)]), r"known must hold triples .* got \(1, 2\)"),
        (lambda: best_of(ITEMS, exact, budget=5, known=[(1, 9, 1)]), "j must be the number of a candidate.* got 9"),
        (lambda: best_of(ITEMS, exact, budget=5, features=[[1.0]]), r"features must be 8 rows .* got shape \(1, 1\)"),
        (lambda: best_of(ITEMS, exact, budget=5, time_limit=-1), "time_limit must be a positive number, got -1"),
        (lambda: Pool(ITEMS, goal="worst"), "goal must be one of best, rank, got 'worst'"),
        (lambda: Pool(ITEMS).tell(1, 1, 1), "i and j must be two different candidates, got 1 twice"),
        (lambda: Pool(ITEMS).tell(0, 1, 2), r"answer must be \+1 .* got 2"),
        (lambda: Pool(ITEMS).ask(0), "count must be at least 1, got 0"),
        (lambda: Pool(ITEMS).add(["x"], [[1.0]]), "features must be given as for the others"),
    ],
)
def test_wrong_use_is_named(wrong, message):
    with pytest.raises((ValueError, TypeError), match=message):
        wrong()
