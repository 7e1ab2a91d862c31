"""Look at the built site in a real browser, on a desktop and on a phone: pictures of pages, search, links, overflow.

make docs && python tools/look_at_site.py site pictures        needs chromium, chromedriver, selenium

Exits with 1 if a link inside the site leads nowhere, a page is wider than the phone, the browser complains, or search
finds nothing.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
import threading
import time
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

PAGES = (
    "index.html", "gallery/index.html", "faq.html", "glossary.html", "theory.html", "platforms.html", "choosing.html",
    "howto/bridges.html", "reference/index.html", "results/cqn.html", "results/bbob.html", "results/reproduction.html",
    "results/cutest.html", "gallery/chess.html", "gallery/recorded-choices.html", "gallery/learned-judges.html",
    "gallery/simulations.html", "gallery/control.html",
)  # fmt: skip
SIZES = {"desktop": (1280, 1000, False), "phone": (390, 844, True)}


class Links(HTMLParser):
    """What a page links to and shows, and the places in it that can be linked to."""

    def __init__(self) -> None:
        super().__init__()
        self.to: list[str] = []
        self.places: set[str] = {""}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.to.append(value)
            if name in ("id", "name") and value:
                self.places.add(value)


class Quiet(SimpleHTTPRequestHandler):
    """Serves files without a line for each."""

    def log_message(self, *_: object) -> None:
        pass


def broken_links(site: Path) -> list[str]:
    """Links inside the site that lead to no file, or to no place in it."""
    pages = {}
    for path in site.rglob("*.html"):
        pages[path.resolve()] = links = Links()
        links.feed(path.read_text(encoding="utf-8"))
    wrong = []
    for path, links in pages.items():
        if path.name == "404.html":
            continue
        for link in links.to:
            if re.match(r"\w+:|//", link):
                continue
            file, _, place = link.partition("#")
            target = (path.parent / unquote(file.partition("?")[0])).resolve() if file else path
            target = target / "index.html" if target.is_dir() else target
            if not target.is_file():
                wrong.append(f"{path.relative_to(site.resolve())}: {link} is not there")
            elif target in pages and not place.startswith("__") and unquote(place) not in pages[target].places:
                wrong.append(f"{path.relative_to(site.resolve())}: {link} has no such place")
    return wrong


def browser(width: int, height: int, phone: bool, profile: str) -> webdriver.Chrome:
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    flags = "--headless=new --no-sandbox --disable-gpu --no-first-run --disable-background-networking --hide-scrollbars"
    for flag in [*flags.split(), f"--user-data-dir={profile}", f"--window-size={width},{height}"]:
        options.add_argument(flag)
    if phone:
        metrics = {"width": width, "height": height, "pixelRatio": 2.0}
        options.add_experimental_option("mobileEmulation", {"deviceMetrics": metrics})
    options.set_capability("goog:loggingPrefs", {"browser": "SEVERE"})
    return webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))


def look(site: Path, pictures: Path) -> list[str]:
    pictures.mkdir(parents=True, exist_ok=True)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{server.server_address[1]}"
    wrong = broken_links(site)
    for name, (width, height, phone) in SIZES.items():
        with tempfile.TemporaryDirectory() as profile:
            seen = browser(width, height, phone, profile)
            try:
                for page in PAGES:
                    seen.get(f"{base}/{page}")
                    time.sleep(0.5)
                    wide = int(seen.execute_script("return document.documentElement.scrollWidth"))
                    if wide > width:
                        wrong.append(f"{page} is {wide} wide on a {name} of {width}")
                    missing = seen.execute_script(
                        "return [...document.images].filter(i => i.complete && !i.naturalWidth).map(i => i.src)"
                    )
                    wrong += [f"{page}: {picture} is not shown" for picture in missing]
                    seen.save_screenshot(str(pictures / f"{name}-{page.replace('/', '-')}.png"))
                wrong += search(seen, base, name, pictures)
                wrong += [json.dumps(line["message"]) for line in seen.get_log("browser")]
            finally:
                seen.quit()
    server.shutdown()
    return wrong


def search(seen: webdriver.Chrome, base: str, name: str, pictures: Path) -> list[str]:
    seen.get(f"{base}/index.html")
    time.sleep(0.5)
    if name == "phone":
        seen.execute_script("document.querySelector('label[for=__search]').click()")
    field = seen.find_element(By.CSS_SELECTOR, "input.md-search__input")
    seen.execute_script("arguments[0].focus()", field)
    time.sleep(0.5)
    field.send_keys("just-noticeable")
    found: list[str] = []
    for _ in range(40):
        time.sleep(0.5)
        items = seen.find_elements(By.CSS_SELECTOR, ".md-search-result__link")
        found = [item.get_attribute("href") or "" for item in items]
        if any("glossary" in link for link in found):  # what the first letters find comes before
            break
    seen.save_screenshot(str(pictures / f"{name}-search.png"))
    print(f"{name}: search finds {len(found)}")
    return [] if any("glossary" in link for link in found) else [f"search on a {name} finds {found}"]


def main() -> None:
    site, pictures = (Path(word) for word in (sys.argv[1:] + ["site", "pictures"][len(sys.argv) - 1 :]))
    wrong = look(site, pictures)
    print("\n".join(wrong) or f"{len(PAGES)} pages looked at: all is well")
    raise SystemExit(1 if wrong else 0)


if __name__ == "__main__":
    main()
