"""Accessibility: axe-core finds nothing to complain about on any page, light or dark, desktop or phone."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import httpx
import pytest

from steelyard.web.client import Client

from .browsing import PHONE
from .serving import Server, write_study

pytest.importorskip("selenium_axe_python")

ALL_ABOUT = """
[consent]
text = "We keep your answers."

[[before]]
name = "age"
label = "Your age"
type = "number"

[[before]]
name = "hearing"
label = "How well do you hear?"
type = "choice"
choices = ["well", "badly"]

[[after]]
name = "remarks"
label = "Anything else?"
required = false
"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Addresses of pages of every kind; one person is at each step of a study."""
    study = write_study(tmp_path_factory.mktemp("study"), budget=3)
    study.write_text(study.read_text() + ALL_ABOUT)
    server = Server("serve", str(study))
    organiser = Client(server.base, server.organiser.rsplit("/", 1)[1])

    def person(*steps: str) -> str:
        own = organiser.create_run("Ada")
        link = f"{server.base}/s/{own.token}"
        told = {
            "consent": {"agree": "yes"},
            "before": {"q.age": "40", "q.hearing": "well"},
            "after": {"q.remarks": "no"},
        }
        for step in steps:
            if step in told:
                assert httpx.post(f"{link}/{step}", data=told[step]).status_code == 303
            else:
                state = own.question() if step == "answer" else own.check()
                while state["status"] == "asking":
                    give = own.answer if step == "answer" else own.answer_check
                    state = give(state["question"]["id"], "left")
                    if step == "answer":
                        break
        return link

    ready = ("consent", "before")
    answered = (*ready, "answer", "answer", "answer")
    join = httpx.post(server.organiser, data={"kind": "join"}).text.split(server.base)[1].split("<")[0]
    yield {
        "consent": person(),
        "questionnaire": person("consent"),
        "question": person(*ready),
        "best": f"{person(*ready, 'answer')}/best",
        "last comparisons": f"{person(*answered)}/check",
        "afterwards": f"{person(*answered, 'check')}/result",
        "result": f"{person(*answered, 'check', 'after')}/result",
        "organiser": server.organiser,
        "join": server.base + join,
        "api": f"{server.base}/api",
        "message": f"{server.base}/s/unknown",
    }
    server.stop()


def violations(browser: Any) -> list[str]:
    """What axe has to say, each with the first element it is about."""
    browser.execute_script((files("selenium_axe_python") / "axe-core" / "axe.min.js").read_text(encoding="utf-8"))
    found = browser.execute_async_script(
        "const done = arguments[0]; axe.run(document, {resultTypes: ['violations'], iframes: false}).then(done)"
    )
    return [f"{v['id']} ({v['impact']}): {v['nodes'][0]['html'][:200]}" for v in found["violations"]]


KINDS = (
    *("consent", "questionnaire", "question", "best", "last comparisons", "afterwards", "result", "organiser"),
    *("join", "api", "message"),
)


@pytest.mark.parametrize("kind", KINDS)
def test_axe_finds_nothing(browser: Any, pages: dict[str, str], screen: Any, kind: str) -> None:
    said = {}
    for name, size, scheme in (("light", None, "light"), ("dark", None, "dark"), ("phone", PHONE, "light")):
        if size is not None:
            screen(size)
        browser.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        )
        browser.get(pages[kind])
        # Answers are greyed for a moment, until both sides have been shown.
        browser.execute_script("for (const f of document.querySelectorAll('form.wait')) f.classList.remove('wait')")
        said[name] = violations(browser)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    assert said == {"light": [], "dark": [], "phone": []}


def test_axe_would_find_something(browser: Any, tmp_path: Path) -> None:
    page = tmp_path / "bad.html"
    page.write_text("<!doctype html><html><body><img src='x.png'><input></body></html>")
    browser.get(page.as_uri())
    assert any("image-alt" in said for said in violations(browser))
