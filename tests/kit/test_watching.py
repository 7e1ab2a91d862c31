import copy
import pickle
from contextlib import nullcontext

import numpy as np
import pytest
from judging import SPACE, nicer, prefer

from steelyard import Compare, FunctionOracle, MajorityOracle, NoisyOracle, Session, Step, minimize
from steelyard import session as session_module
from steelyard.judges import BiasedOracle
from steelyard.kit import progress as progress_module
from steelyard.kit.blas import _libraries, one_thread
from steelyard.kit.progress import Progress
from steelyard.kit.watching import Contradictions, History

START = np.ones(3)


def test_history_and_plot():
    for oracle in (prefer, FunctionOracle(lambda x: float(x @ x))):
        result = minimize(oracle, START, budget=80, rng=0, method="stp")
        assert len(result.history) == result.nit
        np.testing.assert_array_equal(result.history.x[-1], result.x)
        assert (np.diff(result.history.queries) >= 0).all()
        assert len(result.plot().axes[0].lines) == 3
        assert "80 comparisons" in repr(result)
        assert "<table>" in result._repr_html_()


def test_a_long_history_is_thinned_evenly():
    history = History()
    for i in range(10_000):
        if history.due():
            history.note(i, np.array([float(i)]))
    assert 500 <= len(history) <= 1000
    assert len(set(np.diff(history.queries))) == 1


def test_a_history_keeps_what_a_method_changes_later():
    class InPlace:
        """Moves one array of integers, which it recommends again and again."""

        def run(self, x, rng):
            y = np.zeros(x.size, dtype=np.int64)
            while True:
                yield Compare(x[None], x[None] + 1.0)
                y += 1
                yield Step(y)

    kept = minimize(FunctionOracle(lambda x: float(x @ x)), START, method=InPlace(), budget=3).history.x
    np.testing.assert_array_equal(kept, [[1.0] * 3, [2.0] * 3, [3.0] * 3])


def test_callback_after_every_answer():
    steps, answers = [], []
    minimize(prefer, START, budget=40, rng=0, method="stp", callback=lambda r: steps.append(r.ncmp))
    minimize(prefer, START, budget=40, rng=0, method="stp", callback=lambda r: answers.append(r.ncmp), every="answer")
    assert answers == list(range(1, 41))
    assert steps == list(range(2, 41, 2))


def test_the_callback_may_stop_and_may_fail():
    def stop(result):
        if result.ncmp >= 10:
            raise StopIteration

    assert minimize(prefer, START, budget=40, rng=0, method="stp", callback=stop, every="answer").status == 2

    def fail(result):
        raise KeyError("disk")

    with pytest.raises(KeyError, match="disk"):
        minimize(prefer, START, budget=40, rng=0, method="stp", callback=fail, every="answer")


def test_progress_says_how_it_goes(capsys, monkeypatch):
    monkeypatch.setattr(progress_module, "LINE_EVERY", 0.0)
    minimize(prefer, START, budget=12, rng=0, method="stp", progress=True)
    said = capsys.readouterr()
    assert said.out == ""
    assert "12 of 12 comparisons" in said.err
    assert "ties 0" in said.err
    minimize(nicer, SPACE, budget=3, rng=0, method="preference-gp,particles=4", progress=True)
    assert "settled unknown" not in capsys.readouterr().err
    minimize(NoisyOracle(FunctionOracle(lambda x: float(x @ x)), 0.8, rng=0), START, budget=90, rng=0, progress=True)
    last = capsys.readouterr().err.splitlines()[-1]
    parts = ("90 of 90 comparisons", "ties 0", "contradictions 0", "errors about", "last step", "settled unknown")
    assert all(part in last for part in parts)  # the default learns the rate of errors, but keeps no certainty


def test_progress_is_quiet_unless_asked_for(capsys):
    minimize(prefer, START, budget=12, rng=0, method="stp")
    assert capsys.readouterr() == ("", "")
    assert Progress(3)._live is None  # no terminal here


def test_oracles_read_well():
    def height(x):
        return float(x @ x)

    oracle = FunctionOracle(height)
    assert repr(oracle) == "FunctionOracle(height, nfev=0)"
    assert repr(NoisyOracle(oracle, 0.9)) == "NoisyOracle(FunctionOracle(height, nfev=0), p=0.9)"
    assert repr(MajorityOracle(prefer, 3)) == "MajorityOracle(PreferOracle(prefer), k=3, asked=0)"
    assert repr(BiasedOracle(oracle, 0.2)) == "BiasedOracle(FunctionOracle(height, nfev=0), bias=0.2)"


def test_the_message_names_the_method_that_was_chosen():
    for oracle in (prefer, FunctionOracle(lambda x: float(x @ x))):
        assert "method: bayes-quadratic, for 3 variables" in minimize(oracle, START, budget=12, rng=0).message


@pytest.mark.parametrize("method", ["bayes-quadratic", "cqn", "cma-es", "one-plus-one"])
def test_small_matrices_are_thought_about_in_one_thread(method, monkeypatch):
    """Also by the default, in the most variables that it is for; a large matrix may have all threads."""
    entered = []
    monkeypatch.setattr(session_module, "one_thread", lambda: entered.append(1) or nullcontext())
    Session(method, np.ones(250), 0)
    assert entered
    entered.clear()
    if method != "bayes-quadratic":
        Session(method, np.ones(400), 0)
        assert not entered


def test_contradictions():
    seen = Contradictions()
    for a, b, answer in (("a", "b", 1), ("b", "c", 1), ("a", "c", 1)):
        seen.note(a, b, answer)
    assert seen.count == 0
    seen.note("c", "a", 1)  # turns one answer round, and closes a circle
    assert seen.count == 2
    assert seen.error_rate is None
    for k in range(100):
        seen.note("x", "y", 1 if k % 10 else -1)
    assert 0.05 < seen.error_rate < 0.2


def test_a_session_can_be_pickled_copied_saved_and_loaded(tmp_path):
    session = Session("stp,step=0.5", START, 4)
    for _ in range(9):
        question = session.ask()
        session.tell([prefer(question.a[0], question.b[0])])
    session.save(tmp_path / "session.json")
    for other in (pickle.loads(pickle.dumps(session)), copy.deepcopy(session), Session.load(tmp_path / "session.json")):
        np.testing.assert_array_equal(other.recommend(), session.recommend())
        np.testing.assert_array_equal(other.ask().b, session.ask().b)
        assert other.queries == session.queries == 9
    assert "9 comparisons" in repr(session)
    with pytest.raises(ValueError, match=r"file that Session\.save wrote"):
        (tmp_path / "other.json").write_text("{}")
        Session.load(tmp_path / "other.json")


def test_a_session_in_a_space_is_saved_with_its_unfinished_batch(tmp_path):
    session = Session("scobo", SPACE, 0)
    session.answer(1, 1)
    session.save(tmp_path / "session.json")
    other = Session.load(tmp_path / "session.json")
    assert other.unanswered == session.unanswered
    assert other.space == SPACE


def test_methods_think_in_one_thread():
    libraries = _libraries()
    if not libraries:
        pytest.skip("numpy has an algebra of another kind here")
    set_threads, get_threads = libraries[0]
    before = get_threads()
    set_threads(2)
    try:
        with one_thread():
            assert get_threads() == 1
        assert get_threads() == 2
    finally:
        set_threads(before)
