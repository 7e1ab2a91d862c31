"""A short form of benchmarks/kill_server.py."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import BOTH_STORES
from .torture import Torture


@BOTH_STORES
def test_whatever_is_killed_nothing_is_lost_or_doubled(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    postgres = request.getfixturevalue("own_postgres") if kind == "postgres" else None
    count = Torture(tmp_path, kills=3, clickers=3, workers=2, postgres=postgres).run()
    assert count.acknowledged > 0
    assert {"consent", "form", "answer"} <= count.kinds.keys()
    assert (count.lost, count.duplicated, count.altered) == (0, 0, 0)
