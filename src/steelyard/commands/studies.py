"""`steelyard studies`: check, preview, list, export and back up studies."""

import time
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from steelyard.commands.serve import DataFile, StudyFile, need_web
from steelyard.errors import BadValue

studies = typer.Typer(help="Check, preview, list, export, back up and move studies.", no_args_is_help=True)
Folder = Annotated[Path, typer.Argument(help="Where to look for studies.", show_default=False)]


@studies.command()
def check(
    study: StudyFile,
    candidates: Annotated[int, typer.Option(help="How many random candidates to render.", min=0, max=1000)] = 10,
) -> None:
    """Render the corners, the start and random candidates; report what fails and how long it takes."""
    need_web()
    from steelyard.studies.check import checked
    from steelyard.studies.study import load_study

    failed = 0
    times = []
    for name, seconds, error in checked(load_study(study), candidates):
        failed += bool(error)
        times.append(seconds)
        typer.echo(f"{'FAILED' if error else 'ok':6}  {seconds:6.2f} s  {name}" + (f"  {error}" if error else ""))
    mean = sum(times) / len(times)
    typer.echo(f"{len(times)} candidates, {failed} failed, {mean:.2f} s each, {max(times):.2f} s at most")
    if failed:
        raise typer.Exit(1)


@studies.command()
def preview(
    study: StudyFile,
    port: Annotated[int, typer.Option(help="The port; 0 takes a free one.", min=0, max=65535)] = 0,
    browser: Annotated[bool, typer.Option(help="Open the page in a browser.")] = True,
) -> None:
    """Look at the study as raters will see it; answers are not kept."""
    need_web()
    import tempfile

    from steelyard.studies.study import load_study
    from steelyard.web import server

    with tempfile.TemporaryDirectory(prefix="steelyard-preview-", ignore_cleanup_errors=True) as folder:
        opened = server.open_file(load_study(study), Path(folder, "preview.db"))
        typer.echo("A preview: answers are thrown away at the end.")
        server.serve(opened, server.Address(port=port), browser=browser, say=typer.echo)


@studies.command("list")
def list_(folder: Folder = Path()) -> None:
    """The studies in a folder: title, people, answers, when the last one came."""
    need_web()
    from steelyard.studies.check import studies_in
    from steelyard.studies.store import open_store

    for path, study in studies_in(folder):
        data = path.with_suffix(".db")
        people = answers = 0
        last = "never"
        if data.exists():
            with closing(open_store(data)) as store:
                people = store.rater_count()
                events = [event for event in store.all_events() if event.kind == "answer"]
            answers = len(events)
            last = time.strftime("%Y-%m-%d %H:%M", time.localtime(events[-1].at)) if events else last
        typer.echo(f"{path.name}: {study.title}; {people} people, {answers} answers, last {last}")


@studies.command()
def export(
    study: StudyFile,
    file: Annotated[Path, typer.Argument(help="A .csv, .parquet or .json file to write.", show_default=False)],
    data: DataFile = None,
) -> None:
    """All answers as one tidy table (.csv, .parquet), or all results (.json)."""
    need_web()
    import json

    from steelyard.studies.export import answers_csv, answers_parquet
    from steelyard.studies.study import load_study
    from steelyard.web import server

    if file.suffix not in (".csv", ".parquet", ".json"):
        raise BadValue(f"file must end with .csv, .parquet or .json, got {file.name!r}")
    with closing(server.open_file(load_study(study), data or study.with_suffix(".db"), ahead=False)) as opened:
        if file.suffix == ".parquet":
            file.write_bytes(answers_parquet(opened))
        elif file.suffix == ".csv":
            file.write_text(answers_csv(opened), encoding="utf-8")
        else:
            file.write_text(json.dumps(opened.results(details=True), indent=1), encoding="utf-8")
    typer.echo(f"wrote {file}")


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
        raise BadValue(f"source must be the database of a study, but there is none at {source!r}")
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
    """Keep a copy of all answers, people and links; safe while people answer. To restore it, serve it with --data FILE,
    or move it to where it was."""
    need_web()
    from steelyard.studies.moving import backup as back_up

    place = data or str(study.with_suffix(".db"))
    if data is None and not Path(place).is_file():
        raise BadValue(f"study must have answers, but there is no database at {place!r}")
    back_up(place, file)
    typer.echo(f"kept in {file}")
