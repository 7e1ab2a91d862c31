import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard import (
    BadValue,
    FunctionOracle,
    LogisticOracle,
    MajorityOracle,
    NoisyOracle,
    OutOfAnswers,
    PreferOracle,
    SequentialOracle,
    Session,
    minimize,
)
from steelyard.oracles import as_oracle
from steelyard.problems import Problem, get
from steelyard.registry import make_algorithm

special = st.floats(allow_nan=True, allow_infinity=True)


def rows(*values):
    return np.array(values, dtype=float)[:, None]


def first(x):
    return x[..., 0]


@given(st.lists(st.tuples(special, special), min_size=1, max_size=8))
def test_single_and_batched_answers_agree_and_follow_the_convention(pairs):
    a, b = rows(*(p[0] for p in pairs)), rows(*(p[1] for p in pairs))
    batched = FunctionOracle(first, vectorized=True).compare(a, b)
    single = [FunctionOracle(first).compare(a[i : i + 1], b[i : i + 1])[0] for i in range(len(a))]
    assert batched.tolist() == single
    assert batched.dtype == np.int8
    for (x, y), answer in zip(pairs, single, strict=True):
        if np.isnan(x) or np.isnan(y):
            assert answer == int(np.isnan(y)) - int(np.isnan(x))  # NaN is worse than anything, and ties with itself
        else:
            assert answer == (x < y) - (y < x)


def test_each_distinct_point_is_evaluated_once():
    seen = []

    def f(x):
        seen.append(x.copy())
        return float(x @ x)

    oracle = FunctionOracle(f, vectorized=False)
    result = minimize(oracle, np.ones(30), method="stp", budget=500, rng=0)
    distinct = {x.tobytes() for x in seen}
    assert len(distinct) == len(seen) == result.nfev


def test_a_vectorised_function_is_called_with_batches_and_each_row_once():
    shapes = []

    def f(x):
        shapes.append(x.shape)
        return (x**2).sum(axis=-1)

    oracle = FunctionOracle(f)
    a = np.random.default_rng(0).normal(size=(10, 4))
    x = np.zeros(4)
    oracle.compare(np.broadcast_to(x, a.shape), a)
    oracle.compare(a, np.concatenate([a[1:], a[:1]]))
    assert max(shapes, key=len) == (10, 4)
    assert oracle.nfev == 11


def test_a_scalar_function_is_accepted_in_batches():
    oracle = FunctionOracle(lambda x: float(x[0] ** 2 + x[1] ** 2))
    a = np.arange(12.0).reshape(6, 2)
    assert oracle.compare(a[:-1], a[1:]).tolist() == [1] * 5


def test_a_function_of_one_point_that_mixes_rows_is_not_called_with_them():
    def f(x):
        return x @ np.array([1.0, -2.0, 3.0]) + np.linalg.norm(x)  # of rows: as many values, but wrong ones

    a = np.random.default_rng(0).normal(size=(5, 3))
    assert FunctionOracle(f).values(a).tolist() == [f(row) for row in a]


def test_a_forgetful_oracle_evaluates_again_but_answers_the_same():
    oracle = FunctionOracle(first, cache=2)
    points = rows(3, 1, 2)
    for _ in range(2):
        assert oracle.compare(points, rows(1, 2, 3)).tolist() == [-1, 1, 1]


def test_an_error_inside_f_leaves_the_session_resumable():
    calls = 0

    def f(x):
        nonlocal calls
        calls += 1
        if calls == 7:
            raise RuntimeError("the instrument was off")
        return float(x @ x)

    from steelyard.algorithms.stp import STP

    session = Session(STP(), np.ones(3), rng=5)
    oracle = FunctionOracle(f)
    with pytest.raises(RuntimeError, match="instrument"):
        session.run(oracle, 40)
    assert 0 < session.queries < 40
    resumed = session.run(oracle, 40)
    undisturbed = Session(STP(), np.ones(3), rng=5).run(FunctionOracle(lambda x: float(x @ x)), 40)
    np.testing.assert_array_equal(resumed.x, undisturbed.x)


def test_jnd_ties_close_values():
    oracle = FunctionOracle(first, jnd=0.5)
    assert oracle.compare(rows(0, 0, 0), rows(0.4, 0.6, -0.6)).tolist() == [0, 1, -1]
    assert oracle.compare(rows(0), rows(0.4)).tolist() == [0]
    assert oracle.compare(rows(np.inf), rows(np.inf)).tolist() == [0]


@pytest.mark.parametrize("p", [0.5, 0.7, 0.9, 1.0])
def test_noisy_oracle_is_right_with_probability_p_and_keeps_ties(p):
    oracle = NoisyOracle(FunctionOracle(first, vectorized=True), p, rng=1)
    a, b = np.zeros((20_000, 1)), np.ones((20_000, 1))
    assert abs((oracle.compare(a, b) == 1).mean() - p) < 0.01
    assert not oracle.compare(a, a).any()


def test_logistic_oracle_errs_when_the_two_are_close():
    oracle = LogisticOracle(first, scale=1.0, rng=0)
    m = 20_000
    for difference in (0.1, 1.0, 3.0):
        right = (oracle.compare(np.zeros((m, 1)), np.full((m, 1), difference)) == 1).mean()
        assert abs(right - 1 / (1 + np.exp(-difference))) < 0.012
    assert LogisticOracle(first, 1.0, 0, jnd=0.2).compare(rows(0), rows(0.1)).tolist() == [0]
    assert oracle.compare(rows(np.nan), rows(1)).tolist() == [-1]
    assert oracle.compare(rows(np.inf), rows(np.inf)).tolist() == [0]


def test_voting_makes_a_noisy_oracle_better_and_counts_its_asks():
    m = 4000
    a, b = np.zeros((m, 1)), np.ones((m, 1))
    noisy = NoisyOracle(FunctionOracle(first, vectorized=True), 0.7, rng=3)
    majority = MajorityOracle(noisy, 9)
    assert (majority.compare(a, b) == 1).mean() > 0.88  # binomial: 0.901
    assert majority.asked == 9 * m
    sequential = SequentialOracle(noisy, lead=4, most=1000)
    assert (sequential.compare(a, b) == 1).mean() > 0.95  # 1 / (1 + (3/7)^4) = 0.967
    assert abs(sequential.asked / m - 4 * (2 * 0.967 - 1) / 0.4) < 0.3  # Wald's expected number


def test_ties_settle_a_sequential_test_like_any_answer():
    oracle = SequentialOracle(FunctionOracle(first), lead=2, most=10)
    assert oracle.compare(rows(1), rows(1)).tolist() == [0]
    assert oracle.asked == 2


def test_a_judge_who_cannot_tell_is_not_asked_for_ever():
    oracle = SequentialOracle(FunctionOracle(lambda x: 0.0), lead=3)
    result = minimize(oracle, np.ones(5), method="stp", budget=100, rng=0)
    assert (result.ncmp, result.asked) == (100, 300)
    rng = np.random.default_rng(0)
    torn = SequentialOracle(lambda x, y: int(rng.integers(-1, 2)), lead=3)
    assert minimize(torn, np.ones(5), method="stp", budget=100, rng=0).asked < 15 * 100


def test_a_cap_on_all_answers_ends_the_run_in_good_order():
    noisy = NoisyOracle(FunctionOracle(first, vectorized=True), 0.7, rng=3)
    result = minimize(SequentialOracle(noisy, lead=4, total=200), [3.0], method="stp", budget=100, rng=0)
    assert 190 < result.asked <= 200 and result.ncmp < 100
    assert (result.success, result.status) == (False, 11)
    assert result.message == f"the limit of 200 answers does not allow 1 more ({result.asked} collected)"
    together = SequentialOracle(noisy, lead=9, total=50)
    assert together.compare(np.zeros((20, 1)), np.ones((20, 1))).shape == (20,) and together.asked == 50
    with pytest.raises(OutOfAnswers, match="50 answers"):
        together.compare(rows(0), rows(1))


class Model:
    """Something with several functions of a point, as a user's own object may be."""

    vectorized = True

    def values(self, x):
        raise AssertionError("nobody asked for this one")

    def loss(self, x):
        return (np.asarray(x) ** 2).sum(axis=-1)


@pytest.mark.parametrize("vectorized", [True, None, False])
def test_the_callable_that_was_given_is_the_one_evaluated(vectorized):
    oracle = FunctionOracle(Model().loss, vectorized=vectorized)
    assert oracle.compare(rows(1, 2, 3, 4), rows(2, 1, 5, 0)).tolist() == [1, -1, 1, -1]

    class Shifted(Problem):
        def f(self, x):
            return super().f(np.asarray(x) - 1.0)

    plain = get("ROSENBR")
    shifted = Shifted("shifted", plain.x0, plain.values, plain.gradients)
    for face in (shifted, shifted.f):
        assert FunctionOracle(face).values(plain.x0[None])[0] == plain.f(plain.x0 - 1.0)


def noisy_bowl(rng):
    return lambda x: float(np.sum(np.asarray(x) ** 2) + 3.0 * rng.normal())


def test_without_a_cache_the_noise_of_f_is_drawn_for_every_comparison():
    oracle = FunctionOracle(noisy_bowl(np.random.default_rng(0)), cache=False)
    answers = [int(oracle.compare(np.zeros((1, 3)), np.zeros((1, 3)))[0]) for _ in range(20)]
    assert set(answers) == {-1, 1} and oracle.nfev == 40
    batch = oracle.compare(np.broadcast_to(np.zeros(3), (20, 3)), np.zeros((20, 3)))
    assert set(batch.tolist()) == {-1, 1} and oracle.nfev == 80

    def end(cache):
        oracle = FunctionOracle(noisy_bowl(np.random.default_rng(0)), cache=cache)
        x = minimize(oracle, np.full(10, 5.0), method="stp", budget=3000, rng=0).x
        return float(np.sum(x**2))

    assert end(cache=False) < 10.0 and end(cache=True) > 200.0  # of 250 at the start: the noise is frozen there


class Foreign:
    """An oracle object of somebody's own, that answers in its own way."""

    def __init__(self, answer):
        self.answer = answer

    def compare(self, a, b):
        return self.answer((a**2).sum(axis=1), (b**2).sum(axis=1))

    def __repr__(self):
        return "my oracle"


class Scalar:
    """A number as tensor libraries have it: equal to 0 where it is false, and no `bool` for all that."""

    ndim = 0

    def __init__(self, value):
        self.value = value
        self.dtype = f"mine.{type(value).__name__}"

    def __eq__(self, other):
        return bool(self.value == other)

    def __int__(self):
        return int(self.value)

    def item(self):
        return self.value


@pytest.mark.parametrize("wrap", [np.array, Scalar, np.bool_])
@pytest.mark.parametrize("kit", [{}, {"shuffle": False}], ids=["", "in order"])
def test_truth_values_of_other_packages_are_no_ties(wrap, kit):
    result = minimize(lambda x, y: wrap(bool(x @ x < y @ y)), X0, budget=400, rng=0, **kit)
    assert result.nties == 0
    assert result.x @ result.x < 1e-6
    session = Session(make_algorithm("stp"), X0, 0)
    session.run(lambda x, y: wrap(bool(x @ x < y @ y)), 60)
    assert session.ties == 0


@pytest.mark.parametrize("answer", [np.array(2), Scalar(0.3), np.uint8(1), np.ma.masked, 1j, np.array([1]), {}])
def test_an_answer_without_a_plain_meaning_is_refused(answer):
    with pytest.raises(BadValue, match=r"prefer\(x, y\) must return"):
        minimize(lambda x, y: answer, X0, budget=40, rng=0)


X0 = np.array([1.0, -2.0, 0.5, 3.0])


def test_the_default_finds_the_minimum_of_the_function_that_the_foreign_oracles_below_compare():
    assert np.sum(minimize(FunctionOracle(lambda x: float(x @ x)), X0, budget=400, rng=0).x ** 2) < 1e-6


@pytest.mark.parametrize(
    "answer",
    [
        lambda fa, fb: fa < fb,
        lambda fa, fb: (fa < fb).tolist(),
        lambda fa, fb: np.sign(fb - fa).astype(int).tolist(),
        lambda fa, fb: np.sign(fb - fa),
        lambda fa, fb: bool(fa[0] < fb[0]) if len(fa) == 1 else fa < fb,
        lambda fa, fb: (fa < fb).astype(object),
        lambda fa, fb: [np.array(each) for each in fa < fb],
        lambda fa, fb: [Scalar(each) for each in fa < fb],
    ],
    ids=[
        *("booleans", "a list of booleans", "a list of signs", "floats", "one alone without an array", "objects"),
        *("arrays of no dimension", "numbers of another package"),
    ],
)
@pytest.mark.parametrize("wrap", [lambda o: o, lambda o: NoisyOracle(o, 1.0), lambda o: SequentialOracle(o, 2)])
def test_answers_of_any_oracle_object_are_understood(answer, wrap):
    assert np.sum(minimize(wrap(Foreign(answer)), X0, budget=400, rng=0).x ** 2) < 1e-6


@pytest.mark.parametrize(
    "answer",
    [
        lambda fa, fb: np.full(len(fa), 2),
        lambda fa, fb: np.full(len(fa), 0.3),
        lambda fa, fb: np.full(len(fa), np.nan),
        lambda fa, fb: np.ones((len(fa), 2)),
        lambda fa, fb: np.ones(len(fa) + 1),
        lambda fa, fb: None,
        lambda fa, fb: "first",
        lambda fa, fb: [None] * len(fa),
        lambda fa, fb: [[1], [2, 3]],
        lambda fa, fb: (fa < fb).astype(np.uint8),  # a kind that cannot say -1
        lambda fa, fb: list((fa < fb).astype(np.uint8)),
        lambda fa, fb: np.sign(fb - fa) + 0j,
        lambda fa, fb: np.ma.masked_array(fa < fb, mask=True),  # what is masked was not answered
    ],
)
def test_answers_without_a_plain_meaning_are_refused_and_the_oracle_is_named(answer):
    with pytest.raises(BadValue, match=r"my oracle: compare\(a, b\) must return \d+ answers?.*, got "):
        minimize(Foreign(answer), np.ones(4), budget=50, rng=0)


def test_an_oracle_may_use_the_same_array_for_all_its_answers():
    class Reusing:
        def __init__(self):
            self.answers = np.zeros(1, dtype=np.int8)

        def compare(self, a, b):
            self.answers[0] = np.sign(np.sum(b**2) - np.sum(a**2))
            return self.answers

    session = Session(make_algorithm("stp"), np.ones(3), 0)
    session.run(Reusing(), 60)
    assert {entry.answers for entry in session.log} == {(1,), (-1,)}


@pytest.mark.parametrize(("answer", "sign"), [(True, 1), (False, -1), (np.True_, 1), (0, 0), (-1, -1), (1.0, 1)])
def test_prefer_may_answer_in_several_ways(answer, sign):
    assert PreferOracle(lambda x, y: answer).compare(rows(1), rows(2)).tolist() == [sign]


@pytest.mark.parametrize("answer", [2, None, "a", 0.5, np.array([1, 0])])
def test_prefer_that_answers_nonsense_is_named(answer):
    with pytest.raises(ValueError, match="prefer"):
        PreferOracle(lambda x, y: answer).compare(rows(1), rows(2))


def test_bad_oracle_arguments_are_named():
    with pytest.raises(ValueError, match=r"p must be from 0.5 to 1, got 0.4"):
        NoisyOracle(FunctionOracle(first), 0.4)
    with pytest.raises(TypeError, match="oracle must have compare"):
        as_oracle(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="f must return a number, got None"):
        FunctionOracle(lambda x: None).compare(rows(1), rows(2))
    with pytest.raises(ValueError, match="k must be at least 1, got 0"):
        MajorityOracle(FunctionOracle(first), 0)
    with pytest.raises(ValueError, match="jnd must be a number of at least 0"):
        FunctionOracle(first, jnd=-1)


def test_prefer_cannot_change_the_points():
    def rude(x, y):
        x[:] = np.nan
        return 1

    result = minimize(rude, [1.0, 2.0], method="stp", budget=10, rng=0)
    assert np.isfinite(result.x).all()


def test_a_plain_function_marked_as_vectorised_is_called_with_rows():
    def f(rows):
        calls.append(rows.shape)
        return np.sum(rows**2, axis=-1)

    calls = []
    f.vectorized = True
    answers = FunctionOracle(f).compare(np.zeros((4, 3)), np.ones((4, 3)))
    assert answers.tolist() == [1, 1, 1, 1]
    assert len(calls) == 1
