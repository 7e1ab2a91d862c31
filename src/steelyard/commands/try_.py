"""`steelyard try`: demonstrations that need nothing else."""

import os
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from steelyard.commands.serve import need_web
from steelyard.errors import BadValue


def try_(
    demo: Annotated[str, typer.Argument(help="palette, typography or gait.")] = "palette",
    simulate: Annotated[
        bool, typer.Option("--simulate", help="Let a simulated person answer, and print what came out.")
    ] = False,
    seed: Annotated[int, typer.Option(help="The simulated person's seed.", min=0)] = 0,
    port: Annotated[int, typer.Option(help="The port; 0 takes a free one.", min=0, max=65535)] = 0,
    browser: Annotated[bool, typer.Option(help="Open the page in a browser.")] = True,
    data: Annotated[
        Path | None, typer.Option(help="Where to keep the answers (default: your data folder).", show_default=False)
    ] = None,
) -> None:
    """Try a demonstration: match a painting, make a page readable, or teach a figure to walk."""
    need_web()
    from steelyard.studies.demos import DEMOS, Person
    from steelyard.studies.simulate import simulate_run
    from steelyard.web import server

    if demo not in DEMOS:
        raise BadValue(f"demo must be one of {', '.join(DEMOS)}, got {demo!r}")
    chosen = DEMOS[demo]
    if not simulate:
        study = chosen.study()
        opened = server.open_file(study, data or _kept(demo, study.identity))
        typer.echo(f"{chosen.name}: {chosen.about}. Others: {', '.join(n for n in DEMOS if n != demo)}.")
        server.serve(opened, server.Address(port=port), browser=browser, say=typer.echo)
        return
    with tempfile.TemporaryDirectory(prefix="steelyard-try-", ignore_cleanup_errors=True) as folder:
        with closing(server.open_file(chosen.study(), Path(folder, "try.db"), ahead=False)) as opened:
            result = simulate_run(opened, Person(chosen, seed))
        before, after = chosen.badness(result["start"]), chosen.badness(result["best"])
        typer.echo(f"{chosen.name}: {result['answers']} answers; badness {before:.3f} at the start, {after:.3f} now")
        for parameter in opened.study.space.parameters:
            typer.echo(f"  {parameter.label}: {parameter.text(result['best'][parameter.name])}")


def _kept(demo: str, identity: str) -> Path:
    """A file in the user's own folder of data, which stays: another version of the demonstration has another one."""
    home = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    folder = Path(home) / "steelyard"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder / f"{demo}-{identity[:8]}.db"
