"""A small study of two numbers, opened in a folder of its own."""

from __future__ import annotations

import shutil
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette")
pytest.importorskip("jinja2")

from starlette.testclient import TestClient

from steelyard.studies.open_study import OpenStudy
from steelyard.studies.study import Study, study_from_dict
from steelyard.web.app import make_app
from steelyard.web.server import open_file

from . import postgres_server
from .postgres_server import PostgresServer
from .serving import Server, write_study

BOTH_STORES = pytest.mark.parametrize("kind", ["sqlite", "postgres"], indirect=True)
"""For tests that must hold whichever database keeps the study."""

TEMPLATE = "<!doctype html><title>x</title><p style='font-size:{{ size }}px'>{{ size }} and {{ warmth }}</p>"


def study_data(**changes: Any) -> dict[str, Any]:
    """The small study as plain data."""
    data: dict[str, Any] = {
        "title": "Small study",
        "method": "stp",
        "options": {"step": 0.3},
        "budget": 12,
        "seed": 7,
        "checks": 3,
        "repeats": 0.0,
        "view": {"template": "view.html"},
        "parameters": [
            {"name": "size", "low": 8, "high": 40, "scale": "log", "unit": "px", "start": 10},
            {"name": "warmth", "low": 0, "high": 1, "label": "Warmth"},
        ],
    }
    return {**data, **changes}


def make_study(folder: Path, **changes: Any) -> Study:
    (folder / "view.html").write_text(TEMPLATE)
    return study_from_dict(study_data(**changes), folder)


def running_postgres() -> Iterator[PostgresServer]:
    if not postgres_server.possible():
        pytest.skip(postgres_server.MISSING)
    server = PostgresServer()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """One database server for all tests of this process, made when first wanted."""
    yield from running_postgres()


@pytest.fixture
def own_postgres() -> Iterator[PostgresServer]:
    """A database server that a test may kill."""
    yield from running_postgres()


@pytest.fixture
def kind(request: pytest.FixtureRequest) -> str:
    """Which database keeps the study: sqlite, unless a test is marked with BOTH_STORES."""
    return str(getattr(request, "param", "sqlite"))


@pytest.fixture
def place(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> Callable[[str], str]:
    """Where a study of this name is kept: a fresh file or schema in every test."""
    if kind == "sqlite":
        return lambda name: str(tmp_path / name)
    url = request.getfixturevalue("postgres").url
    return lambda name: f"{url}#t{zlib.crc32(str(tmp_path).encode()):08x}_{name.partition('.')[0]}"


@pytest.fixture
def open_small(tmp_path: Path, place: Callable[[str], str]) -> Iterator[Callable[..., OpenStudy]]:
    """Opens the small study, the same database for the same name; all are closed at the end."""
    opened: list[OpenStudy] = []

    def open_one(name: str = "study.db", ahead: bool = False, **changes: Any) -> OpenStudy:
        opened.append(open_file(make_study(tmp_path, **changes), place(name), ahead=ahead))
        return opened[-1]

    yield open_one
    for one in opened:
        one.close()


@pytest.fixture
def opened(open_small: Callable[..., OpenStudy]) -> OpenStudy:
    return open_small()


@pytest.fixture
def web(opened: OpenStudy) -> TestClient:
    return client_of(opened)


def client_of(opened: OpenStudy) -> TestClient:
    """A client that shows what goes wrong inside as a response, as a real server does."""
    return TestClient(make_app(opened, None), base_url="http://testserver", raise_server_exceptions=False)


def headers(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


# --- a real browser

FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --disable-dev-shm-usage --hide-scrollbars --window-size=1280,930"
)


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """One for all tests of this process: it takes seconds to start."""
    chromium, driver_path = shutil.which("chromium"), shutil.which("chromedriver")
    if not (chromium and driver_path):
        pytest.skip("the browser tests need chromium and chromedriver (tools/ensure.sh chromium)")
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in [*FLAGS.split(), f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"]:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(driver_path))
    driver.set_page_load_timeout(60)
    yield driver
    driver.quit()


@pytest.fixture
def screen(browser: Any) -> Iterator[Callable[[dict[str, Any]], None]]:
    """Sets the size of the screen; as before afterwards."""
    yield lambda size: browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.fixture
def serve() -> Iterator[Callable[..., Server]]:
    """Starts `steelyard ARGUMENTS`; all are ended afterwards."""
    servers: list[Server] = []

    def start(*arguments: str) -> Server:
        servers.append(Server(*arguments))
        return servers[-1]

    yield start
    for server in servers:
        server.stop()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The small study, for tests that need only a person of their own in it."""
    made = Server("serve", str(write_study(tmp_path_factory.mktemp("study"))))
    yield made
    made.stop()


@pytest.fixture
def study(server: Server) -> Any:
    """A new person in the small study."""
    from steelyard.web.client import Client

    from .browsing import Place

    token = Client(server.base, server.organiser.rsplit("/", 1)[1]).create_run().token
    return Place(f"{server.base}/s/{token}", token, server.base)
