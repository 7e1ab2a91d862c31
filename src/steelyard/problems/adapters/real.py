"""Real tasks as problems: `real:chess?scramble=3&depth=2`.

The problem's `judge` answers (the oracle `own`); `f` is the hidden quality, slow to measure and remembered for each
point. There is no gradient.
"""

import inspect
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module

import numpy as np

from steelyard.checks import refuse_unknown
from steelyard.errors import BadValue
from steelyard.problems.adapters.by_row import adapted, as_numbers, with_parameters
from steelyard.problems.definitions import Number
from steelyard.problems.problem import Problem
from steelyard.real.task import Task
from steelyard.real.tasks import TASKS, TaskEntry, missing
from steelyard.typing import Array, Kernel


def entry(name: str) -> TaskEntry:
    """The task of that name."""
    if name not in TASKS:
        raise BadValue(f"a real task must be one of {', '.join(TASKS)}, got {name!r}")
    return TASKS[name]


def load(name: str, given: Mapping[str, Number | str]) -> Problem:
    """The task with these parameters; those left out have the task's defaults."""
    module = entry(name).module
    if reason := missing(name):
        raise ImportError(reason)
    maker: Callable[..., Task] = getattr(import_module(module), f"load_{name}")
    defaults = {key: each.default for key, each in inspect.signature(maker).parameters.items()}
    numbers = as_numbers(f"real:{name}", given)
    refuse_unknown(f"real:{name}", numbers, defaults)
    changed = {key: numbers[key] for key in defaults if key in numbers and numbers[key] != defaults[key]}
    return _problem(with_parameters(f"real:{name}", changed), maker, tuple(changed.items()))


@cache
def _problem(name: str, maker: Callable[..., Task], parameters: tuple[tuple[str, Number], ...]) -> Problem:
    task = maker(**dict(parameters))
    return adapted(
        name,
        task.x0,
        remembered(task.quality),
        lambda x: np.full_like(x, np.nan),
        f_best=task.best,
        f_best_source=task.best_source,
        family="real",
        notes=task.notes,
        bounds=task.bounds,
        judge=task.judge,
    )


def remembered(quality: Callable[[Array], float]) -> Kernel:
    """One call for each point: what is expensive is measured only once."""
    known: dict[bytes, float] = {}

    def values(x: Array) -> Array:
        found = np.empty(len(x))
        for i, row in enumerate(x):
            key = row.tobytes()
            if key not in known:
                known[key] = float(quality(row.copy()))
            found[i] = known[key]
        return found

    return values
