"""The commands serve, links and try."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest
from typer.testing import CliRunner

from steelyard.commands import app
from steelyard.web import server
from steelyard.web.client import Client

from .serving import Server, write_study


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, list(arguments))


def test_links_are_made_and_work_later(tmp_path: Path) -> None:
    study = write_study(tmp_path)
    shown = run("links", str(study), "--rater", "Ada", "--join", "--organiser", "--base", "https://example.org")
    assert shown.exit_code == 0
    kinds = {line.split(": ")[0]: line.split("/")[-1] for line in shown.output.splitlines()}
    opened = server.open_file(server_study(study), tmp_path / "study.db", ahead=False)
    assert [opened.store.token(kinds[kind])[0] for kind in ("Ada", "join", "organiser")] == [  # type: ignore[index]
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


def test_studies_are_checked_listed_and_exported(tmp_path: Path) -> None:
    study = write_study(tmp_path)
    shown = run("studies", "check", str(study), "--candidates", "3")
    assert shown.exit_code == 0
    assert "8 candidates, 0 failed" in shown.output  # the start, four corners, three at random
    assert "a corner: size = 8, warmth = 0" in shown.output
    opened = server.open_file(server_study(study), tmp_path / "study.db", ahead=False)
    rater, _ = opened.add_rater("Ada")
    asked = opened.runs.question(rater)
    assert asked is not None
    opened.answer(rater, asked.id, "left")
    opened.close()
    assert "study.toml: Small study; 1 people, 1 answers" in run("studies", "list", str(tmp_path)).output
    for name in ("out.csv", "out.json", "out.parquet"):
        assert run("studies", "export", str(study), str(tmp_path / name)).exit_code == 0
        assert (tmp_path / name).stat().st_size > 100
    assert "must end with .csv" in str(run("studies", "export", str(study), str(tmp_path / "out.txt")).exception)


def test_a_check_says_what_fails(tmp_path: Path) -> None:
    (tmp_path / "odd_for_test.py").write_text(
        "def view(size, warmth):\n    if size > 30: raise ValueError('too large')\n    return 'x'\n"
    )
    study = write_study(tmp_path, view='function = "odd_for_test:view"\ntype = "text"')
    shown = run("studies", "check", str(study), "--candidates", "0")
    assert shown.exit_code == 1
    assert "5 candidates, 2 failed" in shown.output
    assert "ValueError: too large" in shown.output


def test_a_preview_keeps_nothing(tmp_path: Path) -> None:
    study = write_study(tmp_path)
    before = sorted(path.name for path in tmp_path.iterdir())
    shown = Server("studies", "preview", str(study))
    try:
        client = Client(shown.base, shown.token, http=httpx.Client(timeout=120.0))
        client.answer(client.question()["question"]["id"], "left")
        assert client.result()["answers"] == 1
    finally:
        shown.stop()
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_try_keeps_the_answers_in_the_folder_of_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    for given in (0, 1):  # what it was told is there when it is started again
        shown = Server("try", "gait")
        try:
            client = Client(shown.base, shown.token, http=httpx.Client(timeout=120.0))
            assert client.result()["answers"] == given
            client.answer(client.question()["question"]["id"], "left")
        finally:
            shown.stop()
    (kept,) = (tmp_path / "data" / "steelyard").glob("gait-*.db")
    assert kept.stat().st_mode & 0o077 == 0
