"""Schema-based fuzzing of the HTTP API: `schemathesis` reads the OpenAPI document and sends what it can think of.

    pip install schemathesis
    python benchmarks/fuzz_api.py --requests 10000

The server runs in this process, so that every response is counted. Done as a rater, an organiser, somebody who may
join, and a stranger; the limits on rates are lifted, or most responses would be 429.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

import uvicorn

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from steelyard.studies.rates import Rates
from steelyard.studies.study import load_study
from steelyard.web.app import make_app
from steelyard.web.security import App, Receive, Scope, Send
from steelyard.web.server import open_file
from web.serving import free_port, wait_until_up, write_study

CHECKS = (
    "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,"
    "unsupported_method,ignored_auth"
)


def counting(app: App, statuses: Counter[int]) -> App:
    async def counted(scope: Scope, receive: Receive, send: Send) -> None:
        async def tell(message: dict) -> None:  # type: ignore[type-arg]
            if message["type"] == "http.response.start":
                statuses[message["status"]] += 1
            await send(message)

        await app(scope, receive, tell)  # type: ignore[arg-type]

    return counted


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--examples", type=int, default=150, help="a round, for each operation")
    arguments = parser.parse_args()
    statuses: Counter[int] = Counter()
    failed = 0
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        path = write_study(Path(folder), budget=10**6)
        opened = open_file(load_study(path), path.with_suffix(".db"))
        opened.per_token = opened.per_stranger = Rates(1e9, 1e9)
        port = free_port()
        server = uvicorn.Server(
            uvicorn.Config(counting(make_app(opened), statuses), port=port, log_level="error", access_log=False)
        )
        threading.Thread(target=server.run, daemon=True).start()
        base = f"http://127.0.0.1:{port}"
        wait_until_up(base)
        tokens = [
            opened.add_rater("fuzz")[1], opened.store.add_token("organiser"), opened.store.add_token("join"), "nobody"
        ]  # fmt: skip
        seed = 0
        while sum(statuses.values()) < arguments.requests:
            command = [
                str(Path(sys.executable).with_name("schemathesis")), "run", f"{base}/api/v1/openapi.json",
                "--url", f"{base}/api/v1", "--header", f"Authorization: Bearer {tokens[seed % 4]}",
                "--checks", CHECKS, "--max-examples", str(arguments.examples), "--seed", str(seed),
                "--continue-on-failure", "--warnings", "off", "--no-shrink",
            ]  # fmt: skip
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                failed += 1
                print(done.stdout[-4000:], done.stderr[-1000:])
            seed += 1
        server.should_exit = True
        opened.close()
    total, errors = sum(statuses.values()), sum(n for status, n in statuses.items() if status >= 500)
    print(f"{total} requests in {time.monotonic() - begin:.0f} s, {errors} with 5xx, {failed} of {seed} rounds failed")
    print(dict(sorted(statuses.items())))
    if errors or failed:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
