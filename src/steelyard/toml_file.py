"""What a TOML file describes: every error names the file and what is wrong in it."""

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from steelyard.errors import BadValue

Made = TypeVar("Made")


def read_toml(what: str, path: str | Path, make: Callable[[dict[str, Any], Path], Made]) -> Made:
    """What `make` makes of the contents of a file and its folder; `what` it is called in errors."""
    path = Path(path)
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BadValue(f"{what} must be a TOML file, but there is none at {str(path)!r}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise BadValue(f"{path.name} cannot be read as TOML: {error}") from error
    try:
        return make(data, path.resolve().parent)
    except (ValueError, TypeError) as error:
        raise BadValue(f"{path.name}: {error}") from error
