"""Choices among several in a real browser: keys, clicks, ties, undo, dragging; on a phone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from .browsing import LANDSCAPE, PHONE, client, press, settle
from .serving import Server, write_study

DRAG = """
const [from, to] = [...arguments].map((n) => document.querySelector(`.card[data-number="${n}"]`));
const data = new DataTransfer();
from.dispatchEvent(new DragEvent("dragstart", { dataTransfer: data, bubbles: true }));
to.dispatchEvent(new DragEvent("dragover", { dataTransfer: data, bubbles: true, cancelable: true }));
to.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
"""
PLACES = "return [...document.querySelectorAll('form.ordered select')].map((list) => list.value).join('')"
BOXES = "return [...document.querySelectorAll(arguments[0])].map((e) => e.getBoundingClientRect().toJSON())"


def choices(server: Server) -> list[str]:
    return [row["choice"] for row in client(server).result()["history"]]


def test_the_best_of_four_by_keys_and_clicks(
    browser: Any, tmp_path: Path, serve: Callable[..., Server], screen: Any
) -> None:
    study = write_study(tmp_path, method="preference-gp", options="choose = 4")
    server = serve("serve", str(study))
    browser.get(server.answer)
    settle(browser, "0 of 8")
    cards = browser.execute_script(BOXES, ".several .card")
    assert len(cards) == 4
    assert len({round(card["left"]) for card in cards}) == 2  # two by two
    assert len({round(card["top"]) for card in cards}) == 2
    press(browser, "3")
    settle(browser, "1 of 8")
    browser.find_element(By.CSS_SELECTOR, '.card[data-number="2"] .stage').click()
    settle(browser, "2 of 8")
    press(browser, "0")
    settle(browser, "3 of 8")
    assert choices(server) == ["3", "2", "tie"]
    press(browser, "u")
    settle(browser, "2 of 8")
    press(browser, "4")
    settle(browser, "3 of 8")
    assert choices(server) == ["3", "2", "4"]
    for size, height in ((PHONE, 844), (LANDSCAPE, 390)):
        screen(size)
        browser.get(server.answer)
        settle(browser, "3 of 8")
        buttons = browser.execute_script(BOXES, ".several .pick")
        assert max(button["bottom"] for button in buttons) <= height
        assert browser.execute_script("return document.documentElement.scrollWidth") <= size["width"]


def test_an_order_by_keys_clicks_and_dragging(browser: Any, tmp_path: Path, serve: Callable[..., Server]) -> None:
    study = write_study(tmp_path, method="preference-gp", options="choose = 4\nranking = true")
    server = serve("serve", str(study))
    browser.get(server.answer)
    settle(browser, "0 of 8")
    for key in "2143":
        press(browser, key)
    assert browser.execute_script(PLACES) == "2143"
    press(browser, Keys.ENTER)
    settle(browser, "1 of 8")
    press(browser, "3")
    browser.find_element(By.CSS_SELECTOR, '.card[data-number="1"] .stage').click()
    press(browser, Keys.ENTER)  # two are missing: nothing is sent
    for key in "=42":
        press(browser, key)
    assert browser.execute_script(PLACES) == "2312"  # the fourth ties with the first
    press(browser, Keys.ENTER)
    settle(browser, "2 of 8")
    press(browser, "1")
    press(browser, Keys.BACKSPACE)
    assert browser.execute_script(PLACES) == ""
    browser.execute_script(DRAG, 1, 4)
    assert browser.execute_script(PLACES) == "4231"
    browser.find_element(By.CSS_SELECTOR, "button.send").click()
    settle(browser, "3 of 8")
    assert choices(server) == ["2>1>4>3", "3>1=4>2", "4>2>3>1"]
    press(browser, "u")
    settle(browser, "2 of 8")
    press(browser, "0")
    settle(browser, "3 of 8")
    assert choices(server)[-1] == "tie"
