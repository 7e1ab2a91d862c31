"""A search over all hyper-parameters of a method, by Optuna: tuned on some problems, reported on others."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import numpy as np

from steelyard.bench.executors import Executor
from steelyard.bench.extras import need
from steelyard.bench.methods import algorithm_from
from steelyard.bench.plan import Plan
from steelyard.bench.records import load
from steelyard.bench.results import Results
from steelyard.bench.run import OnRecords, run
from steelyard.bench.tune import with_options
from steelyard.checks import check_whole
from steelyard.errors import BadValue

FLOOR, CEILING = 1e-8, 1e2
SPAN = 30.0
"""A number is searched for from 1/30 to 30 times its default, unless a range is given."""
SKIPPED = ("form",)
"""Whether a method sees values is not for a tuner to decide."""

Range = tuple[float, float] | tuple[object, ...]


@dataclass(frozen=True)
class Searched:
    """What may be varied: a number between two others on a log scale, or one of several choices."""

    name: str
    kind: Literal["real", "whole", "choice"]
    choices: tuple[Any, ...]
    """The lowest and the highest of a number, or all choices."""

    def suggest(self, trial: Any) -> Any:
        if self.kind == "choice":
            return trial.suggest_categorical(self.name, list(self.choices))
        low, high = self.choices
        if self.kind == "whole":
            return trial.suggest_int(self.name, int(low), int(high), log=low > 0)
        return trial.suggest_float(self.name, float(low), float(high), log=low > 0)


@dataclass(frozen=True)
class Tuned:
    """What a search found. Scores are mean log10 relative gaps: -3 is a thousandth of the way left, lower is better."""

    spec: str
    train: dict[str, float]
    test: dict[str, float]
    """By spec: the method as it was given, and tuned."""
    trials: tuple[tuple[str, float], ...]


def parameters_of(method: str, ranges: Mapping[str, Sequence[Any]] | None = None) -> list[Searched]:
    """The hyper-parameters of a method that can be searched; `ranges` sets or adds some by hand."""
    algorithm = algorithm_from(method)
    if not dataclasses.is_dataclass(algorithm):
        raise BadValue(f"method must be a dataclass of its hyper-parameters to be searched, got {method!r}")
    ranges = dict(ranges or {})
    hints = get_type_hints(type(algorithm))
    names = [field.name for field in dataclasses.fields(algorithm)]
    unknown = [name for name in ranges if name not in names]
    if unknown:
        raise BadValue(f"a range must be for one of {', '.join(names)}, got {unknown[0]!r}")
    found = (_parameter(name, hints[name], getattr(algorithm, name), ranges.get(name)) for name in names)
    return [parameter for parameter in found if parameter is not None and parameter.name not in SKIPPED]


def _parameter(name: str, hint: Any, value: Any, chosen: Sequence[Any] | None) -> Searched | None:
    if chosen is not None:
        numbers = all(isinstance(v, int | float) and not isinstance(v, bool) for v in chosen)
        if numbers and len(chosen) == 2:
            return Searched(name, "whole" if all(isinstance(v, int) for v in chosen) else "real", tuple(chosen))
        return Searched(name, "choice", tuple(chosen))
    if isinstance(value, bool):
        return Searched(name, "choice", (False, True))
    if get_origin(hint) is Literal:
        return Searched(name, "choice", get_args(hint))
    if isinstance(value, int | float) and value > 0:
        low, high = value / SPAN, value * SPAN
        if isinstance(value, int):
            return Searched(name, "whole", (max(1, round(low)), max(2, round(high))))
        return Searched(name, "real", (low, high))
    return None  # no default to start from: searched only if a range is given


def search(
    method: str,
    train: Sequence[str],
    test: Sequence[str],
    out: str | Path,
    *,
    budget: int = 10_000,
    trials: int = 40,
    seeds: int = 3,
    oracle: str = "exact",
    ranges: Mapping[str, Sequence[Any]] | None = None,
    seed: int = 0,
    jobs: int | None = None,
    executor: Executor | None = None,
    progress: Callable[[int, int], OnRecords] | None = None,
) -> Tuned:
    """Search `trials` settings of a method on the training problems; report the best and the given on the test ones.

    The search is deterministic, so one that was stopped goes on where it was: its runs are found done.
    """
    optuna = need("optuna", "tune")
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    space = parameters_of(method, ranges)
    if not space:
        raise BadValue(f"{method} has no hyper-parameter to search: give a range")
    trials = check_whole("trials", trials, 1)

    def scores(specs: Sequence[str], problems: Sequence[str]) -> dict[str, float]:
        plan = Plan(problems, specs, budget, seeds, oracle)
        run(plan, out, jobs=jobs, executor=executor, progress=progress)
        results = load(out, traces=False, algorithms=plan.algorithms).where(
            oracle=plan.oracle, budget=plan.budget, problem=plan.problem_names()
        )
        return {spec: score(results.where(algorithm=spec)) for spec in plan.algorithms}

    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed, multivariate=True))
    history: list[tuple[str, float]] = []
    together = 8  # settings asked for at once, so that all workers are busy
    while len(history) < trials:
        asked = [study.ask() for _ in range(min(together, trials - len(history)))]
        specs = [with_options(method, {p.name: p.suggest(trial) for p in space}) for trial in asked]
        usable = [spec for spec in specs if _is_valid(spec)]
        found = scores(usable, train) if usable else {}
        for trial, spec in zip(asked, specs, strict=True):
            value = found.get(spec, float(np.log10(CEILING)))  # settings that contradict each other score worst
            study.tell(trial, value)
            history.append((spec, value))
    best = min(history, key=lambda entry: entry[1])[0]
    return Tuned(best, scores([method, best], train), scores([method, best], test), tuple(history))


def score(results: Results) -> float:
    """The mean over runs of log10 of the relative gap that is left, (f - f*) / (f0 - f*), within 1e-8 and 1e2."""
    f, f0, best = (results[name].astype(np.float64) for name in ("f_final", "f0", "f_best"))
    with np.errstate(invalid="ignore", divide="ignore"):
        gap = (f - best) / (f0 - best)
    gap = np.where(np.isnan(gap), CEILING, np.clip(gap, FLOOR, CEILING))
    return float(np.log10(gap).mean())


def _is_valid(spec: str) -> bool:
    try:
        algorithm_from(spec)
    except ValueError:
        return False
    return True
