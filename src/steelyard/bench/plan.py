"""What to run: problems x algorithms x judges x seeds, for one budget.

Everything in a plan is a name, so it can be saved as TOML with the results and its cells can be rebuilt elsewhere.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, get_args

import numpy as np

from steelyard.bench.best_value import BestValue
from steelyard.bench.methods import Shape, algorithm_from, algorithm_identity, unfit
from steelyard.bench.oracle_spec import canonical_oracle, oracle_identity
from steelyard.bench.sources import problem_hash
from steelyard.checks import check_among, check_budget, check_choice, check_positive, check_whole
from steelyard.errors import BadValue
from steelyard.problems import SUITES, get
from steelyard.real.tasks import skipped
from steelyard.toml_file import read_toml
from steelyard.version import __version__

RECORD_FORMAT = 3
"""Raised whenever old records would not compare with new ones: the old ones are then ignored."""

GAP_KINDS = ("relative", "absolute")


@dataclass(frozen=True)
class Cell:
    """The runs of one algorithm on one problem, which advance together: one run for each seed."""

    problem: str
    algorithm: str
    oracle: str
    budget: int
    seeds: tuple[int, ...]
    checkpoints: tuple[int, ...] = ()
    f_best: BestValue = "known"

    def key(self, seed: int) -> str:
        """The identity of one run: a hash of everything that changes its result, the source code included."""
        identity = {
            "format": RECORD_FORMAT,
            "version": __version__,
            "problem": problem_name(self.problem),
            "problem source": problem_source(self.problem),
            "algorithm": algorithm_identity(self.algorithm),
            "oracle": oracle_identity(self.oracle),
            "budget": self.budget,
            "checkpoints": sorted(set(self.checkpoints)),
            "f_best": "descent" if self.f_best == "descent" else "known",
            "seed": seed,
        }
        return hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:24]

    def only(self, seeds: Iterable[int]) -> Cell:
        """The same cell with some of its seeds."""
        return dataclasses.replace(self, seeds=tuple(seeds))


@dataclass(frozen=True)
class Plan:
    """Problems x algorithms x judges x seeds: a TOML file with these keys, or the same in Python."""

    problems: Sequence[str] | Mapping[str, Sequence[str]]
    """Names, or suites written `suite:paper22`; or groups of them by name, which tables keep apart. `{n}` in a name
    stands for each of `n`, `{seed}` for the seed of the run: `QING?N={n}~rotated={seed}`."""
    algorithms: Sequence[str]
    """Methods with options: `gld,step=.1`, `scipy,name=Powell`, `mypkg:Method`. One that cannot be run on a problem
    (it needs a box, is for fewer variables, or sees values that a judge has not) is left out there."""
    budget: int = 10_000
    """Comparisons per run; values of f, for a method that sees them."""
    seeds: int = 5
    """How many seeds, from `first_seed` on."""
    oracle: str | Sequence[str] = "exact"
    """Who answers: a judge, or several. The noise of each problem and seed is a random stream of its own."""
    checkpoints: Sequence[int] = ()
    """Query counts at which the value of the recommendation is wanted exactly."""
    n: Sequence[int] = ()
    """The numbers that `{n}` stands for."""
    default: str = ""
    """The method that tables of gaps compare with the best; the first, if empty."""
    f_best: BestValue = "known"
    """What a run is judged against: the best `known` value, what a `descent` with gradients finds from x0, or the
    best value `found` by any run of the plan."""
    gap: str = "relative"
    """Gaps are `relative` to f(x0) - f*, or `absolute`."""
    floor: float = 1e-10
    """Gaps below this count as this: they are rounding, or nobody cares."""
    caps: Mapping[str, int] = field(default_factory=dict)
    """The most comparisons of methods that are too slow for the whole budget."""
    first_seed: int = 0
    """Another one gives fresh instances."""
    title: str = ""
    """What the plan is about."""
    per_variable: int = 0
    """If given, a run has at most this many comparisons per variable of its problem, too."""

    def __post_init__(self) -> None:
        def put(name: str, value: object) -> None:
            object.__setattr__(self, name, value)

        problems = self.problems
        put("problems", _groups(problems) if isinstance(problems, Mapping) else _names("problems", problems))
        put("algorithms", _names("algorithms", self.algorithms))
        put("budget", check_budget(self.budget))
        put("per_variable", check_whole("per_variable", self.per_variable, 0))
        put("seeds", check_whole("seeds", self.seeds, 1))
        put("first_seed", check_whole("first_seed", self.first_seed, 0))
        put("checkpoints", tuple(check_whole("checkpoints", c, 1) for c in _listed("checkpoints", self.checkpoints)))
        put("n", tuple(check_whole("n", n, 1) for n in _listed("n", self.n)))
        oracles = tuple(dict.fromkeys(map(canonical_oracle, self.oracles)))
        put("oracle", oracles[0] if isinstance(self.oracle, str) else oracles)
        check_choice("f_best", self.f_best, get_args(BestValue))
        check_choice("gap", self.gap, GAP_KINDS)
        put("floor", check_positive("floor", self.floor))
        if self.default and self.default not in self.algorithms:
            raise BadValue(f"default must be one of {', '.join(self.algorithms)}, got {self.default!r}")
        if not isinstance(self.caps, Mapping):
            raise BadValue(f"caps must be a table of methods and numbers, got {self.caps!r}")
        for method in self.caps:
            if method not in self.algorithms:
                raise BadValue(f"caps must name methods of the plan ({', '.join(self.algorithms)}), got {method!r}")
        put("caps", {method: check_budget(cap) for method, cap in self.caps.items()})
        for algorithm in self.algorithms:
            algorithm_from(algorithm)
        self._check_fit()

    @property
    def oracles(self) -> tuple[str, ...]:
        """All judges."""
        if isinstance(self.oracle, str):
            return (self.oracle,)
        return _names("oracle", self.oracle)

    @property
    def default_method(self) -> str:
        """The method that the others are compared with."""
        return self.default or self.algorithms[0]

    @property
    def seed_numbers(self) -> range:
        """The seeds themselves."""
        return range(self.first_seed, self.first_seed + self.seeds)

    def groups(self) -> dict[str, list[str]]:
        """The problems of each group by name: `{n}` and suites spelt out, `{seed}` left as it is."""
        groups = self.problems if isinstance(self.problems, Mapping) else {"": self.problems}
        return {group: self._spelt_out(names) for group, names in groups.items()}

    def templates(self) -> list[str]:
        """All problems, `{seed}` left as it is."""
        return list(dict.fromkeys(name for names in self.groups().values() for name in names))

    def problem_names(self) -> list[str]:
        """All problems by the names they give themselves, suites and seeds spelt out."""
        names = (with_seed(template, seed) for template in self.templates() for seed in self.seed_numbers)
        return list(dict.fromkeys(map(problem_name, names)))

    def cells(self) -> Iterator[Cell]:
        """The cells, problem by problem."""
        for template, algorithm, oracle in product(self.templates(), self.algorithms, self.oracles):
            for name, seeds in self._instances(template).items():
                budget = self.budget_of(algorithm, shape(name).n)
                checkpoints = tuple(c for c in self.checkpoints if c <= budget)
                if not unfit(algorithm, shape(name), oracle):
                    yield Cell(name, algorithm, oracle, budget, seeds, checkpoints, self.f_best)

    def budget_of(self, algorithm: str, n: int) -> int:
        """The comparisons of one run of a method in n variables."""
        budget = min(self.budget, self.caps.get(algorithm, self.budget))
        return min(budget, self.per_variable * n) if self.per_variable else budget

    def template_of(self) -> dict[str, str]:
        """For each problem that is run, what the plan calls it."""
        return {name: template for template in self.templates() for name in self._instances(template)}

    def left_out(self) -> list[str]:
        """Why some methods are not run on some problems, each reason once."""
        reasons = (
            unfit(algorithm, shape(with_seed(template, self.first_seed)), oracle)
            for template, algorithm, oracle in product(self.templates(), self.algorithms, self.oracles)
        )
        return [*self.skipped(), *(reason for reason in dict.fromkeys(reasons) if reason)]

    def skipped(self) -> list[str]:
        """A sentence for each real task of the plan's suites for which something is not installed."""
        groups = self.problems.values() if isinstance(self.problems, Mapping) else [self.problems]
        suites = (name.removeprefix("suite:") for names in groups for name in names if name.startswith("suite:"))
        return list(dict.fromkeys(sentence for suite in suites for sentence in skipped(suite)))

    def to_toml(self) -> str:
        """The plan as text; `Plan.from_toml` reads it back."""
        lines = []
        for part in dataclasses.fields(self):
            value = getattr(self, part.name)
            usual = part.default_factory() if callable(part.default_factory) else part.default
            if part.name in ALWAYS_WRITTEN or value != usual:
                lines.append(f"{part.name} = {_toml(value)}")
        return "\n".join(lines) + "\n"

    @classmethod
    def from_toml(cls, text: str) -> Plan:
        return cls.from_mapping(tomllib.loads(text))

    @classmethod
    def from_mapping(cls, data: Mapping[str, Any]) -> Plan:
        allowed = [part.name for part in dataclasses.fields(cls)]
        check_among("a plan must have keys among", data, allowed)
        for key in ("problems", "algorithms"):
            if key not in data:
                raise BadValue(f"a plan must have {key}, got {', '.join(data) or 'none'}")
        return cls(**data)

    @classmethod
    def load(cls, path: str | Path) -> Plan:
        """Read a plan from a TOML file; every error names the file and what is wrong in it."""
        return read_toml("plan", path, lambda data, _: cls.from_mapping(data))

    # --- inside

    def _spelt_out(self, problems: Sequence[str]) -> list[str]:
        names: list[str] = []
        for problem in problems:
            kind, colon, suite = problem.partition(":")
            if not colon or kind != "suite":
                names += self._for_each_n(problem)
            elif suite in SUITES:
                names += SUITES[suite]()
            else:
                raise BadValue(f"suite must be one of {', '.join(SUITES)}, got {suite!r}")
        return list(dict.fromkeys(name if "{seed}" in name else problem_name(name) for name in names))

    def _for_each_n(self, problem: str) -> list[str]:
        if "{n}" not in problem:
            return [problem]
        if not self.n:
            raise BadValue(f"a plan with {problem!r} must say what n stands for: n = [2, 5, 10]")
        return [problem.replace("{n}", str(n)) for n in self.n]

    def _instances(self, template: str) -> dict[str, tuple[int, ...]]:
        """The problems that a template stands for, each with its seeds."""
        if "{seed}" not in template:
            return {template: tuple(self.seed_numbers)}
        return {problem_name(with_seed(template, seed)): (seed,) for seed in self.seed_numbers}

    def _check_fit(self) -> None:
        """Refuse a method that could not be run at all."""
        problems = [shape(with_seed(template, self.first_seed)) for template in self.templates()]
        if not problems and self.skipped():  # nothing of it can be run here, which the sentences say
            return
        for algorithm in self.algorithms:
            reasons = [unfit(algorithm, problem, oracle) for problem in problems for oracle in self.oracles]
            if all(reasons):
                raise BadValue(f"algorithms must be ones that can be run on the problems; {reasons[0]}")


ALWAYS_WRITTEN = ("problems", "algorithms", "budget", "seeds", "oracle", "checkpoints")


def as_options(given: Mapping[str, object]) -> list[str]:
    """Parts of a plan as options of `steelyard bench`; those that are None are left out."""
    words: list[str] = []
    for name, value in given.items():
        option = OPTION_OF.get(name, f"--{name.replace('_', '-')}")
        for each in value if isinstance(value, list | tuple) else [] if value is None else [value]:
            suite = str(each).removeprefix("suite:")
            written = f"{each:g}" if isinstance(each, float) else str(each)
            words += ["--suite", suite] if name == "problems" and suite != each else [option, written]
    return words


OPTION_OF = {"problems": "--problem", "algorithms": "--algorithm", "checkpoints": "--checkpoint"}


def with_seed(template: str, seed: int) -> str:
    """The problem that a name with `{seed}` stands for."""
    return template.replace("{seed}", str(seed))


@cache
def problem_name(spec: str) -> str:
    """The name that a problem gives itself, however it was asked for."""
    return get(spec).name


@cache
def shape(spec: str) -> Shape:
    problem = get(spec)
    boxed = problem.bounds is not None and bool(np.isfinite(problem.bounds).all())
    return Shape(problem.n, boxed, problem.judge is not None)


@cache
def problem_source(spec: str) -> str:
    return problem_hash(problem_name(spec))


def _groups(problems: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    if not problems:
        raise BadValue("problems must be a list of at least one name, or a table of such lists, got an empty table")
    return {group: _names(f"problems.{group}", names) for group, names in problems.items()}


def _names(name: str, value: Sequence[str]) -> tuple[str, ...]:
    if isinstance(value, str) or not value or not all(isinstance(each, str) for each in _listed(name, value)):
        raise BadValue(f"{name} must be a list of at least one name, got {value!r}")
    return tuple(dict.fromkeys(value))


def _listed(name: str, value: Any) -> Sequence[Any]:
    if isinstance(value, str) or not isinstance(value, Sequence | range):
        raise BadValue(f"{name} must be a list, got {value!r}")
    return value


def _toml(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{json.dumps(key)} = {_toml(part)}" for key, part in value.items()) + " }"
    # JSON's strings, numbers and arrays are TOML's as well.
    return json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)
