"""What strangers do, in a real browser: double clicks, sides that cannot be shown, long pages, sounds, phones."""

from __future__ import annotations

import struct
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from steelyard.web.client import Client

from .browsing import LANDSCAPE, PATIENCE, PHONE, WIDE, Place, client, press, ready, settle, wait_for
from .serving import Server, write_study

TONES = """
import io, wave, math, struct
def tone(size, warmth):
    out = io.BytesIO()
    with wave.open(out, "wb") as sound:
        sound.setparams((1, 2, 8000, 0, "NONE", ""))
        sound.writeframes(b"".join(struct.pack("<h", int(9000 * math.sin(i * size / 60))) for i in range(4000)))
    return out.getvalue()
"""


# Presses a key, and again in the moment in which the next pair is in the page: nobody can have seen that one. From
# outside the second press would come now before, now long after that moment.
KEY_AGAIN_AT_ONCE = """
const key = arguments[0];
window.pressed = 0;
const press = () => {
  window.pressed += 1;
  document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
};
new MutationObserver((_, observer) => { observer.disconnect(); press(); }).observe(document.body, { childList: true });
press();
"""


# "at work" while the page says so, or else how many questions are answered.
AT_WORK = """
return document.getElementById("working").hidden ? document.querySelector(".count").textContent : "at work";
"""


def clicks(browser: Any, gap: int) -> None:
    """Two clicks on the left button of whatever pair is there, `gap` milliseconds apart."""
    browser.execute_async_script(
        "const done = arguments[1]; const click = () => document.querySelector('button[value=left]').click();"
        "click(); setTimeout(() => { click(); done(); }, arguments[0]);",
        gap,
    )


def test_a_double_click_counts_once(browser: Any, study: Place) -> None:
    browser.get(study.answer)
    for number, gap in enumerate((100, 200, 300)):
        settle(browser, f"{number} of 8")
        clicks(browser, gap)
        settle(browser, f"{number + 1} of 8")
        time.sleep(0.3)
        assert client(study).result()["answers"] == number + 1
    browser.execute_script(KEY_AGAIN_AT_ONCE, "ArrowLeft")
    settle(browser, "4 of 8")
    assert browser.execute_script("return window.pressed") == 2
    assert client(study).result()["answers"] == 4


def test_what_cannot_be_shown_can_only_be_skipped(
    browser: Any,
    tmp_path: Path,
    serve: Callable[..., Server],
) -> None:
    (tmp_path / "unseen_for_test.py").write_text(
        "def view(size, warmth):\n    print('secret: no paint')\n    raise OSError('no paint')\n"
    )
    server = serve("serve", str(write_study(tmp_path, view='function = "unseen_for_test:view"\ntype = "png"')))
    browser.get(server.answer)
    wait_for(browser, "could not be shown")
    assert "paint" not in browser.page_source
    press(browser, Keys.ARROW_LEFT)
    press(browser, "0")
    time.sleep(0.5)
    assert client(server).result()["answers"] == 0
    browser.find_element(By.XPATH, "//button[contains(., 'Skip this pair')]").click()
    wait_for(browser, "1 of 8", ".count")
    assert client(server).result()["skipped"] == 1
    browser.get(server.organiser)
    wait_for(browser, "secret: no paint")


def test_arrow_down_only_scrolls_and_letters_can_be_switched_off(browser: Any, study: Place) -> None:
    browser.get(study.answer)
    settle(browser, "0 of 8")
    press(browser, Keys.ARROW_DOWN)
    time.sleep(0.3)
    assert client(study).result()["answers"] == 0
    press(browser, "0")
    settle(browser, "1 of 8")
    browser.find_element(By.ID, "letters").click()
    press(browser, "u")
    press(browser, "0")
    time.sleep(0.3)
    assert client(study).result()["answers"] == 1
    browser.find_element(By.ID, "letters").click()
    press(browser, "u")
    settle(browser, "0 of 8")


def test_long_pages_scroll_in_step_and_are_enlarged(
    browser: Any,
    tmp_path: Path,
    serve: Callable[..., Server],
) -> None:
    study = write_study(tmp_path)
    (tmp_path / "view.html").write_text(
        "<!doctype html><p>{{ size }} {{ warmth }}</p><div style='height:3000px'>x</div>"
    )
    server = serve("serve", str(study))
    browser.get(server.answer)
    settle(browser, "0 of 8")
    scrolled = "return [...document.querySelectorAll('.card iframe')].map(f => f.contentWindow.scrollY)"
    browser.execute_script("document.querySelector('.card iframe').contentWindow.scrollTo(0, 900)")
    for _ in range(50):
        if browser.execute_script(scrolled) == [900, 900]:
            break
        time.sleep(0.05)
    assert browser.execute_script(scrolled) == [900, 900]
    before = browser.execute_script("return document.querySelector('.card iframe').clientHeight")
    press(browser, "z")
    large = browser.execute_script("return [...document.querySelectorAll('.card iframe')].map(f => f.clientHeight)")
    assert min(large) > 1.3 * before
    assert browser.execute_script(
        "return [...document.querySelectorAll('.pick')].every(b => b.getBoundingClientRect().bottom <= innerHeight)"
    )
    press(browser, Keys.ESCAPE)
    browser.execute_script("document.querySelectorAll('.card iframe')[1].contentDocument.body.click()")
    settle(browser, "1 of 8")  # a click inside picks it, as one outside
    assert client(server).result()["history"][0]["choice"] == "right"


def test_sounds_must_both_be_heard(browser: Any, tmp_path: Path, serve: Callable[..., Server]) -> None:
    (tmp_path / "heard_for_test.py").write_text(TONES)
    server = serve("serve", str(write_study(tmp_path, view='function = "heard_for_test:tone"\ntype = "wav"')))
    browser.get(server.answer)
    wait_for(browser, "0 of 8", ".count")
    time.sleep(1.0)
    press(browser, Keys.ARROW_LEFT)
    time.sleep(0.3)
    assert client(server).result()["answers"] == 0  # nothing was played
    playing = "return [...document.querySelectorAll('.card audio')].map(a => a.dataset.heard === 'yes')"
    press(browser, "1")
    for _ in range(100):
        if browser.execute_script(playing)[0]:
            break
        time.sleep(0.05)
    press(browser, Keys.ARROW_LEFT)
    time.sleep(0.3)
    assert client(server).result()["answers"] == 0  # only one was
    press(browser, "2")
    assert browser.execute_script("return document.querySelectorAll('.card audio')[0].paused")  # one at a time
    ready(browser)
    assert browser.execute_script(
        "return [...document.querySelectorAll('canvas.wave')].every(c => c.dataset.drawn === 'yes')"
    )
    press(browser, Keys.ARROW_LEFT)
    wait_for(browser, "1 of 8", ".count")


def test_parts_of_sounds_are_served(tmp_path: Path, serve: Callable[..., Server]) -> None:
    (tmp_path / "ranged_for_test.py").write_text(TONES)
    server = serve("serve", str(write_study(tmp_path, view='function = "ranged_for_test:tone"\ntype = "wav"')))
    view = Client(server.base, server.token).question()["question"]["left"]["view"]
    whole = httpx.get(server.base + view)
    part = httpx.get(server.base + view, headers={"range": "bytes=10-19"})
    assert (part.status_code, part.content) == (206, whole.content[10:20])
    assert part.headers["content-range"] == f"bytes 10-19/{len(whole.content)}"
    assert httpx.get(server.base + view, headers={"range": "bytes=-4"}).content == whole.content[-4:]
    assert httpx.get(server.base + view, headers={"range": "bytes=99999999-"}).status_code == 416


def test_screens_of_all_sizes(
    browser: Any,
    tmp_path: Path,
    serve: Callable[..., Server],
    screen: Any,
) -> None:
    server = serve("try", "palette", "--data", str(tmp_path / "try.db"))
    box = "const r = document.querySelector(arguments[0]).getBoundingClientRect();"
    box += "return [r.left, r.top, r.right, r.bottom]"
    screen(LANDSCAPE)
    browser.get(server.answer)
    settle(browser, "0 of 33")
    for selector in ("button[value=left]", "button[value=right]", "button[value=tie]"):
        assert browser.execute_script(box, selector)[3] <= 390, selector
    screen(PHONE)
    browser.get(server.answer)
    settle(browser, "0 of 33")
    tall = [browser.execute_script(box, s) for s in (".reference .view", "[data-choice=left] .view")]
    (target, candidate) = ((b[2] - b[0]) * (b[3] - b[1]) for b in tall)
    assert target >= 0.95 * candidate
    screen(WIDE)
    browser.get(server.answer)
    settle(browser, "0 of 33")
    left, right = (browser.execute_script(box, s) for s in ("[data-choice=left]", "[data-choice=right]"))
    assert right[2] - left[0] > 0.85 * 2560


def png(size: float) -> bytes:
    """A small grey picture."""
    rows = b"".join(b"\0" + bytes([int(size) * 5 % 256]) * 64 for _ in range(64))

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", 64, 64, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def test_a_slow_picture_is_waited_for(browser: Any, tmp_path: Path, serve: Callable[..., Server]) -> None:
    (tmp_path / "slow_for_test.py").write_text(
        "import time\nfrom pathlib import Path\ndef view(size, warmth):\n    time.sleep(1.5)\n"
        "    return Path(__file__).with_name('dot.png').read_bytes()\n"
    )
    (tmp_path / "dot.png").write_bytes(png(20))
    server = serve("serve", str(write_study(tmp_path, view='function = "slow_for_test:view"\ntype = "png"')))
    browser.get(server.answer)
    settle(browser, "0 of 8")
    browser.find_element(By.CSS_SELECTOR, ".enlarge").click()
    assert browser.execute_script("return document.querySelector('.card img').clientHeight") > 500
    press(browser, Keys.ESCAPE)
    press(browser, Keys.ARROW_RIGHT)
    settle(browser, "1 of 8")


def test_a_picture_that_is_none_can_be_skipped_or_tried_again(
    browser: Any, tmp_path: Path, serve: Callable[..., Server]
) -> None:
    (tmp_path / "torn_for_test.py").write_text("def view(size, warmth):\n    return b'no picture at all'\n")
    server = serve("serve", str(write_study(tmp_path, view='function = "torn_for_test:view"\ntype = "png"')))
    browser.get(server.answer)
    wait_for(browser, "You can try again, or skip this pair")  # the browser has found out
    assert not browser.find_element(By.CSS_SELECTOR, "button[value=left]").is_enabled()
    press(browser, Keys.ARROW_LEFT)
    press(browser, "0")
    browser.find_element(By.XPATH, "//button[contains(., 'Try to show it again')]").click()
    wait_for(browser, "0 of 8", ".count")
    wait_for(browser, "You can try again, or skip this pair")
    assert client(server).result()["answers"] == 0
    browser.find_element(By.XPATH, "//button[contains(., 'Skip this pair')]").click()
    wait_for(browser, "1 of 8", ".count")
    assert client(server).result()["skipped"] == 1


def test_a_long_wait_shows_that_work_goes_on(browser: Any, tmp_path: Path, serve: Callable[..., Server]) -> None:
    (tmp_path / "painter_for_test.py").write_text(
        "import time\nfrom pathlib import Path\ndef view(size, warmth):\n"
        "    while Path(__file__).with_name('wait').exists(): time.sleep(0.05)\n    return f'{size} {warmth}'\n"
    )
    server = serve("serve", str(write_study(tmp_path, view='function = "painter_for_test:view"\ntype = "text"')))
    browser.get(server.answer)
    settle(browser, "0 of 8")
    (tmp_path / "wait").touch()
    for number in range(1, 8):  # what was painted ahead is shown at once, all else has to wait
        press(browser, Keys.ARROW_LEFT)
        WebDriverWait(browser, PATIENCE, poll_frequency=0.05).until(
            lambda driver, n=number: driver.execute_script(AT_WORK) in ("at work", f"{n} of 8")
        )
        if browser.execute_script(AT_WORK) == "at work":
            break
        ready(browser)
    assert "working on the next question" in browser.find_element(By.ID, "working").text
    (tmp_path / "wait").unlink()
    settle(browser, f"{number} of 8")
    assert not browser.find_element(By.ID, "working").is_displayed()


def test_the_organisers_page_follows_the_answers(browser: Any, tmp_path: Path, serve: Callable[..., Server]) -> None:
    server = serve("serve", str(write_study(tmp_path)))
    browser.get(server.organiser)
    wait_for(browser, "0 answers by 1 person")
    own = client(server)
    for number in (1, 2):
        own.answer(own.question()["question"]["id"], "left")
        wait_for(browser, f"{number} answers by 1 person")  # by itself
    httpx.post(server.organiser, data={"act": "pause"})
    wait_for(browser, "The study is paused")
