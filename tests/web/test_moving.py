"""A study from one store to another, with everything that is in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from steelyard.cli import main
from steelyard.studies import moving
from steelyard.studies.open_study import OpenStudy
from steelyard.studies.store import Store
from steelyard.web.server import open_file

from .conftest import make_study
from .postgres_server import PostgresServer
from .test_runs import give

Opener = Callable[..., OpenStudy]


def code_of(arguments: list[str]) -> object:
    try:
        main(arguments)
    except SystemExit as end:
        return end.code or 0
    return 0


def test_from_a_file_to_postgres_and_back(open_small: Opener, postgres: PostgresServer, tmp_path: Path) -> None:
    opened = open_small()
    rater, token = opened.add_rater("Ada")
    give(opened, rater, "left", "right", "tie")
    there = f"{postgres.url}#moved_{abs(hash(str(tmp_path)))}"
    assert code_of(["studies", "move", opened.data, there]) == 0
    moved = open_file(make_study(tmp_path), there, ahead=False)
    assert (moved.store.token(token) or ())[:2] == ("rater", rater.id)
    assert moved.store.events(rater.run) == opened.store.events(rater.run)
    np.testing.assert_array_equal(moved.run_state(rater).best, opened.run_state(rater).best)
    give(moved, rater, "left")  # numbers go on
    other, _ = moved.add_rater("Ben")
    assert other.run != rater.run
    assert code_of(["studies", "move", there, str(tmp_path / "back.db")]) == 0
    back = open_file(make_study(tmp_path), tmp_path / "back.db", ahead=False)
    assert back.store.events(rater.run) == moved.store.events(rater.run)
    assert code_of(["studies", "move", opened.data, there]) == 2  # there is a study already
    assert code_of(["studies", "backup", str(tmp_path / "x.toml"), str(tmp_path / "copy.db"), "--data", there]) == 0
    copy = open_file(make_study(tmp_path), tmp_path / "copy.db", ahead=False)
    assert copy.store.events(rater.run) == moved.store.events(rater.run)
    for one in (moved, back, copy):
        one.close()


def test_an_answer_in_the_middle_stops_the_move(
    open_small: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = open_small()
    rater, _ = opened.add_rater("Ada")
    copy = moving.copy

    def slow(*stores: Store) -> Any:
        counts = copy(*stores)
        give(opened, rater, "left")
        return counts

    monkeypatch.setattr(moving, "copy", slow)
    with pytest.raises(ValueError, match="stop its servers first"):
        moving.move(opened.data, tmp_path / "new.db")
    monkeypatch.setattr(moving, "copy", copy)
    assert moving.move(opened.data, tmp_path / "new.db")["events"] == 1


def test_mistakes_are_said(open_small: Opener, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    opened = open_small()
    assert code_of(["studies", "move", str(tmp_path / "none.db"), str(tmp_path / "new.db")]) == 2
    assert "there is none at" in capsys.readouterr().err
    assert code_of(["studies", "backup", str(tmp_path / "study.toml"), opened.data]) == 2
    assert "the copy must be a new file" in capsys.readouterr().err
    assert code_of(["studies", "backup", str(tmp_path / "study.toml"), str(tmp_path / "copy.db")]) == 0
    assert (tmp_path / "copy.db").stat().st_mode & 0o077 == 0
