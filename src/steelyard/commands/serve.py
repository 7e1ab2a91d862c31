"""`steelyard serve` and `steelyard links`: a study in a web page."""

import re
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from steelyard.errors import BadValue

StudyFile = Annotated[Path, typer.Argument(help="The study: a TOML file.", show_default=False)]
StudyOrFolder = Annotated[Path, typer.Argument(help="The study: a TOML file, or a folder of them.", show_default=False)]
DataFile = Annotated[
    str | None,
    typer.Option(
        "--data",
        help="The database of answers: a file (default: next to the study, .db) or postgresql://...",
        show_default=False,
    ),
]


def serve(
    study: StudyOrFolder,
    data: DataFile = None,
    host: Annotated[
        str | None,
        typer.Option(help="The address to listen on (default: 127.0.0.1; with --public all).", show_default=False),
    ] = None,
    port: Annotated[int, typer.Option(help="The port; 0 takes a free one.", min=0, max=65535)] = 8321,
    public: Annotated[
        bool, typer.Option("--public", help="Accept connections from other computers; needs an organiser token.")
    ] = False,
    browser: Annotated[bool, typer.Option(help="Open the page in a browser.")] = True,
    workers: Annotated[int, typer.Option(help="Server processes that share the port.", min=1, max=256)] = 1,
    root_path: Annotated[str, typer.Option(help="The path under which a proxy shows this server: /study.")] = "",
    proxy: Annotated[
        list[str] | None, typer.Option(help="The address of a proxy whose X-Forwarded headers are trusted.")
    ] = None,
) -> None:
    """Let people answer a study in a web page: two candidates at a time, by key or click.

    A folder instead of a study serves all studies in it, each under the name of its file.
    """
    need_web()
    from steelyard.studies.study import load_study
    from steelyard.web import server

    address = server.Address(
        host or ("0.0.0.0" if public else "127.0.0.1"), port, public, check_root(root_path), tuple(proxy or ())
    )
    if study.is_dir():
        if data or workers > 1:
            raise BadValue("a folder of studies must be served without --data and --workers")
        server.serve_folder(study, address, say=typer.echo)
    else:
        opened = server.open_file(load_study(study), data or study.with_suffix(".db"), ahead=workers == 1)
        server.serve(opened, address, browser=browser, workers=workers, say=typer.echo)


def links(
    study: StudyFile,
    data: DataFile = None,
    raters: Annotated[list[str] | None, typer.Option("--rater", help="Make a link for this person.")] = None,
    join: Annotated[bool, typer.Option("--join", help="Make a link with which anybody can join.")] = False,
    organiser: Annotated[bool, typer.Option("--organiser", help="Make a link to the results.")] = False,
    base: Annotated[str, typer.Option(help="What the links begin with.")] = "http://127.0.0.1:8321",
) -> None:
    """Make links to a study. They are shown once: only their hashes are stored."""
    need_web()
    if not (raters or join or organiser):
        raise BadValue("links need --rater NAME, --join or --organiser")
    from steelyard.studies.study import load_study
    from steelyard.web import server

    with closing(server.open_file(load_study(study), data or study.with_suffix(".db"), ahead=False)) as opened:
        for name in raters or ():
            typer.echo(f"{name}: {base}/s/{opened.add_rater(name)[1]}")
        if join:
            typer.echo(f"join: {base}/join/{opened.store.add_token('join')}")
        if organiser:
            typer.echo(f"organiser: {base}/o/{opened.store.add_token('organiser')}")


def check_root(path: str) -> str:
    """A path such as /study, without a slash at its end; nothing for none."""
    path = path.rstrip("/")
    if path and not re.fullmatch(r"(/[A-Za-z0-9._~-]+)+", path):
        raise BadValue(f"--root-path must be a path such as /study, got {path!r}")
    return path


def need_web() -> None:
    """Say what to install if the web parts are missing."""
    missing = [name for name in ("starlette", "uvicorn", "jinja2", "httpx", "threadpoolctl") if find_spec(name) is None]
    if missing:
        raise ImportError(f"the web page needs {', '.join(missing)}: install steelyard[web]")
