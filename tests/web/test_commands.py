"""The commands serve, links and try."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from steelyard.commands import app
from steelyard.web import server

from .serving import write_study


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, list(arguments))


def test_links_are_made_and_work_later(tmp_path: Path) -> None:
    study = write_study(tmp_path)
    shown = run("links", str(study), "--rater", "Ada", "--join", "--organiser", "--base", "https://example.org")
    assert shown.exit_code == 0
    kinds = {line.split(": ")[0]: line.split("/")[-1] for line in shown.output.splitlines()}
    opened = server.open_file(server_study(study), tmp_path / "study.db", ahead=False)
    assert [opened.store.token_role(kinds[kind])[0] for kind in ("Ada", "join", "organiser")] == [  # type: ignore[index]
        "rater",
        "join",
        "organiser",
    ]
    assert server.organiser_token(opened, public=True) is None  # known already: a public server may start
    opened.close()


def server_study(path: Path) -> Any:
    from steelyard.studies.study import load_study

    return load_study(path)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("serve", "nothing.toml"), "there is none at"),
        (("links", "{study}"), "--rater NAME, --join or --organiser"),
        (("serve", "{study}", "--host", "0.0.0.0", "--port", "0"), "without --public"),
        (("serve", "{study}", "--public", "--port", "0"), "--public needs tokens"),
        (("try", "chess"), "demo must be one of palette, typography, gait"),
    ],
)
def test_bad_input_is_named(tmp_path: Path, arguments: tuple[str, ...], says: str) -> None:
    study = str(write_study(tmp_path))
    shown = run(*(argument.format(study=study) for argument in arguments))
    assert isinstance(shown.exception, ValueError)
    assert says in str(shown.exception)


def test_a_port_in_use_is_named(tmp_path: Path) -> None:
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        shown = run("serve", str(write_study(tmp_path)), "--port", str(taken.getsockname()[1]))
    assert "choose another --port" in str(shown.exception)


def test_try_with_a_simulated_person() -> None:
    shown = run("try", "gait", "--simulate", "--seed", "1")
    assert shown.exit_code == 0
    assert "30 answers" in shown.output
