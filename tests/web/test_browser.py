"""The pages in a real browser: keys, mouse, undo, two tabs, reload, a killed server, a phone, the demonstrations."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from steelyard.studies.demos import DEMOS, Person
from steelyard.web.client import Client

from .serving import Server, write_study

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(
    not (CHROMIUM and DRIVER), reason="the browser tests need chromium and chromedriver (make browser)"
)

FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --disable-dev-shm-usage --hide-scrollbars --window-size=1280,930"
)
KEY = {"left": Keys.ARROW_LEFT, "right": Keys.ARROW_RIGHT, "tie": "0"}


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in [*FLAGS.split(), f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"]:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    driver.set_page_load_timeout(60)
    yield driver
    driver.quit()


@pytest.fixture
def serve() -> Iterator[Callable[..., Server]]:
    servers: list[Server] = []

    def start(*arguments: str) -> Server:
        servers.append(Server(*arguments))
        return servers[-1]

    yield start
    for server in servers:
        server.stop()


@dataclass(frozen=True)
class Place:
    """Where a person answers: the link, its token, and the server."""

    answer: str
    token: str
    base: str


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server("serve", str(write_study(tmp_path_factory.mktemp("study"))))
    yield server
    server.stop()


@pytest.fixture
def study(server: Server) -> Place:
    """A new person in the small study."""
    token = Client(server.base, server.organiser.rsplit("/", 1)[1]).create_run().token
    return Place(f"{server.base}/s/{token}", token, server.base)


def press(browser: Any, key: str) -> None:
    browser.find_element(By.TAG_NAME, "body").send_keys(key)


def wait_for(browser: Any, text: str, selector: str = "main") -> None:
    """Until the element shows the text; the page replaces its content, so an element may go stale meanwhile."""

    def there(driver: Any) -> bool:
        return driver.execute_script(
            "const e = document.querySelector(arguments[0]); return !!e && !e.closest('[aria-busy]') && "
            "e.textContent.includes(arguments[1])",
            selector,
            text,
        )

    WebDriverWait(browser, 30, poll_frequency=0.03).until(there, f"{text!r} did not appear in {selector}")


def settle(browser: Any, count: str) -> None:
    """Until the page shows this count and takes an answer."""
    wait_for(browser, count, ".count")
    ready(browser)


def ready(browser: Any) -> None:
    """Until both sides have been shown long enough for an answer to count."""
    WebDriverWait(browser, 30, poll_frequency=0.03).until(
        lambda driver: driver.execute_script("return !document.querySelector('form.pair.wait')")
    )


def client(place: Place | Server) -> Client:
    return Client(place.base, place.token)


def complaints(browser: Any) -> list[str]:
    """What the console says: errors, and violations of the content security policy."""
    return [entry["message"] for entry in browser.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]


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
    WebDriverWait(browser, 20).until(
        lambda driver: driver.execute_script(
            "return [...document.querySelectorAll('audio')].map(a => a.duration).join() === '1,1'"
        )
    )
    assert complaints(browser) == []


@pytest.mark.parametrize("name", list(DEMOS))
def test_a_simulated_person_finishes_the_demonstration(
    browser: Any, serve: Callable[..., Server], tmp_path: Path, name: str
) -> None:
    demo = DEMOS[name]
    server = serve("try", name, "--data", str(tmp_path / "try.db"))
    person, api = Person(demo, seed=1), client(server)
    browser.get(server.answer)
    settle(browser, "0 of 33")  # 30 and three repeats
    complaints(browser)
    while (state := api.question())["status"] == "asking":
        question = state["question"]
        choice = person.choose(question["left"]["values"], question["right"]["values"])
        press(browser, KEY[choice])
        if state["progress"]["given"] < 32:
            settle(browser, f"{state['progress']['given'] + 1} of 33")
        else:
            wait_for(browser, "Last comparisons")
    result = api.result()
    assert demo.badness(result["best"]) < 0.6 * demo.badness(result["start"])
    assert complaints(browser) == []
