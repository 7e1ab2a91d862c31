"""The pages in a real browser: keys, mouse, undo, two tabs, reload, a killed server, a phone, the demonstrations."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from steelyard.studies.demos import DEMOS, Demo, Person
from steelyard.web.server import open_file

from .browsing import KEY, PATIENCE, Place, client, complaints, press, settle, wait_for
from .serving import Server, write_study


def test_a_whole_study_by_keyboard(browser: Any, study: Place) -> None:
    browser.get(study.answer)
    settle(browser, "0 of 8")
    complaints(browser)
    keys = ["left", "right", "tie", "left", "right", "right", "left", "tie"]
    for number, key in enumerate(keys, 1):
        press(browser, KEY[key])
        if number == 4:  # take one back and give it again
            settle(browser, "4 of 8")
            press(browser, "u")
            settle(browser, "3 of 8")
            press(browser, KEY[key])
        if number < 8:
            settle(browser, f"{number} of 8")
    wait_for(browser, "Last comparisons")  # they come before the result
    browser.get(f"{study.answer}/result")
    wait_for(browser, "Your result", "h1")
    assert [row["choice"] for row in client(study).result()["history"]] == keys
    assert len(browser.find_elements(By.CSS_SELECTOR, "svg.plot")) == 2
    assert complaints(browser) == []
    names = browser.execute_script("return performance.getEntriesByType('resource').map(e => e.name)")
    assert all(name.startswith(study.base) for name in names)


def test_a_study_by_mouse_with_the_blind_check(browser: Any, study: Place) -> None:
    browser.get(study.answer)
    settle(browser, "0 of 8")
    browser.find_element(By.CSS_SELECTOR, "[data-choice=left] .stage").click()  # the candidate itself
    settle(browser, "1 of 8")
    browser.find_element(By.CSS_SELECTOR, "button[value=right]").click()
    settle(browser, "2 of 8")
    browser.find_element(By.CSS_SELECTOR, "button[value=tie]").click()
    settle(browser, "3 of 8")
    browser.find_element(By.CSS_SELECTOR, "button[data-key=undo]").click()
    settle(browser, "2 of 8")
    for number in range(3, 8):
        browser.find_element(By.CSS_SELECTOR, "button[value=left]").click()
        settle(browser, f"{number} of 8")
    browser.find_element(By.LINK_TEXT, "Current best").click()
    wait_for(browser, "The current best", "h1")
    browser.find_element(By.LINK_TEXT, "Go on").click()
    settle(browser, "7 of 8")
    browser.find_element(By.XPATH, "//button[contains(., 'Finish now')]").click()
    for number in range(12):
        if client(study).check()["status"] == "finished":
            break
        settle(browser, f"{number} of")
        browser.find_element(By.CSS_SELECTOR, "button[value=left]").click()
    wait_for(browser, "Your result", "h1")
    assert client(study).result()["check"]["asked"] == 2


def test_two_tabs_and_a_reload_count_once(browser: Any, study: Place) -> None:
    browser.get(study.answer)
    settle(browser, "0 of 8")
    first = browser.current_window_handle
    shown = [frame.get_attribute("src") for frame in browser.find_elements(By.TAG_NAME, "iframe")]
    browser.switch_to.new_window("tab")
    browser.get(study.answer)
    settle(browser, "0 of 8")
    assert [frame.get_attribute("src") for frame in browser.find_elements(By.TAG_NAME, "iframe")] == shown
    press(browser, KEY["left"])
    settle(browser, "1 of 8")
    browser.close()
    browser.switch_to.window(first)
    press(browser, KEY["right"])  # this tab still shows the answered question
    wait_for(browser, "nothing was counted twice")
    settle(browser, "1 of 8")
    browser.refresh()
    settle(browser, "1 of 8")
    press(browser, KEY["right"])
    settle(browser, "2 of 8")
    browser.back()
    browser.forward()
    history = client(study).result()["history"]
    assert [row["choice"] for row in history] == ["left", "right"]


def test_a_server_killed_in_the_middle_loses_nothing(
    browser: Any, tmp_path: Path, serve: Callable[..., Server]
) -> None:
    study = serve("serve", str(write_study(tmp_path)))
    browser.get(study.answer)
    settle(browser, "0 of 8")
    press(browser, KEY["left"])
    settle(browser, "1 of 8")
    study.kill()
    press(browser, KEY["right"])  # nobody is there to hear it
    wait_for(browser, "No connection", "#trouble")
    link = study.answer
    study.start()
    settle(browser, "2 of 8")
    assert not browser.find_element(By.ID, "trouble").is_displayed()
    browser.get(link)  # the old link still works
    settle(browser, "2 of 8")
    assert [row["choice"] for row in client(study).result()["history"]] == ["left", "right"]


def test_on_a_phone(browser: Any, study: Place) -> None:
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride", {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True}
    )
    try:
        for page in ("", "/best", "/result"):
            browser.get(study.answer + page)
            width = browser.execute_script("return document.documentElement.scrollWidth")
            assert width <= 390, page
        browser.get(study.answer)
        settle(browser, "0 of 8")
        for button in browser.find_elements(By.CSS_SELECTOR, "main button"):
            assert button.size["height"] >= 44
        bottoms = browser.execute_script(
            "return [...document.querySelectorAll('.pick')].map(e => e.getBoundingClientRect().bottom)"
        )
        assert max(bottoms) <= 844  # both candidates and both buttons without scrolling
        browser.find_element(By.CSS_SELECTOR, "button[value=right]").click()
        settle(browser, "1 of 8")
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_readable_without_eyes_or_mouse(browser: Any, study: Place) -> None:
    browser.get(study.answer)
    settle(browser, "0 of 8")
    assert browser.find_element(By.TAG_NAME, "html").get_attribute("lang") == "en"
    assert len(browser.find_elements(By.TAG_NAME, "h1")) == 1
    for selector in ("iframe", "button", "progress", "a", "main form"):
        for element in browser.find_elements(By.CSS_SELECTOR, selector):
            hidden = selector == "main form" and not element.get_attribute("aria-labelledby")
            assert hidden or element.accessible_name.strip(), selector
    reached = []
    for _ in range(8):
        press_tab = browser.switch_to.active_element
        press_tab.send_keys(Keys.TAB)
        reached.append(browser.switch_to.active_element.accessible_name)
    assert any("A is better" in name for name in reached)
    assert any("B is better" in name for name in reached)
    assert any("Can't tell" in name for name in reached)
    browser.find_element(By.CSS_SELECTOR, "button[value=left]").send_keys(Keys.ENTER)
    settle(browser, "1 of 8")
    assert browser.switch_to.active_element.get_attribute("value") == "left"  # the focus stays where it was
    assert "1 of 8" in browser.find_element(By.ID, "live").get_attribute("textContent")


def test_sounds_can_be_played(browser: Any, tmp_path: Path, serve: Callable[..., Server]) -> None:
    (tmp_path / "tones_for_test.py").write_text(
        "import io, wave\n"
        "def tone(size, warmth):\n"
        "    out = io.BytesIO()\n"
        "    with wave.open(out, 'wb') as sound:\n"
        "        sound.setparams((1, 2, 8000, 0, 'NONE', ''))\n"
        "        sound.writeframes(bytes(16000))\n"
        "    return out.getvalue()\n"
    )
    server = serve("serve", str(write_study(tmp_path, view='function = "tones_for_test:tone"\ntype = "wav"')))
    complaints(browser)
    browser.get(server.answer)
    WebDriverWait(browser, PATIENCE).until(
        lambda driver: driver.execute_script(
            "return [...document.querySelectorAll('audio')].map(a => a.duration).join() === '1,1'"
        )
    )
    assert complaints(browser) == []


@pytest.mark.parametrize("name", list(DEMOS))
def test_a_simulated_person_finishes_the_demonstration(
    browser: Any, serve: Callable[..., Server], tmp_path: Path, name: str
) -> None:
    """All answers by hand in one of them; in the others the first three, and the last two of somebody else's run."""
    demo, data = DEMOS[name], tmp_path / "try.db"
    half_way = "" if name == "palette" else answered_here(demo, data, 31)
    server = serve("try", name, "--data", str(data))
    answer_by_hand(browser, server, Person(demo, seed=1), range(33) if name == "palette" else range(3))
    finished = server
    if half_way:
        finished = Place(f"{server.base}/s/{half_way}", half_way, server.base)
        answer_by_hand(browser, finished, Person(demo, seed=1), range(31, 33))
    result = client(finished).result()
    assert result["answers"] == 30
    assert demo.badness(result["best"]) < 0.6 * demo.badness(result["start"])


def answered_here(demo: Demo, data: Path, count: int) -> str:
    """Some answers of the simulated person, without a server, which would think ahead; the token of their link."""
    opened, person = open_file(demo.study(), data, ahead=False), Person(demo, seed=1)
    rater, token = opened.add_rater("simulated")
    for _ in range(count):
        asked = opened.runs.question(rater)
        assert asked is not None
        opened.runs.answer(
            rater, asked.id, person.choose(opened.runs.values(asked.left), opened.runs.values(asked.right))
        )
    opened.close()
    return token


def answer_by_hand(browser: Any, place: Place | Server, person: Person, numbers: range) -> None:
    """These answers of 33, which are 30 and three repeats."""
    browser.get(place.answer)
    settle(browser, f"{numbers[0]} of 33")
    complaints(browser)
    for given in numbers:
        question = client(place).question()["question"]
        press(browser, KEY[person.choose(question["left"]["values"], question["right"]["values"])])
        if given < 32:
            settle(browser, f"{given + 1} of 33")
        else:
            wait_for(browser, "Last comparisons")
    assert complaints(browser) == []
