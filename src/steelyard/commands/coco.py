"""`steelyard coco`: results in COCO's own data format."""

from pathlib import Path
from typing import Annotated

import typer

from steelyard.bench.coco import observe
from steelyard.problems.adapters.bbob import COCO_SUITES


def coco(
    method: Annotated[str, typer.Argument(help="A method with options, e.g. cqn or stp,preset=paper.")],
    suite: Annotated[str, typer.Option(help=f"One of {', '.join(COCO_SUITES)}.")] = "bbob",
    function: Annotated[
        list[int] | None, typer.Option(help="A function, by COCO's number; all, if none is given.")
    ] = None,
    dimension: Annotated[
        list[int] | None, typer.Option(help="A number of variables (default: 2 and 5, or the suite's two smallest).")
    ] = None,
    instance: Annotated[list[int] | None, typer.Option(help="An instance (default: 1, 2 and 3).")] = None,
    budget_per_n: Annotated[int, typer.Option(help="Comparisons per variable.", min=1)] = 100,
    out: Annotated[Path, typer.Option(help="The folder of the data.")] = Path("exdata/steelyard"),
) -> None:
    """Run a method under COCO's observer: its data can be post-processed by cocopp and submitted."""
    folder = observe(
        method,
        out,
        suite=suite,
        functions=function or (),
        dimensions=dimension or (),
        instances=instance or (1, 2, 3),
        budget_per_n=budget_per_n,
        say=typer.echo,
    )
    typer.echo(f"data: {folder}")
