"""A short form of benchmarks/kill_server.py."""

from __future__ import annotations

from pathlib import Path

from .torture import torture


def test_killed_servers_lose_and_double_nothing(tmp_path: Path) -> None:
    count = torture(tmp_path, kills=3, clickers=3)
    assert count.acknowledged > 0
    assert (count.lost, count.duplicated, count.altered) == (0, 0, 0)
