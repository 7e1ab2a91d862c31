"""`steelyard doctor`: what is installed, what is missing and what it would add."""

import os
import platform
from pathlib import Path

import numpy as np
import scipy
import typer
from rich.console import Console
from rich.table import Table

import steelyard
from steelyard import registry
from steelyard.extras import EXTRAS, installed

BROKEN = 1


def doctor() -> None:
    """Say what is installed, which extras are missing and what they would add; exit with 1 if something is broken."""
    console = Console()
    console.print(_versions())
    console.print(_extras())
    complaints = [*_broken_methods(), *_self_test()]
    for complaint in complaints:
        console.print(f"broken: {complaint}", markup=False)
    if complaints:
        raise typer.Exit(BROKEN)
    console.print(f"{len(registry.algorithm_names())} methods load, and a first run reaches the minimum: all is well.")


def _versions() -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_row("steelyard", f"{steelyard.__version__}  ({Path(steelyard.__file__).parent})")
    table.add_row("Python", f"{platform.python_version()}  ({platform.system()} {platform.machine()})")
    table.add_row("numpy", np.__version__)
    table.add_row("scipy", scipy.__version__)
    table.add_row("processors", str(os.cpu_count()))
    return table


def _extras() -> Table:
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    for column in ("extra", "state", "what it adds"):
        table.add_column(column, overflow="fold")
    for extra in EXTRAS:
        if extra.missing:
            state = f"missing {', '.join(extra.missing)}: pip install 'steelyard\\[{extra.name}]'"
        else:
            state = ", ".join(f"{package} {installed(package)}" for package in extra.packages)
        table.add_row(extra.name, state, extra.adds)
    return table


def _broken_methods() -> list[str]:
    """The methods, most likely of other packages, that cannot be loaded."""
    complaints = []
    for name in registry.algorithm_names():
        try:
            registry.algorithm_class(name)
        except ValueError as error:
            complaints.append(str(error))
    return complaints


def _self_test() -> list[str]:
    """A short run on the sphere, whose result is known."""
    sphere = steelyard.FunctionOracle(lambda x: float(x @ x))
    result = steelyard.minimize(sphere, np.ones(3), budget=500, rng=0)
    worst = float(np.abs(result.x).max())
    return [] if worst < 0.1 else [f"a run on the sphere ended at distance {worst:g} from its minimum"]
