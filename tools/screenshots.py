"""The two pictures of the README: a question of the painter's demonstration, and a result; and two landings compared.

python tools/screenshots.py        needs chromium, chromedriver and selenium (tools/ensure.sh chromium)
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from steelyard.real.tasks import missing  # noqa: E402
from steelyard.studies.demos import DEMOS, Person  # noqa: E402
from steelyard.web.client import Client  # noqa: E402
from web.serving import Server  # noqa: E402


def main() -> None:
    images = ROOT / "docs" / "images"
    images.mkdir(parents=True, exist_ok=True)
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    with tempfile.TemporaryDirectory() as profile:
        flags = (
            "--headless=new --no-sandbox --disable-gpu --no-first-run --disable-background-networking --hide-scrollbars"
        )
        for flag in [*flags.split(), f"--user-data-dir={profile}"]:
            options.add_argument(flag)
        browser = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
        server = Server("try", "palette")
        try:
            api, person = Client(server.base, server.token), Person(DEMOS["palette"], seed=1)
            answer(api, person, 7)
            picture(browser, server.answer, images / "question.png", 640)
            answer(api, person, 100)
            check(api, person)
            picture(browser, f"{server.answer}/result", images / "result.png", 1120)
            server.stop()
            if reason := missing("lander"):
                print(reason)
            else:
                server = Server("serve", str(ROOT / "examples/studies/landing.toml"), "--data", f"{profile}/landing.db")
                picture(browser, server.answer, images / "landing.png", 680, patience=6.0)
        finally:
            server.stop()
            browser.quit()


def answer(api: Client, person: Person, most: int) -> None:
    state = api.question()
    while state["status"] == "asking" and state["progress"]["decided"] < most:
        question = state["question"]
        choice = person.choose(question["left"]["values"], question["right"]["values"])
        state = api.answer(question["id"], choice)


def check(api: Client, person: Person) -> None:
    while (question := api.check()["question"]) is not None:
        api.answer_check(question["id"], person.choose(question["left"]["values"], question["right"]["values"]))


def picture(browser: webdriver.Chrome, address: str, path: Path, height: int, patience: float = 1.0) -> None:
    size = {"width": 1280, "height": height, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.get(address)
    time.sleep(patience)
    browser.save_screenshot(str(path))
    print(path.name, path.stat().st_size // 1000, "kB")


if __name__ == "__main__":
    main()
