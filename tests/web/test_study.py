"""A study file: what is accepted, and what an error says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from steelyard.studies.study import Raters, View, load_study, path_inside, study_from_dict

from .conftest import make_study, study_data

TOML = """
title = "Cards"
question = "Which is nicer?"
method = "stp"
budget = 20

[options]
step = 0.2

[view]
template = "view.html"

[[parameters]]
name = "size"
low = 8
high = 40
scale = "log"

[[parameters]]
name = "font"
categories = ["serif", "sans"]
"""


def test_a_toml_file_becomes_a_study(tmp_path: Path) -> None:
    (tmp_path / "view.html").write_text("{{ size }} {{ font }}")
    path = tmp_path / "cards.toml"
    path.write_text(TOML)
    study = load_study(path)
    assert (study.title, study.question, study.budget) == ("Cards", "Which is nicer?", 20)
    assert study.space.names == ("size", "font")
    assert study.session(0).algorithm.step == 0.2  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"budget": 0}, "budget must be at least 1, got 0"),
        ({"title": " "}, "title must be a non-empty string"),
        ({"colour": 3}, "got 'colour'"),
        ({"method": "steepest"}, "method must be one of"),
        ({"view": {}}, "exactly one of template, function, command"),
        ({"view": {"template": "none.html"}}, "template of the view must be a file"),
        ({"view": {"template": "../view.html"}}, "must lie in its folder"),
        ({"view": {"command": ["echo"]}}, "must contain {output}"),
        ({"view": {"function": "module"}}, "module:function"),
        ({"view": {"template": "view.html", "type": "wav"}}, "html, svg or text"),
        ({"view": {"template": "view.html", "reference": {"size": 9}}}, "values must be given for size, warmth"),
        ({"raters": {"mode": "own", "votes": 3}}, "votes of the raters must be 1"),
        ({"raters": {"mode": "crowd"}}, "mode of the raters must be one of own, shared"),
        ({"parameters": []}, "at least one parameter"),
    ],
)
def test_errors_name_what_is_wrong(tmp_path: Path, change: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=re.escape(says)):
        make_study(tmp_path, **change)


def test_a_missing_or_broken_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="there is none at"):
        load_study(tmp_path / "nothing.toml")
    (tmp_path / "bad.toml").write_text("title = ")
    with pytest.raises(ValueError, match=r"bad\.toml cannot be read as TOML"):
        load_study(tmp_path / "bad.toml")


def test_a_link_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    folder.mkdir()
    (tmp_path / "secret").write_text("x")
    (folder / "innocent").symlink_to(tmp_path / "secret")
    with pytest.raises(ValueError, match="must lie in its folder"):
        path_inside(folder, "innocent")


def test_identity_follows_what_the_log_depends_on(tmp_path: Path) -> None:
    plain = make_study(tmp_path)
    assert make_study(tmp_path, question="Other words?", budget=99).identity == plain.identity
    for change in ({"seed": 8}, {"options": {"step": 0.1}}, {"raters": {"mode": "shared", "votes": 3}}):
        assert make_study(tmp_path, **change).identity != plain.identity
    assert study_from_dict(study_data(), tmp_path).identity == plain.identity


@pytest.mark.parametrize(
    ("raters", "votes", "decided"),
    [
        (Raters("shared", 3), [1], None),
        (Raters("shared", 3), [1, 1], 1),
        (Raters("shared", 3), [1, -1], None),
        (Raters("shared", 3), [1, -1, 0], 0),
        (Raters("shared", 3), [1, -1, -1], -1),
        (Raters("shared", 9, "sequential", 2), [1, 1], 1),
        (Raters("shared", 9, "sequential", 2), [1, -1, 1], None),
        (Raters("own"), [-1], -1),
    ],
)
def test_votes_are_combined(raters: Raters, votes: list[int], decided: int | None) -> None:
    assert raters.decide(votes) == decided


def test_a_view_is_checked() -> None:
    with pytest.raises(ValueError, match="timeout of the view"):
        View(template="x", timeout=-1)
