"""What decides a result, as source code: after an edit of any of it there are new results.

The code that a module depends on is found without running it, from the import statements in its file (those inside
functions too) and in the files that these lead to, as far as they belong to the same package, to steelyard, or to no
installed package (a file next to the user's own). A name that one of our packages hands on, such as
`steelyard.algorithms.STP`, leads to the module that defines it; the package itself leads to all of them.
"""

import ast
import hashlib
import os
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from types import FunctionType
from typing import NamedTuple

from steelyard.problems.lookup import ADAPTERS, adapter_of, entries
from steelyard.registry import algorithm_names

HARNESS = "steelyard.bench.lockstep"
"""With what it imports: the driver, the dialogue, bounds, oracles and how a run is judged."""


NAMES_ONLY = frozenset({"steelyard", "steelyard.problems", "steelyard.problems.suites", "steelyard.typing"})
"""What there is to import: a new name changes no result."""


ENDINGS = (".py", *EXTENSION_SUFFIXES)

INSTALLED = tuple({Path(sysconfig.get_path(place)) for place in ("stdlib", "platstdlib", "purelib", "platlib")})
"""Where Python and packages are installed."""


UNKNOWN = os.urandom(8)
"""Stands for the source of a notebook: another one in every process, so that no result of it is taken for that of
another."""


class Module(NamedTuple):
    """A module's source, and the modules that it imports."""

    source: bytes
    imports: frozenset[str]


@cache
def harness_hash() -> str:
    """Of the harness itself: what every result rests on."""
    return source_hash([HARNESS])


def method_hash(method: object, made_in: str = "") -> str:
    """Of a method: its module, that of the function which made it, and what they import.

    Methods inside it count as well, and all of ours if it takes them by name.
    """
    return source_hash(_with_named({*_modules_of(method), *([made_in] if made_in else [])}))


@cache
def module_hash(name: str) -> str:
    """Of a module of anybody's and what it imports; all methods or problems of ours if it can take them by name."""
    return source_hash(_with_named({name}))


def problem_hash(name: str) -> str:
    """Of the problem that a name stands for: its definition, or the module behind an adapter."""
    base = name.partition("~")[0].partition("?")[0]
    scheme, colon, _ = base.partition(":")
    versions = ""
    if scheme == "real":
        from steelyard.problems.adapters.real import entry

        task = entry(base.partition(":")[2])
        definition = task.module
        versions = " ".join(installed_version(package) for package in task.packages)
    elif not colon:
        definition = entries()[base].factory.__module__
    else:
        definition = f"steelyard.problems.adapters.{adapter_of(scheme)}" if scheme in ADAPTERS else scheme
    modules = {definition} if _is_ours(definition) else _with_named({definition})
    found = source_hash([*modules, "steelyard.problems.lookup"])  # the latter with what derives problems
    return f"{found} {versions}".rstrip()


def _with_named(modules: set[str]) -> set[str]:
    """These modules, and all methods or problems of ours if they can take one by its name."""
    found = _with_imports(modules)
    if "steelyard.registry" in found:
        modules = modules | {where.partition(":")[0] for where in algorithm_names().values()}
    if "steelyard.problems.lookup" in found:
        modules = modules | {each.factory.__module__ for each in entries().values()}
    return modules


def _modules_of(part: object) -> Iterator[str]:
    """Where a method, or a function that it was given, is written: its class, its bases, and the methods inside it."""
    if isinstance(part, FunctionType | type):
        yield part.__module__
    elif callable(getattr(part, "run", None)):
        yield from (kind.__module__ for kind in type(part).__mro__ if kind is not object)
        for inner in getattr(part, "__dict__", {}).values():
            yield from _modules_of(inner)


def source_hash(modules: Iterable[str]) -> str:
    """A hash of these modules and of all that they import."""
    found = sorted(_with_imports(modules) - {"steelyard.registry"})  # a new method changes no result of the others
    digest = hashlib.sha256()
    for name in found:
        digest.update(name.encode() + b"\0" + _module(name).source + b"\0")
    return digest.hexdigest()[:12]


def installed_version(distribution: str) -> str:
    """A distribution with its version, to be part of an identity."""
    try:
        return f"{distribution} {version(distribution)}"
    except PackageNotFoundError:
        return f"{distribution} missing"


def _with_imports(modules: Iterable[str]) -> set[str]:
    waiting, found = list(modules), set[str]()
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += _module(name).imports
            package = name.rpartition(".")[0]
            if package and not _is_ours(name):  # which Python runs first
                waiting.append(package)
    return found


@cache
def _module(name: str) -> Module:
    path = _file(name)
    if path is None:  # a notebook, or a folder without an __init__.py
        return Module(UNKNOWN if name == "__main__" else b"", frozenset())
    source = path.read_bytes()
    if path.suffix != ".py":
        return Module(source, frozenset())
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    own = name.partition(".")[0]
    found = (
        each
        for each in _imported(ast.parse(source), package)
        if each not in NAMES_ONLY
        and (_is_ours(each) or each.partition(".")[0] == own or (not _is_ours(name) and _is_the_users(each)))
    )
    return Module(source, frozenset(found))


def _is_ours(name: str) -> bool:
    return name.partition(".")[0] == "steelyard"


def _is_the_users(name: str) -> bool:
    """Is it a file of the user's, rather than part of Python or of an installed package?"""
    path = _file(name)
    return path is not None and not any(path.is_relative_to(place) for place in INSTALLED)


@cache
def _file(name: str) -> Path | None:
    """The file of a module, compiled or not; None if it has none, or if there is no such module."""
    parent, _, last = name.rpartition(".")
    package = _file(parent) if parent else None
    if package is not None:  # looked up on disk: `find_spec` would run the package
        inside = (package.parent / last / "__init__.py", *(package.parent / f"{last}{end}" for end in ENDINGS))
        return next((path for path in inside if path.exists()), None) if package.name == "__init__.py" else None
    loaded = sys.modules.get(name)
    try:
        spec = getattr(loaded, "__spec__", None) or find_spec(name)
        origin = None if spec is None else spec.origin
    except (ImportError, ValueError, AttributeError):
        origin = getattr(loaded, "__file__", None)  # of a script that is run
    return Path(origin) if origin is not None and origin.endswith(ENDINGS) and Path(origin).exists() else None


def _imported(tree: ast.AST, package: str) -> Iterator[str]:
    """The modules that are imported anywhere in a file, except for those only the type checker imports."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _whole(alias.name)
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(node, package)
            for alias in node.names:
                inner = f"{base}.{alias.name}"
                if alias.name == "*" or _file(inner) is not None:
                    yield from _whole(base if alias.name == "*" else inner)
                else:
                    yield _handed_on(base).get(alias.name, base)
        else:
            yield from _imported(node, package)


def _whole(name: str) -> Iterator[str]:
    """A module of which any name may be used: of one of our packages, all that they hand on."""
    yield name
    for inner in _handed_on(name).values():
        yield from _whole(inner)


@cache
def _handed_on(package: str) -> dict[str, str]:
    """The names that one of our packages takes from its modules, on first use too, and the module of each."""
    path = _file(package) if _is_ours(package) else None
    if path is None or path.name != "__init__.py":
        return {}
    found = {}
    # The type checker's imports too: they say where a name is from that is resolved on first use.
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.ImportFrom) and (base := _absolute(node, package)).startswith("steelyard"):
            for alias in node.names:
                inner = f"{base}.{alias.name}"
                found[alias.asname or alias.name] = inner if _file(inner) is not None else base
    return found


def _absolute(node: ast.ImportFrom, package: str) -> str:
    """The module that a `from` statement in this package names."""
    parts = package.split(".")
    above = parts[: len(parts) - node.level + 1] if node.level else []
    return ".".join([*above, *([node.module] if node.module else [])])
