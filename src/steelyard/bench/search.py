"""A search over all hyper-parameters of a method, by Optuna: tuned on some problems, reported on others."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from steelyard.bench.executors import Executor
from steelyard.bench.methods import algorithm_from
from steelyard.bench.plan import Plan
from steelyard.bench.records import load_plan
from steelyard.bench.results import Results
from steelyard.bench.run import OnRecords, run
from steelyard.bench.search_space import Searched, parameters_of, settings_for
from steelyard.bench.tune import with_options
from steelyard.checks import check_whole
from steelyard.errors import BadValue
from steelyard.extras import need

__all__ = ["Searched", "Tuned", "hold_out", "parameters_of", "score", "search"]

FLOOR, WORST_SCORED = 1e-8, 1e2
UNKNOWN_FLOOR = 1e-2
"""Where the least value is unknown, the best that was seen stands for it, and a smaller gap to it counts as this."""
TOGETHER = 8
"""Settings asked for at once, so that all workers are busy."""
PROPOSALS_PER_TRIAL = 20
"""How often, for each trial, a proposal that contradicts itself is replaced by another."""


@dataclass(frozen=True)
class Tuned:
    """What a search found. Scores are mean log10 relative gaps: -3 is a thousandth of the way left, lower is better.

    On a problem whose least value is not known the gap is to the best value that any trial saw: `against_best_seen`
    names these.
    """

    spec: str
    train: dict[str, float]
    test: dict[str, float]
    """By spec: the method as it was given, and tuned."""
    trials: tuple[tuple[str, float], ...]
    """In order; the first is the method as it was given."""
    test_problems: tuple[str, ...] = ()
    against_best_seen: tuple[str, ...] = ()
    importance: dict[str, float] = field(default_factory=dict)
    """The share of each parameter in what distinguishes good trials (PED-ANOVA), adding up to 1."""
    contradictory: int = 0
    """Proposals that the method refused. They were not run, and are not among the trials."""


def search(
    method: str,
    train: Sequence[str],
    test: Sequence[str] | None,
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

    The first trial is the method as given. Without test problems some of the training ones are held out: see
    `hold_out`. The search is deterministic, so one that was stopped goes on where it was: its runs are found done.
    """
    optuna = need("optuna", "tune")
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    warnings.filterwarnings("ignore", category=optuna.exceptions.ExperimentalWarning)
    space = parameters_of(method, ranges)
    if not space:
        raise BadValue(f"{method} has no hyper-parameter to search: give a range")
    trials = check_whole("trials", trials, 1)
    if test is None:
        train, test = hold_out(train)

    def results_of(specs: Sequence[str], problems: Sequence[str]) -> Results:
        plan = Plan(problems, specs, budget, seeds, oracle)
        run(plan, out, jobs=jobs, executor=executor, progress=progress)
        return load_plan(plan, out, traces=False)

    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed, multivariate=True, group=True))
    specs, contradictory = _tried(study, method, space, trials, lambda specs: _scores(results_of(specs, train), specs))
    # Judged together at the end, as the best value seen may have changed on the way.
    results = results_of(specs, train)
    final = _scores(results, specs)
    best = min(final, key=lambda spec: final[spec])
    pair = list(dict.fromkeys([method, best]))
    return Tuned(
        best,
        {spec: final[spec] for spec in pair},
        _scores(results_of(pair, test), pair),
        tuple(final.items()),
        tuple(Plan(test, [method], budget).problem_names()),
        tuple(sorted(set(results["problem"][np.isnan(results["f_best"].astype(np.float64))].tolist()))),
        _importance(optuna, study),
        contradictory,
    )


def _tried(
    study: Any,
    method: str,
    space: Sequence[Searched],
    trials: int,
    scores: Callable[[Sequence[str]], dict[str, float]],
) -> tuple[list[str], int]:
    """Up to `trials` settings, the method as given first, and how many proposals the method refused."""
    given = _suggestions(method, space)
    specs: list[str] = [] if given is not None else [method]
    if given is not None:
        study.enqueue_trial(given)
    contradictory = 0
    while len(specs) < trials:
        asked, refused = _proposals(study, method, space, specs, min(TOGETHER, trials - len(specs)))
        contradictory += refused
        if not asked:
            break  # few choices, and all of them tried
        specs += asked
        found = scores(specs)
        for spec, trial in asked.items():
            study.tell(trial, found[spec])
    return specs, contradictory


def _proposals(
    study: Any, method: str, space: Sequence[Searched], specs: Sequence[str], count: int
) -> tuple[dict[str, Any], int]:
    """Up to `count` new settings with their trials, and how many proposals the method refused.

    The very first one, which was put into the study beforehand, is the method as given.
    """
    failed = need("optuna", "tune").trial.TrialState.FAIL
    asked: dict[str, Any] = {}
    refused = 0
    for _ in range(PROPOSALS_PER_TRIAL * TOGETHER):
        if len(asked) == count:
            break
        trial = study.ask()
        settings = settings_for(trial, method, space)
        spec = method if not specs and not asked else with_options(method, settings or {})
        if settings is None or spec in specs or spec in asked:
            refused += settings is None
            study.tell(trial, state=failed)
        else:
            asked[spec] = trial
    return asked, refused


def hold_out(problems: Sequence[str]) -> tuple[list[str], list[str]]:
    """Training and test problems from one list: every third is held out; of fewer than three, each is turned."""
    names = Plan(problems, ["stp"], 1).problem_names()
    if len(names) < 3:
        return names, [f"{name}~rotated=1" for name in names]
    return [name for i, name in enumerate(names) if i % 3 != 2], names[2::3]


def score(results: Results, best_seen: Mapping[str, float] | None = None) -> float:
    """The mean over runs of log10 of the relative gap that is left, (f - f*) / (f0 - f*), within 1e-8 and 1e2.

    `best_seen` has by problem what stands for f* where that is unknown; gaps below 1e-2 count as 1e-2 there.
    """
    f, f0, best = (results[name].astype(np.float64) for name in ("f_final", "f0", "f_best"))
    unknown = np.isnan(best)
    seen = best_seen or {}
    best = np.where(unknown, [seen.get(str(name), np.nan) for name in results["problem"]], best)
    with np.errstate(invalid="ignore", divide="ignore"):
        gap = (f - best) / (f0 - best)
    gap = np.where(np.isnan(gap), WORST_SCORED, np.clip(gap, np.where(unknown, UNKNOWN_FLOOR, FLOOR), WORST_SCORED))
    return float(np.log10(gap).mean())


def _scores(results: Results, specs: Sequence[str]) -> dict[str, float]:
    """The score of each spec; where f* is unknown, against the best value that any of them reached."""
    f, problems = results["f_final"].astype(np.float64), results["problem"].astype(str)
    best_seen = {
        str(name): float(np.nanmin(f[problems == name]))
        for name in set(problems)
        if np.isfinite(f[problems == name]).any()
    }
    return {spec: score(results.where(algorithm=spec), best_seen) for spec in specs}


def _suggestions(method: str, space: Sequence[Searched]) -> dict[str, Any] | None:
    """What Optuna has to suggest for the method as given; None if that lies outside the ranges."""
    algorithm = algorithm_from(method)
    parts = [parameter.fixed(getattr(algorithm, parameter.name)) for parameter in space]
    if any(part is None for part in parts):
        return None
    return {key: value for part in parts for key, value in (part or {}).items()}


def _importance(optuna: Any, study: Any) -> dict[str, float]:
    """By parameter; empty if there are too few trials to say."""
    evaluator = optuna.importance.PedAnovaImportanceEvaluator()
    try:
        found = optuna.importance.get_param_importances(study, evaluator=evaluator)
    except (ValueError, RuntimeError):
        return {}
    return {str(name): float(share) for name, share in found.items()}
