"""A tour of wrong uses of the library: every message names the argument, the value and what is allowed."""

import numpy as np
import pytest
from wrong import Wrong, assert_says

from steelyard import (
    BothWays,
    Concurrent,
    FunctionOracle,
    LogisticOracle,
    MajorityOracle,
    NoisyOracle,
    Parameter,
    Pool,
    SequentialOracle,
    Session,
    Shuffled,
    Space,
    Verdict,
    audit,
    best_of,
    minimize,
    problems,
    rank,
    read_log,
)
from steelyard.algorithms.cma_es import CMAES
from steelyard.algorithms.cqn import CQN
from steelyard.algorithms.gld import GLD
from steelyard.algorithms.nelder_mead import NelderMead
from steelyard.algorithms.pattern_search import PatternSearch
from steelyard.algorithms.preference_gp import PreferenceGP
from steelyard.algorithms.scobo import SCOBO
from steelyard.algorithms.signopt import SignOPT
from steelyard.algorithms.speculative import Speculative
from steelyard.algorithms.stp import STP
from steelyard.checks import check_range
from steelyard.convert import FromAskTell, FromFunction, OrderValues, is_comparison_only
from steelyard.errors import BadType


def sphere(x):
    return float(np.sum(np.square(x)))


ORACLE = FunctionOracle(sphere)
X0 = np.ones(2)


SPACE = Space((Parameter("a"),))


def prefer(x, y):
    return 0


class Answers:
    """An oracle that always gives these answers."""

    def __init__(self, answers):
        self.answers = answers

    def compare(self, a, b):
        return self.answers


class Says:
    """A method that yields something else than a question."""

    def __init__(self, word):
        self.word = word

    def run(self, x, rng):
        yield self.word


class Silent:
    """A method that is no generator."""

    def run(self, x, rng):
        return None


def run(oracle=ORACLE, x0=X0, budget=20, **more):
    return minimize(oracle, x0, budget=budget, **more)


def session(**more):
    return Session(STP(), X0, rng=0, **more)


MINIMIZE = [
    Wrong("budget", "0", "at least 1", lambda: run(budget=0)),
    Wrong("budget", "-5", "at least 1", lambda: run(budget=-5)),
    Wrong("budget", "2.5", "integer", lambda: run(budget=2.5)),
    Wrong("budget", "nan", "integer", lambda: run(budget=float("nan"))),
    Wrong("budget", "'100'", "integer", lambda: run(budget="100")),
    Wrong("budget", "True", "integer", lambda: run(budget=True)),
    Wrong("x0", "nan", "finite", lambda: run(x0=[1.0, np.nan])),
    Wrong("x0", "inf", "finite", lambda: run(x0=[np.inf, 0.0])),
    Wrong("x0", "(2, 2)", "vector", lambda: run(x0=np.ones((2, 2)))),
    Wrong("x0", "(0,)", "at least one entry", lambda: run(x0=[])),
    Wrong("x0", "'here'", "vector of numbers", lambda: run(x0="here")),
    Wrong("x0", "None", "vector of numbers", lambda: run(x0=None)),
    Wrong("method", "'stq'", "did you mean 'stp'?", lambda: run(method="stq")),
    Wrong("method", "'newton'", "one of auto, cqn, bayes-quadratic, stp", lambda: run(method="newton")),
    Wrong("method", "3", "a name or an algorithm object", lambda: run(method=3)),
    Wrong("method", "STP", "an algorithm object with run(x, rng)", lambda: run(method=STP)),
    Wrong("method", "'no_such_module:Method'", "No module named", lambda: run(method="no_such_module:Method")),
    Wrong("options", "'stepp'", "among step, directions", lambda: run(method="stp", options={"stepp": 1})),
    Wrong("options", "STP", "a method given by name", lambda: run(method=STP(), options={"step": 1})),
    Wrong("preset", "'papr'", "one of paper", lambda: run(method="stp", options={"preset": "papr"})),
    Wrong("oracle", "42", "compare(a, b)", lambda: run(oracle=42)),
    Wrong("bounds", "[(0, 1)]", "2 pairs (low, high)", lambda: run(bounds=[(0, 1)])),
    Wrong("bounds", "[0, 1]", "2 pairs (low, high)", lambda: run(bounds=[0, 1])),
    Wrong("bounds", "('a', 'b')", "2 pairs (low, high)", lambda: run(bounds=[("a", "b"), (0, 1)])),
    Wrong("bounds", "(3, 2)", "low <= high", lambda: run(bounds=[(0, 2), (3, 2)])),
    Wrong("bounds", "str", "scipy.optimize.Bounds or pairs", lambda: run(bounds="01")),
    Wrong("x0", "1 outside [2, 3]", "within bounds", lambda: run(bounds=[(0, 1), (2, 3)])),
    Wrong("bounds", "None", "finite on both sides", lambda: run(method="preference-gp")),
    Wrong("rng", "-1", "at least 0", lambda: run(rng=-1)),
    Wrong("rng", "'lucky'", "integer", lambda: run(rng="lucky")),
    Wrong("callback", "'print'", "a function", lambda: run(callback="print")),
    Wrong("prefer(x, y)", "'first'", "+1 or True", lambda: run(oracle=lambda x, y: "first")),
    Wrong("prefer(x, y)", "2", "+1 or True", lambda: run(oracle=lambda x, y: 2)),
    Wrong("prefer(x, y)", "None", "+1 or True", lambda: run(oracle=lambda x, y: None)),
    Wrong("f", "'much'", "a number", lambda: run(oracle=FunctionOracle(lambda x: "much"))),
]

JUDGES = [
    Wrong("oracle", "sphere(x)", "FunctionOracle(sphere)", lambda: run(oracle=sphere)),
    Wrong("oracle", "()", "prefer(x, y) of two points", lambda: run(oracle=lambda: 1)),
    Wrong("options", "[1]", "a dictionary", lambda: run(method="stp", options=[1])),
    Wrong("method", "'STP'", "did you mean 'stp'?", lambda: run(method="STP")),
    Wrong("option", "'step'", "name=value", lambda: run(method="stp,step")),
    Wrong("options", "'stepp'", "among step, directions", lambda: run(method="stp,stepp=1")),
    Wrong("every", "'batch'", "one of step, answer", lambda: run(oracle=prefer, every="batch")),
    Wrong("time_limit", "0", "positive", lambda: run(oracle=prefer, time_limit=0)),
    Wrong("progress", "'yes'", "true or false", lambda: run(oracle=prefer, progress="yes")),
    Wrong("parallel", "0", "at least 1", lambda: run(oracle=prefer, parallel=0)),
    Wrong("shuffle", "'no'", "true or false", lambda: run(oracle=prefer, shuffle="no")),
    Wrong("log", "3", "path of a file", lambda: run(oracle=prefer, log=3)),
    Wrong("log", "'no/such/folder/a.jsonl'", "folder that exists", lambda: run(log="no/such/folder/a.jsonl")),
    Wrong("constraints", "'x < 1'", "a function g(x)", lambda: run(oracle=prefer, constraints="x < 1")),
    Wrong("constraints", "True", "numbers", lambda: run(oracle=prefer, constraints=lambda x: True)),
    Wrong("settings", "dict", "Space", lambda: run(oracle=prefer, settings=dict)),
    Wrong("settings", "dict", "dataclass or a NamedTuple", lambda: run(prefer, SPACE, settings=dict)),
    Wrong("bounds", "[(0, 1)]", "None if x0 is a Space", lambda: run(prefer, SPACE, bounds=[(0, 1)])),
    Wrong("oracle", "FunctionOracle", "two settings in a Space", lambda: run(x0=SPACE)),
    Wrong(
        "compare(a, b)", "[1, 1]", "must return 1 answer", lambda: run(Answers([1, 1]), every="answer", method="stp")
    ),
    Wrong("judge", "7", "plain or async", lambda: Concurrent(7)),
    Wrong("judge", "BothWays", "BothWays(Concurrent(prefer))", lambda: Concurrent(BothWays(prefer))),
    Wrong("workers", "0", "at least 1", lambda: Concurrent(prefer, 0)),
    Wrong("timeout", "-1", "positive", lambda: Concurrent(prefer, timeout=-1)),
    Wrong("retries", "1.5", "integer", lambda: Concurrent(prefer, retries=1.5)),
    Wrong("backoff", "-1", "at least 0", lambda: Concurrent(prefer, backoff=-1)),
    Wrong("rate", "0", "positive", lambda: Concurrent(prefer, rate=0)),
    Wrong("cost", "-1", "at least 0", lambda: Concurrent(prefer, cost=-1)),
    Wrong("max_cost", "'5'", "at least 0", lambda: Concurrent(prefer, max_cost="5")),
    Wrong("max_calls", "-3", "at least 0", lambda: Concurrent(prefer, max_calls=-3)),
    Wrong("failed", "'skip'", "raise, tie", lambda: Concurrent(prefer, failed="skip")),
    Wrong("oracle", "42", "prefer(x, y)", lambda: Shuffled(42)),
    Wrong("seed", "-1", "at least 0", lambda: Shuffled(prefer, -1)),
    Wrong("oracle", "None", "prefer(x, y)", lambda: BothWays(None)),
    Wrong("run must yield", "'x'", "Compare(a, b)", lambda: Session(Says("x"), X0)),
    Wrong("run(x, rng)", "None", "generator", lambda: Session(Silent(), X0)),
]

KIT = [
    Wrong("parallel", "0", "at least 1", lambda: run(method="stp,parallel=0")),
    Wrong("parallel", "'many'", "integer", lambda: run(method="stp", options={"parallel": "many"})),
    Wrong("parallel", "2.5", "integer", lambda: run(parallel=2.5)),
    Wrong("batch", "0", "at least 1", lambda: CQN(batch=0)),
    Wrong("method", "3", "run(x, rng)", lambda: Speculative(3, 4)),
    Wrong("callback", "3", "a function", lambda: run(oracle=prefer, callback=3, every="answer")),
    Wrong("time_limit", "'1 h'", "positive number", lambda: run(oracle=prefer, time_limit="1 h")),
    Wrong("log", "''", "path of a file", lambda: run(oracle=prefer, log="")),
    Wrong("path", "'no_such.jsonl'", "there is none", lambda: read_log("no_such.jsonl")),
    Wrong("path", "'no_such.json'", "there is none", lambda: Session.load("no_such.json")),
    Wrong("prefer(x, y)", "7", "+1 or True", lambda: run(oracle=lambda x, y: Verdict(7))),
    Wrong("points", "3", "list of candidates or a Space", lambda: audit(prefer, 3)),
    Wrong("points", "2", "at least three", lambda: audit(prefer, [1, 2])),
    Wrong("budget", "5", "at least 12", lambda: audit(prefer, [1, 2, 3], 5)),
    Wrong("oracle", "9", "prefer(x, y)", lambda: audit(9, [1, 2, 3])),
    Wrong("items", "1", "at least two", lambda: best_of(["a"], prefer, budget=5)),
    Wrong("items", "7", "list of candidates", lambda: rank(7, prefer, budget=5)),
    Wrong("budget", "'all'", "integer", lambda: best_of("abc", prefer, budget="all")),
    Wrong("oracle", "'me'", "prefer(x, y)", lambda: best_of("abc", "me", budget=5)),
    Wrong("features", "(1, 1)", "3 rows of finite numbers", lambda: best_of("abc", prefer, budget=5, features=[[1]])),
    Wrong("features", "'big'", "rows of numbers or a kernel", lambda: best_of("abc", prefer, budget=5, features="big")),
    Wrong("known", "(0, 1)", "triples (i, j, answer)", lambda: best_of("abc", prefer, budget=5, known=[(0, 1)])),
    Wrong("sure", "0.2", "from 0.5 to 1", lambda: best_of("abc", prefer, budget=5, sure=0.2)),
    Wrong("parallel", "-1", "at least 1", lambda: best_of("abc", prefer, budget=5, parallel=-1)),
    Wrong("time_limit", "0", "positive", lambda: best_of("abc", prefer, budget=5, time_limit=0)),
    Wrong("shuffle", "1", "true or false", lambda: best_of("abc", prefer, budget=5, shuffle=1)),
    Wrong("log", "4", "path of a file", lambda: best_of("abc", prefer, budget=5, log=4)),
    Wrong("goal", "'worst'", "best, rank", lambda: Pool("abc", goal="worst")),
    Wrong("count", "0", "at least 1", lambda: Pool("abc").ask(0)),
    Wrong("answer", "'a'", "+1 (the first is better)", lambda: Pool("abc").tell(0, 1, "a")),
    Wrong("i", "5", "from 0 to 2", lambda: Pool("abc").tell(5, 1, 1)),
]

SESSION = [
    Wrong("algorithm", "42", "run(x, rng)", lambda: Session(42, X0)),
    Wrong("answer", "[2]", "+1 (the first is better)", lambda: session().tell([2])),
    Wrong("answers", "(3,)", "one value for each row asked (1)", lambda: session().tell([1, 1, 1])),
    Wrong("answer", "[True]", "+1 (the first is better)", lambda: session().tell([True])),
    Wrong("answers", "[[1, 0], [1]]", "a list or an array", lambda: session().tell([[1, 0], [1]])),
    Wrong("answers", "(1, 0)", "one value for each row", lambda: session().answer(0, [])),
    Wrong("row", "5", "from 0 to 0", lambda: session().answer(5, 1)),
    Wrong("answer", "[3]", "-1 (the second)", lambda: session().answer(0, 3)),
    Wrong("raters", "['Ada', 'Bob']", "one for each row", lambda: session().tell([1], raters=["Ada", "Bob"])),
    Wrong("undo", "no answer", "nothing to undo", lambda: session().undo()),
    Wrong("log", "no log", "log=True", lambda: session(log=False).undo()),
]

ORACLES = [
    Wrong("f", "3", "a function", lambda: FunctionOracle(3)),
    Wrong("jnd", "-1", "at least 0", lambda: FunctionOracle(sphere, jnd=-1)),
    Wrong("cache", "-1", "at least 0", lambda: FunctionOracle(sphere, cache=-1)),
    Wrong("p", "0.2", "from 0.5 to 1", lambda: NoisyOracle(ORACLE, 0.2)),
    Wrong("rng", "-1", "at least 0", lambda: NoisyOracle(ORACLE, 0.9, -1)),
    Wrong("p", "1.5", "from 0.5 to 1", lambda: NoisyOracle(ORACLE, 1.5)),
    Wrong("oracle", "'me'", "compare(a, b)", lambda: NoisyOracle("me", 0.9)),
    Wrong("scale", "-2", "at least 0", lambda: LogisticOracle(sphere, -2)),
    Wrong("k", "0", "at least 1", lambda: MajorityOracle(ORACLE, 0)),
    Wrong("k", "2.5", "integer", lambda: MajorityOracle(ORACLE, 2.5)),
    Wrong("lead", "0", "at least 1", lambda: SequentialOracle(ORACLE, 0)),
    Wrong("most", "2", "at least 3", lambda: SequentialOracle(ORACLE, 3, most=2)),
]

METHODS = [
    Wrong("step", "0", "positive", lambda: STP(step=0)),
    Wrong("step", "'big'", "positive number", lambda: STP(step="big")),
    Wrong("directions", "'cube'", "one of coordinate, gaussian, sphere, rademacher", lambda: STP(directions="cube")),
    Wrong("schedule", "'fast'", "one of constant, sqrt, success", lambda: STP(schedule="fast")),
    Wrong("form", "'3b'", "one of comparison, value", lambda: STP(form="3b")),
    Wrong("smallest", "2", "at most step", lambda: GLD(step=1, smallest=2)),
    Wrong("step", "-1", "positive", lambda: GLD(step=-1)),
    Wrong("step", "0", "positive", lambda: CMAES(step=0)),
    Wrong("sorting", "'quick'", "one of", lambda: CMAES(sorting="quick")),
    Wrong("s", "0", "positive", lambda: SCOBO(s=0)),
    Wrong("m", "0", "at least 1", lambda: SignOPT(m=0)),
    Wrong("step", "-1", "positive", lambda: NelderMead(step=-1)),
    Wrong("over_n", "'yes'", "true or false", lambda: GLD(over_n="yes")),
    Wrong("active", "1", "true or false", lambda: CMAES(active=1)),
    Wrong("line_search", "'no'", "true or false", lambda: SCOBO(line_search="no")),
    Wrong("line_search", "None", "true or false", lambda: SignOPT(line_search=None)),
    Wrong("adaptive", "'no'", "true or false", lambda: NelderMead(adaptive="no")),
    Wrong("start_line", "'no'", "true or false", lambda: CQN(start_line="no")),
    Wrong("step", "0", "positive", lambda: CQN(step=0)),
    Wrong("batch", "0", "at least 1", lambda: PreferenceGP(batch=0)),
    Wrong("make", "3", "a function of (x, rng)", lambda: FromAskTell(3)),
    Wrong("ask()", "<object", "an optimiser", lambda: Session(FromAskTell(lambda x, rng: object()), X0)),
    Wrong("method", "'nm'", "a function of (f, x, rng)", lambda: FromFunction("nm")),
    Wrong("x", "(1, 2)", "one point", lambda: OrderValues(ORACLE)(np.ones((1, 2)))),
    Wrong("budget", "1", "at least 2", lambda: is_comparison_only("stp", budget=1)),
]

SPACES = [
    Wrong("name", "''", "non-empty", lambda: Parameter("")),
    Wrong("gain", "3 and 2", "low < high", lambda: Parameter("gain", 3, 2)),
    Wrong("gain", "inf", "finite", lambda: Parameter("gain", 0, np.inf)),
    Wrong("low of gain", "0", "positive on a log scale", lambda: Parameter("gain", 0, 1, scale="log")),
    Wrong("scale of gain", "'cubic'", "linear, log", lambda: Parameter("gain", scale="cubic")),
    Wrong("gain", "0.5", "integers", lambda: Parameter("gain", 0.5, 3, integer=True)),
    Wrong("gain", "9", "from 0 to 1", lambda: Parameter("gain", start=9)),
    Wrong("categories of wave", "('sine',)", "at least two", lambda: Parameter("wave", categories=("sine",))),
    Wrong("wave", "'noise'", "one of a, b", lambda: Parameter("wave", categories=("a", "b"), start="noise")),
    Wrong("names", "'a'", "must differ", lambda: Space((Parameter("a"), Parameter("a")))),
    Wrong("point", "(3,)", "1 coordinates", lambda: Space((Parameter("a"),)).values(np.ones(3))),
    Wrong("values", "b", "given for a", lambda: Space((Parameter("a"),)).unit({"b": 1})),
    Wrong("parameter", "'colour'", "keys among name, low", lambda: Space.from_json([{"name": "a", "colour": 1}])),
]

PROBLEMS = [
    Wrong("problem", "'QINK'", "did you mean 'QING'", lambda: problems.get("QINK")),
    Wrong("QING", "M", "N", lambda: problems.get("QING", M=3)),
    Wrong("N", "0", "at least", lambda: problems.get("QING", N=0)),
    Wrong("N", "'many'", "integer", lambda: problems.get("QING?N=many")),
    Wrong("QING?N", "'QING?N'", "NAME?KEY=VALUE", lambda: problems.get("QING?N")),
    Wrong("derived", "'twisted'", "rotated, turned, shifted, moved, scaled", lambda: problems.get("QING~twisted=1")),
    Wrong("rotated", "'x'", "numbers", lambda: problems.get("QING~rotated=x")),
    Wrong("seed", "-1", "at least 0", lambda: problems.get("QING").rotated(-1)),
    Wrong("condition", "0", "positive", lambda: problems.get("QING").scaled(0)),
    Wrong("x", "(3,)", "(100,) or (m, 100)", lambda: problems.get("QING").f(np.ones(3))),
    Wrong("suite", "'paper23'", "one of paper22", lambda: problems.suite("paper23")),
    Wrong("mine_not_there:f", "'mine_not_there'", "no module", lambda: problems.get("mine_not_there:f")),
    Wrong("k", "300", "200", lambda: problems.get("MaxK", k=300)),
    Wrong("size", "-1", "at least 0", lambda: check_range("size", -1, 0)),
]

ALL = [*MINIMIZE, *JUDGES, *KIT, *SESSION, *ORACLES, *METHODS, *SPACES, *PROBLEMS]


@pytest.mark.parametrize("wrong", ALL, ids=str)
def test_the_message_names_argument_value_and_what_is_allowed(wrong):
    with pytest.raises((ValueError, TypeError, RuntimeError, OSError)) as caught:
        wrong.use()
    assert_says(str(caught.value), wrong.argument, wrong.value, wrong.allowed)


WRONG_TYPES = {
    "x0": lambda: run(x0="here"),
    "no x0": lambda: run(x0=None),
    "rng": lambda: run(rng="lucky"),
    "a fraction for rng": lambda: run(rng=1.5),
    "vectorized": lambda: FunctionOracle(abs, vectorized="yes"),
    "row": lambda: session().answer("first", 1),
    "rater": lambda: session().answer(0, 1, 3),
    "raters": lambda: session().tell([1], raters=3),
    "log": lambda: session().replay([3]),
    "no log": lambda: session().replay(None),
    "within": lambda: session().within("much"),
    "a path": lambda: Session.load(3.0),
    "the path of a log": lambda: read_log(None),
    "a space of numbers": lambda: Space([1, 2]),
    "no space": lambda: Space(None),
    "an array of choices": lambda: STP(form=np.array(["value", "comparison"])),
    "an expansion": lambda: PatternSearch(expand="twice"),
    "rng of an oracle": lambda: NoisyOracle(ORACLE, 0.9, "lucky"),
    "rng of an audit": lambda: audit(prefer, [1, 2, 3], rng="lucky"),
    "problem": lambda: problems.get(3),
    "name of a parameter": lambda: Parameter(3),
    "low of a parameter": lambda: Parameter("gain", low="none"),
    "start of a parameter": lambda: Parameter("gain", start="loud"),
    "label of a parameter": lambda: Parameter("gain", label=3),
    "integer of a parameter": lambda: Parameter("gain", integer=np.ones(2)),
    "categories of a parameter": lambda: Parameter("wave", categories=3),
    "values in a space": lambda: SPACE.unit(None),
    "a point of a space": lambda: SPACE.values(["a"]),
    "an answer": lambda: session().tell([object()]),
    "one answer": lambda: session().answer(0, None),
    "goal of a pool": lambda: Pool(["a", "b"], goal=3),
    "a candidate": lambda: Pool(["a", "b"]).tell("a", 1, 1),
    "an answer about candidates": lambda: Pool(["a", "b"]).tell(0, 1, np.zeros(2)),
    "known": lambda: best_of(["a", "b"], prefer, budget=5, known=3),
    "a file to save to": lambda: session().save(None),
    "progress": lambda: run(progress=np.zeros(2)),
}


@pytest.mark.parametrize("use", WRONG_TYPES.values(), ids=WRONG_TYPES)
def test_a_wrong_type_is_a_type_error_of_ours(use):
    with pytest.raises(BadType):
        use()
