"""Studies of finished candidates: files instead of parameters, a pool behind them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from steelyard.dialogue import Compare, Past
from steelyard.session import Session
from steelyard.space import Parameter, Space
from steelyard.studies.agreement import Features, Pairs, agreement, bradley_terry, favourite
from steelyard.studies.events import Rater
from steelyard.studies.open_study import OpenStudy
from steelyard.studies.pool_method import PoolMethod
from steelyard.studies.study import load_study, study_from_dict
from steelyard.web.server import open_file

from .conftest import BOTH_STORES, client_of

Opener = Callable[..., OpenStudy]
NAMES = ["one", "two", "three", "four", "five"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in NAMES:
        (tmp_path / f"{name}.svg").write_text(f'<svg xmlns="http://www.w3.org/2000/svg"><text>{name}</text></svg>')
    (tmp_path / "poem.txt").write_text("Roses are red")
    return tmp_path


def items_data(**changes: Any) -> dict[str, Any]:
    items = [{"file": f"{name}.svg"} for name in NAMES] + [{"file": "poem.txt", "name": "The poem"}]
    return {"title": "Which?", "items": items, "budget": 20, "repeats": 0.0, "checks": 2, **changes}


@pytest.fixture
def open_items(folder: Path, place: Callable[[str], str]) -> Iterator[Opener]:
    opened: list[OpenStudy] = []

    def open_one(**changes: Any) -> OpenStudy:
        opened.append(open_file(study_from_dict(items_data(**changes), folder), place("items.db"), ahead=False))
        return opened[-1]

    yield open_one
    for one in opened:
        one.close()


def give(opened: OpenStudy, rater: Rater, count: int, liked: str = "three") -> None:
    """Somebody who likes one of them best, and of the others those with the longer names."""
    for _ in range(count):
        asked = opened.runs.question(rater)
        assert asked is not None
        worth = [100 * (n == liked) + len(n) for n in (str(opened.runs.values(x)["item"]) for x in asked.shown)]
        choice = "tie" if worth[0] == worth[1] else "left" if worth[0] > worth[1] else "right"
        assert opened.answer(rater, asked.id, choice)


@BOTH_STORES
def test_the_best_of_some_files_is_found(open_items: Opener) -> None:
    opened = open_items()
    rater, token = opened.add_rater("Ada")
    give(opened, rater, 20)
    result = opened.result(rater)
    assert result["best"] == {"item": "three"}
    shares = result["categories"]["item"]
    assert shares.keys() == {*NAMES, "The poem"}
    assert sum(shares.values()) == pytest.approx(1.0)
    assert max(shares, key=shares.__getitem__) == "three"
    assert shares["three"] > 0.6
    again = open_items()  # the same from the log, in another process
    assert again.result(rater)["categories"] == result["categories"]
    page = client_of(opened).get(f"/s/{token}/result").text
    assert "three" in page.split('<th scope="row">item</th>')[1].split("</tr>")[0]


def test_what_comes_next_is_thought_ahead_without_a_certainty_that_there_is_not(
    open_items: Opener, caplog: pytest.LogCaptureFixture
) -> None:
    opened = open_items()
    opened.runs.ahead = True  # without processes: what is thought ahead is thought at once
    rater, _ = opened.add_rater("Ada")
    give(opened, rater, 3)
    assert opened.runs.question(rater) is not None
    assert len(opened.runs.live(rater.run).ahead) == 2  # after either answer
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


def test_files_are_shown_as_what_they_are(open_items: Opener) -> None:
    opened = open_items()
    web = client_of(opened)
    for name, kind in (("one", "image/svg+xml"), ("The poem", "text/plain; charset=utf-8")):
        shown = web.get(f"/view/{opened.renderer.key({'item': name})}")
        assert shown.headers["content-type"] == kind
    assert "Roses are red" in shown.text
    page = web.get(f"/s/{opened.add_rater('Ada')[1]}").text
    assert page.count('<img class="view"') + page.count('<pre class="view text"') == 2


def test_many_people_in_one_run_have_different_pairs(open_items: Opener) -> None:
    opened = open_items(raters={"mode": "shared"}, budget=200)
    people = [opened.add_rater(name)[0] for name in "ABC"]
    asked = [opened.runs.question(rater) for rater in people]
    pairs = {frozenset([float(one.a[0]), float(one.b[0])]) for one in asked if one is not None}
    assert len(pairs) == 3
    for rater in people:
        give(opened, rater, 8)
    assert opened.results()["pooled"]["favourite"] == {"item": "three"}
    organiser = client_of(opened).get(f"/o/{opened.store.add_token('organiser')}").text
    assert "24 answers by 3 people" in organiser


def test_agreement_about_items_knows_no_order_of_them(open_items: Opener) -> None:
    opened = open_items()
    people = [opened.add_rater(name)[0] for name in "ABC"]
    for rater, liked in zip(people, ("three", "three", "one"), strict=True):
        give(opened, rater, 20, liked)
    table = opened.results()["agreement"]["table"]
    assert table[0][1] > 0.9
    assert table[0][2] < table[0][1]


def test_categories_are_terms_of_their_own() -> None:
    features = Features(((0.25, 0.75), ()))
    x = np.array([[0.25, 0.5], [0.75, 1.0]])
    np.testing.assert_array_equal(features(x), [[0.0, 0.0, 1.0, 0.0], [1.0, 1.0, 0.0, 1.0]])
    levels = (np.arange(3) + 0.5) / 3
    rng = np.random.default_rng(0)
    a, b = (rng.choice(levels, (60, 1)) for _ in range(2))
    middle = ((a == levels[1]).astype(float) - (b == levels[1]))[:, 0]  # the middle one is the worst: no order fits
    pairs = Pairs(a, b, -middle, Features((tuple(levels),)))
    model = bradley_terry(pairs)
    assert agreement(model, pairs) == 1.0
    assert favourite(model, 1, pairs.features)[0] in (levels[0], levels[2])


@pytest.mark.parametrize("goal", ["best", "rank"])
def test_the_method_of_a_pool_goes_on_from_answers_alone(goal: str) -> None:
    worth = np.array([0.1, 0.9, 0.3, 0.5])
    session = Session(PoolMethod(4, goal), [0.125], rng=3, bounds=[(0.0, 1.0)])
    asked: list[Compare] = []
    answers: list[int] = []
    for _ in range(15):
        question = session.ask()
        assert isinstance(question, Compare)
        i, j = (int(side[0, 0] * 4) for side in (question.a, question.b))
        asked.append(question)
        answers.append(int(np.sign(worth[i] - worth[j])))
        session.tell(answers[-1:])
    assert session.recommend()[0] == pytest.approx(0.375)
    a, b = (np.concatenate([getattr(question, side) for question in asked]) for side in ("a", "b"))
    past = Past(a, b, np.array(answers, dtype=np.int8))
    resumed = Session(PoolMethod(4, goal), [0.125], rng=3, bounds=[(0.0, 1.0)], past=past)
    again, here = resumed.ask(), session.ask()
    assert isinstance(again, Compare)
    assert isinstance(here, Compare)
    np.testing.assert_allclose(again.a, here.a)
    np.testing.assert_allclose(again.b, here.b)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"items": [{"file": "one.svg"}]}, "at least two tables"),
        ({"items": [{"file": "one.svg"}, {"file": "../x.svg"}]}, "must lie in its folder"),
        ({"items": [{"file": "one.svg"}, {"file": "none.svg"}]}, "file in the study's folder"),
        ({"items": [{"file": "one.svg"}, {"file": "two.exe"}]}, r"ending of the file two\.exe"),
        ({"items": [{"file": "one.svg"}, {"file": "one.svg"}]}, "no other item has"),
        ({"items": [{"file": "one.svg"}, {"path": "two.svg"}]}, "items must have keys among file, name"),
        ({"items": [{"file": 1}, {"file": "two.svg"}]}, "name of a file"),
        ({"parameters": [{"name": "x"}]}, "no parameters"),
        ({"method": "stp"}, "no method but"),
        ({"view": {"template": "x.html"}}, "nothing but height and scripts"),
        ({"options": {"goal": "worst"}}, "goal must be one of"),
    ],
)
def test_mistakes_are_named(folder: Path, change: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        study_from_dict(items_data(**change), folder)


def test_the_example_has_a_file_for_each_item() -> None:
    study = load_study(Path(__file__).parents[2] / "examples" / "studies" / "logos.toml")
    assert len(study.view.files) == 4


@pytest.mark.parametrize("count", [5, 60, 100, 300])
def test_what_is_shown_is_what_the_pool_is_told_however_many_candidates_there_are(count: int) -> None:
    names = tuple(f"item {k}" for k in range(count))
    space = Space((Parameter("item", categories=names, start=names[0]),))
    points = np.array([space.unit({"item": name}) for name in names])
    method = PoolMethod(count)
    past = Past(points[:-1], points[1:], np.ones(count - 1, dtype=np.int8))  # the first beats the second, and so on
    session = Session(method, space, 0, past=past)
    assert space.values(session.recommend())["item"] in names[:3]
    for _ in range(12):
        question, own = session.ask(), session._message
        assert isinstance(question, Compare) and isinstance(own, Compare)
        for shown, meant in ((question.a, own.a), (question.b, own.b)):
            assert [space.values(x)["item"] for x in shown] == [names[k] for k in method._numbers(meant)]
        session.tell([-1])
