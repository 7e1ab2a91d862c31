"""What to run: problems x algorithms x seeds, against one oracle, for one budget.

Everything in a plan is a name, so it can be saved as TOML with the results and its cells can be rebuilt elsewhere.
"""

from __future__ import annotations

import dataclasses
import hashlib
import inspect
import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from steelyard import __version__
from steelyard.bench.oracle_spec import canonical_oracle
from steelyard.checks import check_budget, check_whole
from steelyard.dialogue import Algorithm
from steelyard.problems import SUITES, get
from steelyard.registry import make_algorithm, parse_spec

RECORD_FORMAT = 1
"""Raised whenever records of old would not compare with new ones: the old are then not taken for results."""


@dataclass(frozen=True)
class Cell:
    """The runs of one algorithm on one problem, which advance together: one run for each seed."""

    problem: str
    algorithm: str
    oracle: str
    budget: int
    seeds: tuple[int, ...]
    checkpoints: tuple[int, ...] = ()

    def key(self, seed: int) -> str:
        """The identity of one run: a hash of everything that changes its result, and of nothing else."""
        identity = {
            "format": RECORD_FORMAT,
            "version": __version__,
            "problem": problem_name(self.problem),
            "algorithm": algorithm_identity(self.algorithm),
            "oracle": canonical_oracle(self.oracle),
            "budget": self.budget,
            "checkpoints": sorted(set(self.checkpoints)),
            "seed": seed,
        }
        return hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:24]

    def only(self, seeds: Iterable[int]) -> Cell:
        """The same cell with some of its seeds."""
        return dataclasses.replace(self, seeds=tuple(seeds))


@dataclass(frozen=True)
class Plan:
    """Problems x algorithms x seeds. `problems` are names, or suites written `suite:paper22`.

    `seeds` is how many (0, 1, ..., seeds - 1). The final value at each of `checkpoints` queries is kept exactly.
    """

    problems: Sequence[str]
    algorithms: Sequence[str]
    budget: int = 10_000
    seeds: int = 5
    oracle: str = "exact"
    checkpoints: Sequence[int] = ()

    def __post_init__(self) -> None:
        for name in ("problems", "algorithms"):
            value = getattr(self, name)
            if isinstance(value, str) or not value:
                raise ValueError(f"{name} must be a list of at least one name, got {value!r}")
            object.__setattr__(self, name, tuple(dict.fromkeys(value)))
        object.__setattr__(self, "budget", check_budget(self.budget))
        object.__setattr__(self, "seeds", check_whole("seeds", self.seeds, 1))
        object.__setattr__(self, "checkpoints", tuple(check_whole("checkpoints", c, 1) for c in self.checkpoints))
        object.__setattr__(self, "oracle", canonical_oracle(self.oracle))
        for algorithm in self.algorithms:
            algorithm_from(algorithm)
        for problem in self.problem_names():
            problem_name(problem)

    def problem_names(self) -> list[str]:
        """All problems by the names they give themselves, the suites spelt out."""
        names: list[str] = []
        for problem in self.problems:
            kind, colon, suite = problem.partition(":")
            if not colon or kind != "suite":
                names.append(problem)
            elif suite in SUITES:
                names += SUITES[suite]()
            else:
                raise ValueError(f"suite must be one of {', '.join(SUITES)}, got {suite!r}")
        return list(dict.fromkeys(problem_name(name) for name in names))

    def cells(self) -> Iterator[Cell]:
        """The cells, problem by problem."""
        seeds = tuple(range(self.seeds))
        for problem in self.problem_names():
            for algorithm in self.algorithms:
                yield Cell(problem, algorithm, self.oracle, self.budget, seeds, tuple(self.checkpoints))

    def to_toml(self) -> str:
        """The plan as text; `Plan.from_toml` reads it back."""
        lines = []
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            # JSON's strings, numbers and arrays are TOML's as well.
            text = json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)
            lines.append(f"{field.name} = {text}")
        return "\n".join(lines) + "\n"

    @classmethod
    def from_toml(cls, text: str) -> Plan:
        return cls.from_mapping(tomllib.loads(text))

    @classmethod
    def from_mapping(cls, data: Mapping[str, Any]) -> Plan:
        allowed = [field.name for field in dataclasses.fields(cls)]
        unknown = [key for key in data if key not in allowed]
        if unknown:
            raise ValueError(f"a plan must have keys among {', '.join(allowed)}, got {unknown[0]!r}")
        for key in ("problems", "algorithms"):
            if key not in data:
                raise ValueError(f"a plan must have {key}, got {', '.join(data) or 'none'}")
        return cls(**data)

    @classmethod
    def load(cls, path: str | Path) -> Plan:
        """Read a plan from a TOML file; every error names the file and what is wrong in it."""
        path = Path(path)
        try:
            return cls.from_toml(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise ValueError(f"plan must be a TOML file, and there is none at {str(path)!r}") from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise ValueError(f"{path.name} cannot be read as TOML: {error}") from error
        except (ValueError, TypeError) as error:
            raise ValueError(f"{path.name}: {error}") from error


def algorithm_from(spec: str) -> Algorithm:
    """The algorithm that a spec such as `gld,R=.1,r=.05` or `mypkg:Method` names."""
    name, options = parse_spec(spec)
    return make_algorithm(name, options)


@cache
def algorithm_identity(spec: str) -> str:
    """The algorithm with all its settings spelt out, so that a preset and the same settings by hand are one.

    The source of a method from outside this package is part of it: whoever edits a method gets new results.
    """
    algorithm = algorithm_from(spec)
    kind = type(algorithm)
    if dataclasses.is_dataclass(algorithm):
        settings = {field.name: getattr(algorithm, field.name) for field in dataclasses.fields(algorithm)}
        text = ",".join(f"{name}={value!r}" for name, value in sorted(settings.items()))
    else:
        text = repr(sorted(parse_spec(spec)[1].items()))
    identity = f"{kind.__module__}:{kind.__qualname__}({text})"
    return identity if kind.__module__.startswith("steelyard.") else f"{identity} {_source_hash(kind)}"


def _source_hash(kind: type) -> str:
    try:
        return hashlib.sha256(inspect.getsource(kind).encode()).hexdigest()[:12]
    except (OSError, TypeError):
        return "unknown source"


@cache
def problem_name(spec: str) -> str:
    """The name that a problem gives itself, however it was asked for."""
    return get(spec).name
