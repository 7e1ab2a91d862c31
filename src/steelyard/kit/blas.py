"""One thread for small matrices: handing them out to several costs far more than it saves."""

import ctypes
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path

Setter = Callable[[int], object]
Getter = Callable[[], int]


@contextmanager
def one_thread() -> Iterator[None]:
    """While this lasts, the OpenBLAS that numpy and scipy bring with them computes in one thread."""
    before = [(set_threads, get_threads()) for set_threads, get_threads in _libraries()]
    for set_threads, count in before:
        if count != 1:
            set_threads(1)
    try:
        yield
    finally:
        for set_threads, count in before:
            if count != 1:
                set_threads(count)


@cache
def _libraries() -> tuple[tuple[Setter, Getter], ...]:
    """How to set and read the number of threads of each OpenBLAS that numpy and scipy bring with them."""
    found = []
    for package in ("numpy", "scipy"):
        spec = find_spec(package)
        if spec is None or spec.origin is None or package not in sys.modules:
            continue
        home = Path(spec.origin).parent
        for folder in (home.with_name(f"{package}.libs"), home / ".dylibs"):
            found += [functions for path in sorted(folder.glob("*openblas*")) if (functions := _functions(path))]
    return tuple(found)


def _functions(path: Path) -> tuple[Setter, Getter] | None:
    try:
        library = ctypes.CDLL(str(path))
    except OSError:
        return None
    for prefix in ("scipy_", ""):
        for suffix in ("64_", ""):
            names = [f"{prefix}openblas_{verb}_num_threads{suffix}" for verb in ("set", "get")]
            if all(hasattr(library, name) for name in names):
                return getattr(library, names[0]), getattr(library, names[1])
    return None
