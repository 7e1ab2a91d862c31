"""The pages without a browser: plain forms, the result, the downloads, the colours."""

from __future__ import annotations

import csv
import io
import re
from contextlib import suppress
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import steelyard.web
from steelyard.space import Parameter
from steelyard.studies.database import StoreUnavailable
from steelyard.studies.demos import DEMOS, Person
from steelyard.studies.events import Event
from steelyard.studies.open_study import OpenStudy
from steelyard.studies.simulate import simulate_run
from steelyard.studies.sqlite import SQLiteDatabase
from steelyard.studies.study import study_from_dict
from steelyard.web.app import make_app
from steelyard.web.plot import path_plots
from steelyard.web.server import open_file

from .conftest import study_data

STYLE = (Path(steelyard.web.__file__).parent / "static" / "style.css").read_text()


def field(page: str, form: str) -> str:
    """The hidden question id in the form that posts to `form`."""
    return page.split(f'{form}"')[1].split('name="question" value="')[1].split('"')[0]


def test_plain_forms_without_scripts(opened: OpenStudy, web: TestClient) -> None:
    link = f"/s/{opened.add_rater('Ada')[1]}"
    page = web.get(link).text
    assert "0 of 12" in page
    first = field(page, "/answer")
    page = web.post(f"{link}/answer", data={"question": first, "choice": "left"}).text
    assert "1 of 12" in page
    page = web.post(f"{link}/answer", data={"question": first, "choice": "left"}).text  # the back button
    assert "1 of 12" in page
    assert "nothing was counted twice" in page
    page = web.post(f"{link}/undo", data={"question": field(page, "/undo")}).text
    assert "0 of 12" in page
    assert "taken back" in page
    assert web.post(f"{link}/answer", data={"question": first, "choice": "sideways"}).status_code == 422
    assert web.post(f"{link}/nothing").status_code == 404


def test_the_result_page_and_downloads(opened: OpenStudy, web: TestClient) -> None:
    rater, token = opened.add_rater("=Ada")
    link = f"/s/{token}"
    assert "so far" in web.get(f"{link}/result").text
    for choice in ("left", "tie", "right", "left", "right"):
        asked = opened.runs.question(rater)
        assert asked is not None
        opened.runs.answer(rater, asked.id, choice)  # type: ignore[arg-type]
    assert "Go on" in web.get(f"{link}/best").text
    assert "Last comparisons" in web.post(f"{link}/finish").text
    page = web.get(f"{link}/result").text
    assert "Your result" in page
    assert "How sure is this?" in page
    assert "too few answers to say" in page
    assert 'id="settled"' not in page  # no bar where nothing can be said
    assert page.count('<svg class="plot"') == 2
    assert str(web.get(link).url).endswith("/check")
    result = web.get(f"{link}/result.json").json()
    assert [row["choice"] for row in result["history"]] == ["left", "tie", "right", "left", "right"]
    rows = list(csv.DictReader(io.StringIO(web.get(f"{link}/result.csv").text)))
    assert len(rows) == 5
    assert rows[0]["rater"] == "'=Ada"  # not a formula
    assert float(rows[0]["left.size"]) == pytest.approx(result["history"][0]["left"]["size"])
    page = web.post(f"{link}/more").text
    assert "5 of 15" in page


def test_a_plot_says_what_it_shows(opened: OpenStudy) -> None:
    rater, _ = opened.add_rater("Ada")
    plots = path_plots(opened.run_state(rater))  # no answers yet
    assert "size: from 10 px to 10 px in 0 answers" in plots[0]


def colours(css: str) -> dict[str, str]:
    return dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6});", css))


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


@pytest.mark.parametrize("dark", [False, True])
def test_text_has_contrast_aa(dark: bool) -> None:
    light_css, dark_css = STYLE.split("@media (prefers-color-scheme: dark)")
    named = colours(light_css) | (colours(dark_css) if dark else {})
    pairs = [(ink, paper) for ink in ("ink", "soft", "accent") for paper in ("paper", "card")]
    pairs += [
        ("accent-ink", "accent"),
        ("ink", "accent-soft"),
        ("ink", "warm-soft"),
        ("paper", "bad"),
        ("warm", "card"),
    ]
    for ink, paper in pairs:
        bright, dim = sorted((luminance(named[ink]), luminance(named[paper])), reverse=True)
        assert (bright + 0.05) / (dim + 0.05) >= 4.5, (ink, paper)


@pytest.mark.parametrize("name", list(DEMOS))
def test_a_simulated_person_finds_something_clearly_better(name: str, tmp_path: Path) -> None:
    demo = DEMOS[name]
    opened = open_file(demo.study(), tmp_path / "demo.db", ahead=False)
    result = simulate_run(opened, Person(demo, seed=1))
    opened.close()
    assert result["answers"] == 30
    assert demo.badness(result["best"]) < 0.6 * demo.badness(result["start"])
    assert result["check"]["result"] >= 4


def test_a_full_disk_is_said_to_raters_and_to_the_organiser(opened: OpenStudy, web: TestClient) -> None:
    link = f"/s/{opened.add_rater('Ada')[1]}"
    organiser = f"/o/{opened.store.add_token('organiser')}"
    question = field(web.get(link).text, "/answer")
    database = opened.store.database
    assert isinstance(database, SQLiteDatabase)
    other, _ = opened.add_rater("Ben")
    pages = database._writer.execute("pragma page_count").fetchone()[0]
    database._writer.execute(f"pragma max_page_count={pages + 4}")
    with suppress(StoreUnavailable):
        for number in range(200):  # each fills a page of the file
            opened.store.append(Event(other.run, other.id, "form", f"{number}", points="x" * 4000))
    refused = web.post(f"{link}/answer", data={"question": question, "choice": "left"})
    assert refused.status_code == 503
    assert refused.headers["x-trouble"] == "disk-full"  # the page goes on sending it
    assert "disk is full" in refused.text
    assert "Please wait" in refused.text
    health = web.get("/healthz")
    assert (health.status_code, health.json()["ok"]) == (503, False)
    assert "disk is full" in health.json()["problem"]
    assert "disk is full" in web.get(organiser).text
    database._writer.execute("pragma max_page_count=100000")
    assert "1 of 12" in web.post(f"{link}/answer", data={"question": question, "choice": "left"}).text
    assert web.get("/healthz").json() == {"ok": True}


def test_numbers_have_the_digits_that_the_interval_justifies() -> None:
    parameter = Parameter("size", low=8.0, high=40.0, unit="px")
    assert parameter.text_within(12.34567, 10.0) == "12 px"
    assert parameter.text_within(12.34567, 1.0) == "12.3 px"
    assert parameter.text_within(12.34567, 0.04) == "12.346 px"
    assert parameter.text_within(1234.5, 700.0) == "1200 px"


def test_categories_come_with_probabilities_and_numbers_with_an_interval(tmp_path: Path) -> None:
    parameters = [{"name": "hue", "categories": ["red", "green", "blue"]}, {"name": "size", "low": 0, "high": 1}]
    (tmp_path / "hue.html").write_text("<p>{{ hue }} {{ size }}</p>")
    data = study_data(parameters=parameters, view={"template": "hue.html"}, method="preference-gp", options={})
    opened = open_file(study_from_dict(data, tmp_path), tmp_path / "x.db", ahead=False)
    rater, token = opened.add_rater("Ada")
    for _ in range(10):
        asked = opened.runs.question(rater)
        assert asked is not None
        liked = [opened.runs.values(point)["hue"] == "green" for point in (asked.left, asked.right)]
        opened.answer(rater, asked.id, "left" if liked[0] else "right" if liked[1] else "tie")
    page = TestClient(make_app(opened, None), base_url="http://testserver").get(f"/s/{token}/result").text
    opened.close()
    hue, size = (page.split(f'<th scope="row">{name}</th>')[1].split("</tr>")[0] for name in ("hue", "size"))
    shares = dict(re.findall(r"<div>(\w+) (\d+)%</div>", hue))
    assert shares.keys() == {"red", "green", "blue"}
    assert 98 <= sum(map(int, shares.values())) <= 102
    assert max(shares, key=lambda name: int(shares[name])) == "green"
    assert re.search(r"<td>0\.\d to \d(\.\d+)?</td>", size)
