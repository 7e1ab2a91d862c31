"""What the tests in a real browser share: a person's place in a study, keys, and waiting for the page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from steelyard.web.client import Client

from .serving import Server

PHONE = {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True}
LANDSCAPE = {"width": 844, "height": 390, "deviceScaleFactor": 2, "mobile": True}
WIDE = {"width": 2560, "height": 1300, "deviceScaleFactor": 1, "mobile": False}
PATIENCE = 120.0
"""Seconds that a test waits for the page: how quick a server is is measured elsewhere, on a machine that is free."""
KEY = {"left": Keys.ARROW_LEFT, "right": Keys.ARROW_RIGHT, "tie": "0"}


@dataclass(frozen=True)
class Place:
    """Where a person answers: the link, its token, and the server."""

    answer: str
    token: str
    base: str


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

    WebDriverWait(browser, PATIENCE, poll_frequency=0.03).until(there, f"{text!r} did not appear in {selector}")


def settle(browser: Any, count: str) -> None:
    """Until the page shows this count and takes an answer."""
    wait_for(browser, count, ".count")
    ready(browser)


def ready(browser: Any) -> None:
    """Until both sides have been shown long enough for an answer to count."""
    WebDriverWait(browser, PATIENCE, poll_frequency=0.03).until(
        lambda driver: driver.execute_script("return !document.querySelector('form.pair.wait')")
    )


def client(place: Place | Server) -> Client:
    return Client(place.base, place.token)


def complaints(browser: Any) -> list[str]:
    """What the console says: errors, and violations of the content security policy."""
    return [entry["message"] for entry in browser.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
