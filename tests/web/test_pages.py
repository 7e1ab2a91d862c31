"""The pages without a browser: plain forms, the result, the downloads, the colours."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import steelyard.web
from steelyard.studies.demos import DEMOS, Person
from steelyard.studies.open_study import OpenStudy
from steelyard.studies.simulate import simulated
from steelyard.web.plot import path_plots
from steelyard.web.server import open_file

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
    result = simulated(opened, Person(demo, seed=1))
    opened.close()
    assert result["answers"] == 30
    assert demo.badness(result["best"]) < 0.6 * demo.badness(result["start"])
    assert result["check"]["result"] >= 4
