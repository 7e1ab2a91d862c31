"""Names of candidates: readable with the key, and with nothing else."""

from __future__ import annotations

import pytest

from steelyard.studies.sealing import LONGEST_NAME, seal, unseal

VALUES = {"size": 12.345678901234, "font": "serif ü", "count": 3}
KEY = b"k" * 32


def test_what_is_sealed_can_be_read_by_whoever_has_the_key() -> None:
    name = seal(KEY, VALUES)
    assert unseal(KEY, name) == VALUES
    assert seal(KEY, dict(reversed(VALUES.items()))) == name
    assert seal(KEY, {**VALUES, "count": 4}) != name
    assert unseal(b"x" * 32, name) is None
    assert name.replace("-", "").replace("_", "").isalnum()
    assert "serif" not in name


def test_an_altered_name_is_refused() -> None:
    name = seal(KEY, VALUES)
    for i in range(len(name)):
        other = name[:i] + ("A" if name[i] != "A" else "B") + name[i + 1 :]
        assert unseal(KEY, other) in (None, VALUES)  # the last character has bits that do not count
    assert sum(unseal(KEY, name[:i]) is not None for i in range(len(name) - 1)) == 0


@pytest.mark.parametrize("name", ["", "x", "ä", "../../etc/passwd", "A" * (LONGEST_NAME + 1), "%00", "=" * 8])
def test_what_is_no_name_is_refused(name: str) -> None:
    assert unseal(KEY, name) is None


def test_many_parameters_fit() -> None:
    values = {f"parameter {i}": i / 7 for i in range(50)}
    assert len(seal(KEY, values)) < LONGEST_NAME
    assert unseal(KEY, seal(KEY, values)) == values
