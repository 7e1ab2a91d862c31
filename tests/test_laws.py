"""Laws that every algorithm obeys: ours, those installed as plugins, and a third party's defined below."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint
from typing import Any

import numpy as np
import pytest

from steelyard import FunctionOracle, Session, registry
from steelyard.algorithms.auto import Auto
from steelyard.dialogue import Algorithm, Capabilities, Compare, Step, capabilities_of

THIRD_PARTY = "third-party"
SEED = 3


@dataclass(frozen=True)
class Wanderer:
    """A method that somebody else wrote: asks about a few neighbours in one batch and moves to a better one."""

    step: float = 0.3
    capabilities = Capabilities(in_flight="4")

    def run(self, x, rng):
        a = self.step
        while True:
            near = x + a * rng.standard_normal((4, x.size)) / np.sqrt(x.size)
            answers = yield Compare(near, np.broadcast_to(x, near.shape))
            winners = np.flatnonzero(answers > 0)
            a = a * 1.1 if winners.size else a / 1.5
            x = near[winners[0]] if winners.size else x
            yield Step(x)


@pytest.fixture(params=[*registry.algorithm_names(), THIRD_PARTY])
def algorithm(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Algorithm]:
    point = EntryPoint(THIRD_PARTY, f"{__name__}:Wanderer", registry.ALGORITHMS)
    monkeypatch.setattr(registry, "entry_points_of", lambda group: [point] if group == registry.ALGORITHMS else [])
    registry.algorithm_names.cache_clear()
    yield registry.make_algorithm(request.param)
    registry.algorithm_names.cache_clear()


# --- how the laws run a method


def budget_of(algorithm: Algorithm) -> int:
    """Methods made for people think long about each question, and are run for as many as a person would answer."""
    return 20 if needs_box(algorithm) else 250


def needs_box(algorithm: Algorithm) -> bool:
    return capabilities_of(algorithm).unit_box


def start(n: int) -> np.ndarray:
    return np.linspace(0.6, 1.2, n)


def session(algorithm: Algorithm, n: int = 4, x0: np.ndarray | None = None) -> Session:
    bounds = [(-2.0, 3.0)] * n if needs_box(algorithm) else None
    return Session(algorithm, start(n) if x0 is None else x0, SEED, bounds=bounds)


def iterates(algorithm: Algorithm, f: Any, n: int = 4, most: int = 250) -> np.ndarray:
    seen: list[np.ndarray] = []
    run = session(algorithm, n)
    run.run(FunctionOracle(f), min(budget_of(algorithm), most), lambda result: seen.append(result.x))
    return np.array([*seen, run.recommend()])


def sphere(x: np.ndarray) -> Any:
    return (x * x).sum(axis=-1)


def valley(x: np.ndarray) -> Any:
    """Curved, skew, and no two of its values alike."""
    return ((x - 0.3) ** 2).sum(axis=-1) + (x.sum(axis=-1) - 1.0) ** 4 + 0.1 * np.sin(3.0 * x).sum(axis=-1)


@cache
def in_the_valley(algorithm: Algorithm, most: int = 250) -> np.ndarray:
    """What several laws compare other runs with."""
    return iterates(algorithm, valley, most=most)


class Answering:
    """An oracle that answers by a rule and counts."""

    def __init__(self, rule: Any) -> None:
        self.rule, self.rows = rule, 0

    def compare(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        self.rows += len(a)
        return np.asarray(self.rule(a, b), dtype=np.int8)


# --- the laws


def test_same_seed_same_run(algorithm: Algorithm) -> None:
    assert np.array_equal(in_the_valley(algorithm), iterates(algorithm, valley))


@pytest.mark.parametrize("transform", [lambda v: 8.0 * v - 64.0, lambda v: np.exp(v / 4.0), lambda v: np.arctan(v)])
def test_only_the_order_of_values_matters(algorithm: Algorithm, transform: Any) -> None:
    most = 150  # some methods come so far in 250 that the rounding of the transform decides the order
    assert np.array_equal(
        in_the_valley(algorithm, most), iterates(algorithm, lambda x: transform(valley(x)), most=most)
    )


def test_the_start_and_the_questions_are_never_changed(algorithm: Algorithm) -> None:
    x0 = start(4)
    run = session(algorithm, x0=x0)
    asked: list[tuple[np.ndarray, bytes]] = []
    oracle = FunctionOracle(valley)
    while run.question is not None and run.queries < budget_of(algorithm):
        question = run.ask()
        assert isinstance(question, Compare)
        asked += [(side, side.tobytes()) for side in (question.a, question.b)]
        run.tell(oracle.compare(question.a, question.b))
    assert np.array_equal(x0, start(4))
    assert all(side.tobytes() == before for side, before in asked)
    inward = start(4)
    next(algorithm.run(inward, np.random.default_rng(0)))
    assert np.array_equal(inward, start(4))


@pytest.mark.parametrize("budget", [1, 2, 3, 10, 19])
def test_the_budget_is_never_exceeded(algorithm: Algorithm, budget: int) -> None:
    oracle = Answering(lambda a, b: np.sign(valley(b) - valley(a)))
    result = session(algorithm, n=3).run(oracle, budget)
    assert oracle.rows == result.ncmp <= budget


@pytest.mark.parametrize(("n", "budget"), [(1, 23), (4, 20), (4, 61), (30, 20), (30, 75), (200, 20), (200, 333)])
def test_the_budget_is_spent(algorithm: Algorithm, n: int, budget: int) -> None:
    if needs_box(algorithm) and (n > 4 or budget > 23):
        pytest.skip("is for few variables and few questions")
    oracle = Answering(lambda a, b: np.sign(valley(b) - valley(a)))
    result = session(algorithm, n).run(oracle, budget)
    assert oracle.rows == result.ncmp
    assert result.ncmp == budget or result.status != 1
    assert (f"budget of {budget} comparisons is used" in result.message) == (result.ncmp == budget)


def test_a_run_that_goes_on_after_its_budget_replays_as_well(algorithm: Algorithm) -> None:
    run, oracle = session(algorithm, n=7 if not needs_box(algorithm) else 2), FunctionOracle(valley)
    for budget in (1, 6, 20) if needs_box(algorithm) else (1, 6, 20, 33, 120):
        assert run.run(oracle, budget).ncmp == budget or run.question is None
        assert_same_run(replayed(algorithm, run), run)


def test_replaying_the_log_gives_the_same_run(algorithm: Algorithm) -> None:
    run = session(algorithm)
    run.run(FunctionOracle(valley), budget_of(algorithm))
    assert_same_run(replayed(algorithm, run), run)


@pytest.mark.parametrize("method", ["stp", "gld", "cma-es"])
def test_replay_and_undo_in_value_form(method: str) -> None:
    """The paper's zeroth-order form asks for values of f: they come back from the log bit for bit."""
    algorithm = registry.make_algorithm(method, {"form": "value"})
    run, oracle = session(algorithm), FunctionOracle(valley)
    run.run(oracle, 120)
    assert any(value not in (-1, 0, 1) for entry in run.log for value in entry.answers)
    assert_same_run(replayed(algorithm, run), run)
    before = session(algorithm)
    before.replay(run.log[:-1])
    while len(run.log) > len(before.log):
        run.undo()
    assert_same_run(before, run)
    run.run(oracle, 120)
    assert_same_run(replayed(algorithm, run), run)


def replayed(algorithm: Algorithm, run: Session) -> Session:
    again = Session(algorithm, run.x0, SEED, bounds=run.box)
    again.replay(run.log)
    return again


def assert_same_run(one: Session, other: Session) -> None:
    assert np.array_equal(one.recommend(), other.recommend())
    assert (one.spent, one.ties, one.steps, one.reason) == (other.spent, other.ties, other.steps, other.reason)
    assert one.log == other.log and one.unanswered == other.unanswered
    assert (one.question is None) == (other.question is None)
    for side in ("a", "b", "x"):
        assert np.array_equal(getattr(one.question, side, 0), getattr(other.question, side, 0))


def test_answers_of_a_batch_may_come_in_any_order(algorithm: Algorithm) -> None:
    whole, piecewise = session(algorithm), session(algorithm)
    oracle, shuffle = FunctionOracle(valley), np.random.default_rng(0)
    while whole.question is not None and whole.queries < min(120, budget_of(algorithm)):
        question = whole.ask()
        answers = oracle.compare(question.a, question.b)
        for row in shuffle.permutation(len(question)):
            piecewise.answer(int(row), int(answers[row]))
        whole.tell(answers)
        assert (whole.question is None) == (piecewise.question is None)
    assert np.array_equal(whole.recommend(), piecewise.recommend())


@pytest.mark.parametrize(
    "said",
    [
        lambda first: first,
        lambda first: [1 if better else -1 for better in first],
        lambda first: np.where(first, 1.0, -1.0),
    ],
    ids=["truth values", "a list", "floats"],
)
def test_answers_are_understood_however_they_are_put(algorithm: Algorithm, said: Any) -> None:
    skip_the_default(algorithm)

    class Own:
        """Somebody's own oracle."""

        def compare(self, a: np.ndarray, b: np.ndarray) -> Any:
            return said(valley(a) < valley(b))

    signs = Answering(lambda a, b: np.where(valley(a) < valley(b), 1, -1))
    ends = [session(algorithm).run(oracle, min(80, budget_of(algorithm))) for oracle in (Own(), signs)]
    assert ends[0].ncmp == ends[1].ncmp and np.array_equal(ends[0].x, ends[1].x)


def test_progress_on_the_sphere(algorithm: Algorithm) -> None:
    assert sphere(iterates(algorithm, sphere)[-1]) < 0.25 * sphere(start(4))


@pytest.mark.parametrize(
    "rule",
    [
        lambda a, b: np.zeros(len(a)),
        lambda a, b: np.ones(len(a)),
        lambda a, b: -np.ones(len(a)),
        None,
    ],
    ids=["always a tie", "always the first", "always the second", "at random"],
)
def test_answers_that_say_nothing_do_no_harm(algorithm: Algorithm, rule: Any) -> None:
    skip_the_default(algorithm)
    rng = np.random.default_rng(1)
    oracle = Answering(rule or (lambda a, b: rng.integers(-1, 2, len(a))))
    run = session(algorithm, n=3)
    result = run.run(oracle, 20 if needs_box(algorithm) else 1500)
    assert np.isfinite(result.x).all()
    assert result.ncmp >= 1

    assert not result.success, result.message  # nothing was seen that speaks for a minimum


@pytest.mark.parametrize("stairs", [True, False], ids=["a staircase", "errors when close"])
def test_success_is_claimed_at_a_minimum_only(algorithm: Algorithm, stairs: bool) -> None:
    """On a staircase none is seen: its lowest stair is flat, and at most nothing better can be distinguished from it. A
    judge that errs when the two are close shows none either."""
    if needs_box(algorithm):
        pytest.skip("does not stop by itself")
    skip_the_default(algorithm)
    rng = np.random.default_rng(2)

    def close_calls(a: np.ndarray, b: np.ndarray) -> Any:
        difference = sphere(b) - sphere(a)
        return np.where(rng.random(len(a)) < 1.0 / (1.0 + np.exp(-30.0 * difference)), 1, -1)

    def staircase(a: np.ndarray, b: np.ndarray) -> Any:
        return np.sign(np.floor(4.0 * sphere(b)) - np.floor(4.0 * sphere(a)))

    result = session(algorithm, n=3).run(Answering(staircase if stairs else close_calls), 2500)
    lowest_stair = stairs and np.floor(4.0 * sphere(result.x)) == 0.0
    assert not result.success, result.message
    assert lowest_stair or result.status != 5, result.message
    assert result.status in (1, 3, 4, 5)


def skip_the_default(algorithm: Algorithm) -> None:
    """Long runs are not made twice: what `auto` does, the method that it chooses does."""
    if isinstance(algorithm, Auto):
        pytest.skip("is the method that it chooses")


@pytest.mark.parametrize("n", [3, 101])
def test_the_default_is_the_method_that_it_chooses(n: int) -> None:
    """Question by question, and to the end: so the laws that hold for that one hold for it."""
    chosen = Auto().method_for(n, None).method
    runs = [session(algorithm, n) for algorithm in (Auto(), chosen)]
    results = [run.run(FunctionOracle(valley), 250) for run in runs]
    assert_same_run(*runs)
    assert [(result.success, result.status) for result in results] == [(False, 1)] * 2


def test_a_function_that_is_nan_somewhere_or_everywhere_is_survived(algorithm: Algorithm) -> None:
    def hole(x: np.ndarray) -> Any:
        return np.where(x[..., 0] > 0.7, np.nan, sphere(x))

    last = iterates(algorithm, hole)[-1]
    assert np.isfinite(hole(last))  # the start is no hole, and no hole is ever preferred to it
    assert np.isfinite(iterates(algorithm, lambda x: np.full(x.shape[:-1], np.nan))[-1]).all()


def test_one_variable(algorithm: Algorithm) -> None:
    assert sphere(iterates(algorithm, sphere, n=1)[-1]) < 0.5 * sphere(start(1))


def test_a_thousand_variables(algorithm: Algorithm) -> None:
    n = 1000
    if n > (capabilities_of(algorithm).max_n or n):
        pytest.skip("says of itself that it is for fewer variables")
    oracle = Answering(lambda a, b: np.sign(sphere(b) - sphere(a)))
    result = session(algorithm, n).run(oracle, 60)
    assert result.x.shape == (n,)
    assert np.isfinite(result.x).all()
    assert oracle.rows <= 60


def test_it_declares_what_it_can(algorithm):
    """Batches, and whether they can be cut, are seen from what a run asks; whoever runs a method may rely on it."""
    run, oracle = session(algorithm), FunctionOracle(lambda x: float(x @ x))
    can, several, may_be_cut = capabilities_of(run.algorithm), False, False
    while run.question is not None and run.queries < budget_of(algorithm):
        question = run.question
        several |= len(question) > 1
        may_be_cut |= question.reserve is not None
        run.feed(oracle.compare(question.a, question.b))
    assert can.batches or not several
    assert can.cut or not may_be_cut
