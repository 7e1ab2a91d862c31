"""`steelyard audit`: how far a judge can be trusted."""

from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from steelyard.errors import BadValue


def audit(
    judge: Annotated[str, typer.Argument(help="module:judge, a function prefer(x, y), plain or async.")],
    points: Annotated[
        str | None, typer.Option(help="module:points, candidates or a Space; or a file with one text per line.")
    ] = None,
    n: Annotated[int, typer.Option("-n", help="Without --points: variables of random points.", min=1)] = 3,
    low: Annotated[float, typer.Option(help="Without --points: the least value of a variable.")] = -1.0,
    high: Annotated[float, typer.Option(help="Without --points: the largest value of a variable.")] = 1.0,
    budget: Annotated[int, typer.Option(help="Questions to ask.", min=12)] = 120,
    seed: Annotated[int, typer.Option(help="The seed.", min=0)] = 0,
    plot: Annotated[Path | None, typer.Option(help="Draw the shares into this file.")] = None,
) -> None:
    """Ask a judge about pairs it has seen before, the other way round, and in triples; report and recommend."""
    from rich.console import Console
    from rich.table import Table

    from steelyard.kit.audit import audit as run

    if not low < high:
        raise BadValue(f"low must be less than high, got {low:g} and {high:g}")
    report = run(loaded("judge", judge), _points(points, n, low, high, seed), budget, seed)
    table = Table("measured", judge)
    for name, value in report.rows:
        table.add_row(name, value)
    Console().print(table)
    for line in report.advice:
        typer.echo(line)
    if plot is not None:
        report.plot().savefig(plot)
        typer.echo(f"drawn: {plot}")


def loaded(name: str, where: str) -> Any:
    """What "module:thing" stands for."""
    module, colon, attribute = where.partition(":")
    if not colon or not module or not attribute:
        raise BadValue(f"{name} must be written module:name, got {where!r}")
    try:
        return getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise BadValue(f"{name} cannot be loaded from {where!r}: {error}") from None


def _points(points: str | None, n: int, low: float, high: float, seed: int) -> Any:
    import numpy as np

    if points is None:
        return np.random.default_rng(seed).uniform(low, high, (12, n))
    if Path(points).is_file():
        return [line for line in Path(points).read_text(encoding="utf-8").splitlines() if line.strip()]
    return loaded("points", points)
