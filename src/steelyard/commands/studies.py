"""`steelyard studies`: looking after the stores of studies."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from steelyard.commands.serve import DataFile, StudyFile, need_web

studies = typer.Typer(help="Look after studies: keep copies, move them to another database.", no_args_is_help=True)


@studies.command()
def move(
    source: Annotated[str, typer.Argument(help="Where the study is: a file or postgresql://...#name.")],
    target: Annotated[str, typer.Argument(help="Where it goes: a new file or postgresql://...#name.")],
) -> None:
    """Move a study to another database: all its answers, people and links. Stop its servers first.

    The source stays as it is; serve the study with --data TARGET from then on.
    """
    need_web()
    from steelyard.studies.moving import move as move_study
    from steelyard.studies.store import is_postgres

    if not is_postgres(source) and not Path(source).is_file():
        raise ValueError(f"source must be the database of a study, and there is none at {source!r}")
    counts = move_study(source, target)
    typer.echo(
        f"moved {counts['events']} answers and other events of {counts['raters']} people in {counts['runs']} runs"
    )


@studies.command()
def backup(
    study: StudyFile,
    file: Annotated[Path, typer.Argument(help="The copy to make: a new SQLite file.", show_default=False)],
    data: DataFile = None,
) -> None:
    """Keep a copy of all answers, people and links, safe while people answer. To restore it, serve it with --data FILE,
    or move it to where it was."""
    need_web()
    from steelyard.studies.moving import backup as back_up

    place = data or str(study.with_suffix(".db"))
    if data is None and not Path(place).is_file():
        raise ValueError(f"study must have been answered, and there is no database at {place!r}")
    back_up(place, file)
    typer.echo(f"kept in {file}")
