"""Half-sent requests: are other people served while thousands of them hang on?

python benchmarks/slow_clients.py --clients 2000
"""

from __future__ import annotations

import argparse
import resource
import socket
import sys
import tempfile
import time
from pathlib import Path

import httpx

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from web.serving import Server, write_study


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=2000)
    parser.add_argument("--requests", type=int, default=50)
    arguments = parser.parse_args()
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, arguments.clients + 500), hard))
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        server = Server("serve", str(write_study(Path(folder))))
        slow = []
        try:
            for _ in range(arguments.clients):
                one = socket.create_connection(("127.0.0.1", server.port))
                one.sendall(b"POST /s/x/answer HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
                slow.append(one)
            times, statuses = [], []
            for _ in range(arguments.requests):
                begin = time.perf_counter()
                statuses.append(httpx.get(server.answer, timeout=60).status_code)
                times.append(time.perf_counter() - begin)
        finally:
            for one in slow:
                one.close()
            server.stop()
    served = sum(status == 200 for status in statuses)
    print(
        f"{arguments.clients} half-sent requests: {served} of {len(statuses)} pages served, slowest {max(times):.2f} s,"
        f" median {sorted(times)[len(times) // 2]:.3f} s"
    )
    if served < len(statuses):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
