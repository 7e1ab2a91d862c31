"""The replicates of a cell in lockstep: all advance together, and f is called once a round for the open points of all.

A call of a vectorised f costs about the same for one row as for ten, and for most problems that overhead is most of a
run's time. A problem's value of a row is the same bit for bit alone and in any batch, so a run in lockstep equals the
run alone; `tests/bench/test_lockstep.py` holds that.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from steelyard.bench.criteria import thresholds
from steelyard.bench.oracle_spec import make_oracle
from steelyard.bench.trace import Kept, Trace, query_grid
from steelyard.dialogue import Algorithm, Compare, Evaluate
from steelyard.oracles import FunctionOracle, Oracle, PointKey, point_key
from steelyard.problems import Problem
from steelyard.session import Session
from steelyard.typing import AnyArray, Array


@dataclass(eq=False, slots=True)
class Replicate:
    """One run of the cell, and the oracle that answers it."""

    seed: int
    session: Session
    oracle: Oracle
    base: FunctionOracle
    trace: Trace
    open: Compare | Evaluate | None
    keys: tuple[PointKey, PointKey] = (b"", b"")
    """Of the two points of an open single question."""
    error: str = ""

    @property
    def status(self) -> str:
        """How it ended: "failed", "stopped" by the method itself, or "budget" used."""
        if self.error:
            return "failed"
        return "stopped" if self.open is None else "budget"


@dataclass(frozen=True)
class Finished:
    """What became of one replicate."""

    seed: int
    status: str
    reason: str
    queries: int
    steps: int
    ties: int
    evaluations: int
    queries_to: dict[str, float]
    trace: Kept
    x: Array
    seconds: float
    """The cell's wall time, shared equally among its replicates."""


def algorithm_seed(seed: int) -> np.random.SeedSequence:
    """The random stream of the method in replicate `seed`: `minimize(..., rng=algorithm_seed(3))` is the same run."""
    return np.random.SeedSequence(seed).spawn(2)[0]


def oracle_seed(seed: int) -> np.random.SeedSequence:
    """The random stream of the oracle in replicate `seed`, apart from the method's."""
    return np.random.SeedSequence(seed).spawn(2)[1]


def run_together(
    problem: Problem,
    algorithm: Algorithm,
    seeds: Sequence[int],
    budget: int,
    oracle: str = "exact",
    checkpoints: Iterable[int] = (),
) -> list[Finished]:
    """One run of `algorithm` on `problem` for each seed, of at most `budget` comparisons each.

    A run that fails (in the method or in f) ends with its error in `reason`; the others go on.
    """
    began = time.perf_counter()
    limits = thresholds(problem)
    grid = query_grid(budget, checkpoints)
    replicates = []
    for seed in seeds:
        top, base = make_oracle(oracle, problem.f, oracle_seed(seed))
        trace = Trace(problem, limits, grid, base.recall)
        session = Session(algorithm, problem.x0, algorithm_seed(seed), log=False)
        session.watch(trace.step)
        replicates.append(Replicate(seed, session, top, base, trace, session.question))
    # A function may overflow far from its minimum: that is a bad value, which the oracle answers by, not a warning.
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        _advance_all(replicates, problem, budget)
        seconds = (time.perf_counter() - began) / len(replicates)
        return [_finished(replicate, seconds) for replicate in replicates]


def _advance_all(live: list[Replicate], problem: Problem, budget: int) -> None:
    """Round by round, until every replicate has stopped, failed or used its budget."""
    while live := [replicate for replicate in live if _wants_more(replicate, budget)]:
        _evaluate_open_points(live, problem)
        for replicate in live:
            if not replicate.error:
                try:
                    replicate.open = replicate.session.feed(_answers(replicate))
                except Exception as error:
                    replicate.error = _told(error)


def _wants_more(replicate: Replicate, budget: int) -> bool:
    question = replicate.open
    if question is None or replicate.error:
        return False
    asked = len(question.a) if type(question) is Compare else len(question)
    return replicate.session.queries + asked <= budget


def _evaluate_open_points(live: list[Replicate], problem: Problem) -> None:
    """Evaluate, in one call of f, the points of all open questions that their oracles have not seen."""
    rows: list[Array] = []
    fresh: list[tuple[FunctionOracle, PointKey]] = []
    for replicate in live:
        question, base = replicate.open, replicate.base
        if type(question) is Compare and len(question.a) == 1:  # the hot path
            known = base.known
            replicate.keys = key_a, key_b = point_key(question.a), point_key(question.b)
            if key_a not in known:
                rows.append(question.a)
                fresh.append((base, key_a))
            if key_b not in known and key_b != key_a:
                rows.append(question.b)
                fresh.append((base, key_b))
        elif question is not None:
            unseen = _unseen(question, base)
            rows.extend(unseen.values())
            fresh.extend((base, key) for key in unseen)
    if not rows:
        return
    try:
        values = problem.values(np.concatenate(rows)).tolist()
    except Exception:  # at one replicate's points: find out whose
        _evaluate_apart(live, fresh, rows, problem)
        return
    for (base, key), value in zip(fresh, values, strict=True):
        base.learn(key, value)


def _unseen(question: Compare | Evaluate, base: FunctionOracle) -> dict[PointKey, Array]:
    """The points of a batch that are not known, each once."""
    known = base.known
    unseen: dict[PointKey, Array] = {}
    for side in (question.x,) if isinstance(question, Evaluate) else (question.a, question.b):
        once = side[:1] if side.strides[0] == 0 else side  # a side that repeats one point has it once
        for i, row in enumerate(once):
            if (key := point_key(row)) not in known:
                unseen[key] = once[i : i + 1]
    return unseen


def _evaluate_apart(
    live: list[Replicate], fresh: list[tuple[FunctionOracle, PointKey]], rows: list[Array], problem: Problem
) -> None:
    """As above, each replicate for itself, so that an error of f ends only the one whose point it is."""
    for replicate in live:
        own = [i for i, (base, _) in enumerate(fresh) if base is replicate.base]
        try:
            values = problem.values(np.concatenate([rows[i] for i in own])).tolist() if own else []
        except Exception as error:
            replicate.error = _told(error)
            continue
        for i, value in zip(own, values, strict=True):
            replicate.base.learn(fresh[i][1], value)


def _answers(replicate: Replicate) -> AnyArray:
    """The answers to the open question, whose values are known by now."""
    question, base = replicate.open, replicate.base
    if type(question) is Compare:
        if replicate.oracle is base and len(question.a) == 1:
            known = base.known
            key_a, key_b = replicate.keys
            if key_a in known and key_b in known:  # else forgotten again, so many points has this run seen
                return base.answer(known[key_a], known[key_b])
        return replicate.oracle.compare(question.a, question.b)
    if isinstance(question, Evaluate) and replicate.oracle is base:
        return base.values(question.x)
    raise TypeError("a method in zeroth-order form needs values of f: use the oracle 'exact'")


def _finished(replicate: Replicate, seconds: float) -> Finished:
    session, error = replicate.session, replicate.error
    try:
        kept = replicate.trace.finish()
    except Exception as trouble:  # a recommendation at which f cannot be evaluated
        replicate.error = error = error or _told(trouble)
        kept = replicate.trace.so_far()
    return Finished(
        seed=replicate.seed,
        status=replicate.status,
        reason=error or session.reason or "the budget is used",
        queries=session.queries,
        steps=session.steps,
        ties=session.ties,
        evaluations=replicate.base.nfev,
        queries_to=replicate.trace.queries_to,
        trace=kept,
        x=session.recommend(),
        seconds=seconds,
    )


def _told(error: Exception) -> str:
    """An error in one line, with the place where it happened."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({frames[-1].name}, line {frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {error}{where}"
