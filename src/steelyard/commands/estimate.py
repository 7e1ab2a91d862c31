"""`steelyard estimate`: how many comparisons a run will need."""

from typing import Annotated

import typer


def estimate(
    variables: Annotated[int, typer.Option(help="The number of variables.")],
    accuracy: Annotated[float, typer.Option(help="What may be left of the first gap to the minimum, as a part: .01.")],
    error_rate: Annotated[float, typer.Option(help="The share of answers that are wrong.")] = 0.0,
) -> None:
    """Say how many comparisons the default method needs, interpolated between measured runs."""
    from steelyard.estimate import estimate as run

    typer.echo(str(run(variables, accuracy, error_rate)))
