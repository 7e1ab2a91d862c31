"""The replicates of a cell in lockstep: all advance together; f is called once per round for the open points of all.

A call of a vectorised f costs about the same for one row as for ten, and for most problems that overhead is most of a
run's time. A problem's value of a row is the same bit for bit alone and in any batch, so a run in lockstep equals the
run alone; `tests/bench/test_lockstep.py` holds that.
"""

import hashlib
import time
import traceback
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from steelyard.bench.criteria import thresholds
from steelyard.bench.oracle_spec import is_own, make_oracle
from steelyard.bench.trace import Kept, Trace, query_grid
from steelyard.bounds import Box
from steelyard.dialogue import Algorithm, Choose, Compare, Evaluate
from steelyard.errors import BadType
from steelyard.function_oracle import FunctionOracle, PointKey, point_key, point_keys
from steelyard.oracles import Oracle, choose
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
    own: bool
    """Answered by the task's own judge: f is not evaluated for an answer."""
    open: Compare | Choose | Evaluate | None
    keys: tuple[list[PointKey], list[PointKey]] = ([], [])
    """Of the points of the open question, first side and second; one key for a side that repeats one point."""
    error: str = ""

    @property
    def status(self) -> str:
        """How it ended: "failed", "stopped" by the method itself, or "budget" used."""
        if self.error:
            return "failed"
        return "stopped" if self.session.question is None else "budget"


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


def oracle_seed(seed: int, problem: str) -> np.random.SeedSequence:
    """The random stream of the oracle in replicate `seed` on a problem: its own, apart from the method's.

    Problems that shared their noise would be less evidence than they seem.
    """
    name = int.from_bytes(hashlib.sha256(problem.encode()).digest()[:8], "little")
    return np.random.SeedSequence([seed, name])


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
    grid = query_grid(budget, checkpoints, fine=problem.judge is None)
    own = is_own(oracle)
    box = None if problem.bounds is None else Box(*problem.bounds)
    replicates = []
    for seed in seeds:
        top, base = make_oracle(oracle, problem.f, oracle_seed(seed, problem.name), problem)
        trace = Trace(problem, limits, grid, base.recall, partial(getattr, base, "nfev"))
        session = Session(algorithm, problem.x0, algorithm_seed(seed), bounds=box, log=False)
        session.watch(trace.step)
        replicates.append(Replicate(seed, session, top, base, trace, own, session.question))
    # A function may overflow far from its minimum: that is a bad value, which the oracle answers by, not a warning.
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        _advance_all(replicates, problem, budget)
        seconds = (time.perf_counter() - began) / len(replicates)
        return [_finished(replicate, seconds) for replicate in replicates]


def _advance_all(replicates: list[Replicate], problem: Problem, budget: int) -> None:
    """Round by round, until every replicate has stopped, failed or used its budget."""
    live = [replicate for replicate in replicates if _wants_more(replicate, budget)]
    while live:
        _evaluate_open_points(live, problem)
        ended = False
        for replicate in live:
            try:
                replicate.open = replicate.session.feed(_answers(replicate))
            except Exception as error:
                replicate.error = replicate.error or _told(error)
            if not _wants_more(replicate, budget):
                ended = True
        if ended:
            live = [replicate for replicate in live if _wants_more(replicate, budget)]


def _wants_more(replicate: Replicate, budget: int) -> bool:
    """Has it a question that the budget allows? One that does not fit is replaced by the part that does."""
    question, session = replicate.open, replicate.session
    if question is None or replicate.error:
        return False
    fits = question.a if type(question) is Compare else question  # the length of an array is the quicker to know
    if session.queries + len(fits) + (question.reserve or 0) > budget:
        replicate.open = session.within(budget)
    return replicate.open is not None


def _evaluate_open_points(live: list[Replicate], problem: Problem) -> None:
    """Evaluate, in one call of f, the points of all open questions that their oracles have not seen."""
    blocks: list[Array] = []
    fresh: list[tuple[FunctionOracle, list[PointKey]]] = []
    for replicate in live:
        if replicate.own:
            continue
        question, base = replicate.open, replicate.base
        known = base.known
        if type(question) is Compare:
            a, b = question.a, question.b
            if len(a) == 1:  # the hot path
                replicate.keys = keys_a, keys_b = [point_key(a)], [point_key(b)]
                if keys_a[0] not in known:
                    blocks.append(a)
                    fresh.append((base, keys_a))
                if keys_b[0] not in known and keys_b != keys_a:
                    blocks.append(b)
                    fresh.append((base, keys_b))
                continue
            # A side that repeats one point has it once.
            sides = (a[:1] if a.strides[0] == 0 else a, b[:1] if b.strides[0] == 0 else b)
        else:
            # A live replicate has a question.
            points = question.points if type(question) is Choose else question.x  # type: ignore[union-attr]
            sides = (points, points[:0])
        replicate.keys = point_keys(sides[0]), point_keys(sides[1])
        met: set[PointKey] = set()
        for side, keys in zip(sides, replicate.keys, strict=True):
            places = []
            for i, key in enumerate(keys):
                if key not in known and key not in met:
                    met.add(key)
                    places.append(i)
            if places:
                whole = len(places) == len(keys)
                blocks.append(side if whole else side[places])
                fresh.append((base, keys if whole else [keys[i] for i in places]))
    if blocks:
        _evaluate(live, blocks, fresh, problem)


def _evaluate(
    live: list[Replicate], blocks: list[Array], fresh: list[tuple[FunctionOracle, list[PointKey]]], problem: Problem
) -> None:
    try:
        values = problem.values(np.concatenate(blocks)).tolist()
    except Exception as error:
        if len(live) == 1:
            live[0].error = _told(error)
            return
        for replicate in live:  # each for itself, so that the error ends only the one whose point it is
            own = [i for i, (base, _) in enumerate(fresh) if base is replicate.base]
            if own:
                _evaluate([replicate], [blocks[i] for i in own], [fresh[i] for i in own], problem)
        return
    place = 0
    for base, keys in fresh:
        learn = base.learn
        for key in keys:
            learn(key, values[place])
            place += 1


def _answers(replicate: Replicate) -> AnyArray:
    """The answers to the open question, whose values are known by now."""
    question, base = replicate.open, replicate.base
    if replicate.error:
        raise RuntimeError(replicate.error)
    if type(question) is Choose:
        return choose(replicate.oracle, question)
    if replicate.oracle is base:
        known, (first, second) = base.known, replicate.keys
        try:
            if type(question) is Compare:
                if len(question.a) == 1:
                    return base.answer(known[first[0]], known[second[0]])
                fa, fb = np.array([known[key] for key in first]), np.array([known[key] for key in second])
                return base.signs(*np.broadcast_arrays(fa, fb)) if len(fa) != len(fb) else base.signs(fa, fb)
            return np.array([known[key] for key in first])
        except KeyError:  # forgotten again, as this run has seen many points: the oracle evaluates it anew
            if isinstance(question, Evaluate):
                return base.values(question.x)
    if type(question) is not Compare:
        raise BadType("a method in zeroth-order form needs values of f: use the oracle 'exact'")
    return replicate.oracle.compare(question.a, question.b)


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
        queries=session.spent,
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
