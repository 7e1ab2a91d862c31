"""Names of a package that are imported when they are first used."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def on_first_use(
    module: dict[str, Any], where: Mapping[str, str]
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a package: `where` says which module has a name; one below it may be the name."""
    package = module["__name__"]

    def get(name: str) -> object:
        if name not in where:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = import_module(where[name])
        return found if where[name] == f"{package}.{name}" else getattr(found, name)

    return get, lambda: sorted({*module, *where})
