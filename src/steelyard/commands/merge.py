"""`steelyard merge`: result folders of several machines become one."""

from typing import Annotated

import typer


def merge(
    folders: Annotated[list[str], typer.Argument(help="Folders of results, or storage URLs.")],
    out: Annotated[str, typer.Option(help="The folder to join them into; it may have results already.")],
) -> None:
    """Join result folders; the same run with two different results is refused, with a list."""
    from steelyard.bench.merge import merge as join

    total, fresh = join(folders, out)
    typer.echo(f"{total} runs in {out}, {fresh} of them new")
