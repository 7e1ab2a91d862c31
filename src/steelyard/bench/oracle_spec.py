"""Oracles by name, for plans and the command line.

    exact                           never wrong; jnd=.1 ties what differs by at most that
    noisy,p=.9                      each answer right with probability p
    persistent,p=.9                 the same, but wrong about a pair once is wrong about it always
    logistic,scale=2                errs when the two are close (Bradley-Terry); jnd as above
    typical,right=.85               logistic, right on 85 % of the pairs drawn from the problem's box; tied=.15 ties the
                                    closest 15 % of them
    chooser,right=.9,tied=.11       as recorded people answer (Rao and Kupper): noise as in typical, and "can't tell"
                                    where the difference felt, noise included, is small, in 11 % of such pairs
    person                          logistic with jnd, position bias and lapses; all relative
    own                             the judge that a real task brings with it; f only measures the results of a run

Any of them also takes `bias=.1` (says "the first" without looking), `lapse=.05` (tosses a coin), `majority=3` or
`sequential=4` (repeats questions), and `relative=1`: scale and jnd are then parts of f(x0) - f*.

Other packages add theirs through the entry point group `steelyard.oracles`: a name for a callable
`make(oracle, rng, **options)` that wraps the `FunctionOracle` it is given and draws from that `rng` only.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from steelyard.bench.sources import source_hash
from steelyard.checks import check_among
from steelyard.errors import BadValue
from steelyard.function_oracle import FunctionOracle
from steelyard.judges import BiasedOracle, LapsingOracle, PersistentOracle
from steelyard.noisy_oracles import LogisticOracle, MajorityOracle, NoisyOracle, SequentialOracle
from steelyard.oracles import Oracle, as_oracle
from steelyard.problems import Problem
from steelyard.real.choosing import Chooser, tie_threshold
from steelyard.registry import ORACLES, entry_points_of, parse_spec
from steelyard.typing import Array

# For each oracle its options with their defaults; None must be given.
ORACLE_OPTIONS: dict[str, dict[str, float | None]] = {
    "exact": {"jnd": 0.0},
    "noisy": {"p": None, "jnd": 0.0},
    "persistent": {"p": None, "jnd": 0.0},
    "logistic": {"scale": None, "jnd": 0.0},
    "typical": {"right": None, "tied": 0.0},
    "chooser": {"right": None, "tied": 0.0},
    "person": {"scale": 0.05, "jnd": 0.005, "bias": 0.1, "lapse": 0.05, "relative": 1.0},
    "own": {},
}
HABITS: dict[str, float | None] = {"bias": 0.0, "lapse": 0.0, "relative": 0.0}
REPEATING: dict[str, Callable[[Oracle, int], Oracle]] = {"majority": MajorityOracle, "sequential": SequentialOracle}
IN_UNITS_OF_F = ("scale", "jnd")
CACHED_IN_BENCH = 2**16
"""Values that an oracle remembers; a method seldom goes back further, and 5 runs of it fit into 50 MB."""
TYPICAL_PAIRS = 2000


def make_oracle(
    spec: str, f: Callable[..., Any], seed: np.random.SeedSequence, problem: Problem | None = None
) -> tuple[Oracle, FunctionOracle]:
    """The oracle that a spec names, over f, and the one inside it that evaluates f.

    `problem` is what f belongs to: relative options and `typical` need to know it.
    """
    name, options = _checked(spec)
    repeat = {key: options.pop(key) for key in REPEATING if key in options}
    habits = {key: options.pop(key, 0.0) for key in HABITS} if name in ORACLE_OPTIONS else {}
    if habits.get("relative") and problem is not None:
        unit = way_down(problem)
        options = {key: value * unit if key in IN_UNITS_OF_F else value for key, value in options.items()}
    rng = np.random.default_rng(seed)
    # Logistic oracles and those of plugins make their ties themselves.
    ties = options["jnd"] if name in ("exact", "noisy", "persistent") else 0.0
    base = FunctionOracle(f, vectorized=True, cache=CACHED_IN_BENCH, jnd=ties)
    made: dict[str, Callable[[], Oracle]] = {
        "exact": lambda: base,
        "noisy": lambda: NoisyOracle(base, options["p"], rng),
        "persistent": lambda: PersistentOracle(base, options["p"], int(seed.generate_state(1)[0])),
        "typical": lambda: LogisticOracle(base, rng=rng, **_typical(problem, **options)),
        "chooser": lambda: _chooser(base, rng, problem, **options),
        "logistic": lambda: LogisticOracle(base, options["scale"], rng, jnd=options["jnd"]),
        "person": lambda: LogisticOracle(base, options["scale"], rng, jnd=options["jnd"]),
        "own": lambda: base if problem is None else _own(problem, rng),
    }
    oracle = made[name]() if name in made else as_oracle(plugins()[name](base, rng, **options))
    if habits.get("bias"):
        oracle = BiasedOracle(oracle, habits["bias"], rng)
    if habits.get("lapse"):
        oracle = LapsingOracle(oracle, habits["lapse"], rng)
    for key, times in repeat.items():
        oracle = REPEATING[key](oracle, int(times))
    return oracle, base


@cache
def canonical_oracle(spec: str) -> str:
    """The spec with its options in order, without defaults: one text for one oracle. An invalid spec is refused."""
    make_oracle(spec, abs, np.random.SeedSequence(0))
    name, options = _checked(spec)
    usual = {**HABITS, **ORACLE_OPTIONS.get(name, {})}
    changed = {key: value for key, value in options.items() if value != usual.get(key)}
    return ",".join([name, *(f"{key}={value:g}" for key, value in sorted(changed.items()))])


def oracle_identity(spec: str) -> str:
    """One text for one oracle, with the source of one that another package brings; ours are part of the harness."""
    name, made = parse_spec(spec)[0], canonical_oracle(spec)
    return f"{made} {source_hash([plugins()[name].__module__])}" if name in plugins() else made


def gives_values(spec: str) -> bool:
    """Whether a method that sees values of f can be run with it: only a judge that is never wrong has them."""
    return canonical_oracle(spec) == "exact"


def is_own(spec: str) -> bool:
    """Whether the answers come from the task's own judge rather than from f."""
    return parse_spec(spec)[0] == "own"


def way_down(problem: Problem) -> float:
    """f(x0) - f*: what relative options are parts of."""
    if problem.f_best is None:
        raise BadValue(f"relative options need the best value of the problem, which is not known for {problem.name}")
    return float(problem.f(problem.x0)) - problem.f_best


def logistic_scale(gaps: Array, right: float) -> float:
    """The scale of logistic noise with which pairs with these gaps are answered right this often on average."""
    from scipy.optimize import brentq  # slow to import
    from scipy.special import expit

    return float(np.exp(brentq(lambda log_scale: expit(gaps / np.exp(log_scale)).mean() - right, -12.0, 6.0)))


@cache
def plugins() -> dict[str, Callable[..., Oracle]]:
    """The oracles of other packages; ours cannot be replaced."""
    return {point.name: point.load() for point in entry_points_of(ORACLES) if point.name not in ORACLE_OPTIONS}


def _own(problem: Problem, rng: np.random.Generator) -> Oracle:
    if problem.judge is None:
        raise BadValue(f"the oracle own is for tasks that bring their own judge, and {problem.name} does not")
    return as_oracle(problem.judge(rng))


def _typical(problem: Problem | None, right: float, tied: float) -> dict[str, float]:
    """The scale and the just-noticeable difference of a judge who is right this often on pairs from the box."""
    gaps = _typical_gaps(problem, right, tied)
    return {"scale": logistic_scale(gaps, right), "jnd": float(np.quantile(gaps, tied)) if tied else 0.0}


def _chooser(
    base: FunctionOracle, rng: np.random.Generator, problem: Problem | None, right: float, tied: float
) -> Chooser:
    gaps = _typical_gaps(problem, right, tied)
    scale = logistic_scale(gaps, right)
    worst = np.finfo(np.float64).max / 4.0
    return Chooser(
        lambda x: np.nan_to_num(-base.values(x) / scale, nan=-worst, posinf=worst, neginf=-worst),
        tie_threshold(gaps / scale, tied),
        rng,
    )


def _typical_gaps(problem: Problem | None, right: float, tied: float) -> Array:
    """By how much f differs between the two of pairs drawn from the box."""
    if not 0.5 < right < 1.0 or not 0.0 <= tied < 1.0:
        raise BadValue(f"right must lie between 0.5 and 1 and tied between 0 and 1, got {right:g} and {tied:g}")
    if problem is None:
        return np.ones(1)
    if problem.bounds is None:
        raise BadValue(f"the typical pairs of this judge are drawn from a box, and {problem.name} has none")
    low, high = problem.bounds
    pairs = low + (high - low) * np.random.default_rng([problem.n, 22]).random((2, TYPICAL_PAIRS, problem.n))
    return np.asarray(np.abs(problem.values(pairs[0]) - problem.values(pairs[1])))


def _checked(spec: str) -> tuple[str, dict[str, float]]:
    name, given = parse_spec(spec)
    if name not in ORACLE_OPTIONS and name not in plugins():
        raise BadValue(f"oracle must be one of {', '.join([*ORACLE_OPTIONS, *plugins()])}, got {name!r} in {spec!r}")
    allowed = [*ORACLE_OPTIONS.get(name, given), *(HABITS if name in ORACLE_OPTIONS else ()), *REPEATING]
    check_among(f"options of oracle {name} must be among", given, dict.fromkeys(allowed))
    if len([key for key in REPEATING if key in given]) == 2:
        raise BadValue(f"an oracle repeats questions by majority or by a sequential test, not both: {spec!r}")
    options = {**ORACLE_OPTIONS.get(name, {}), **given}
    for key, value in options.items():
        whether = key == "relative" and value in (0, 1)
        if not whether and (isinstance(value, bool) or not isinstance(value, int | float)):
            raise BadValue(f"option {key} of oracle {name} must be a number, got {value!r} in {spec!r}")
    return name, {key: float(value) for key, value in options.items() if value is not None}
