"""Differences between operating systems are in one module; what it does here, and what it would do on Windows."""

import ast
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import steelyard
from steelyard import system
from steelyard.errors import BadValue

ROOT = Path(steelyard.__file__).parent
ONLY_POSIX = {
    *("fcntl", "resource", "pwd", "grp", "termios"),
    *("killpg", "nice", "fork", "setsid", "getuid", "geteuid", "sigwait", "SIGKILL", "mkfifo", "sched_getaffinity"),
}
GUARDED = {
    "system.py": ONLY_POSIX,
    "web/server.py": {"resource"},  # after an ImportError it does without
    "bench/executors.py": {"sched_getaffinity"},  # if there is one
}


def test_nothing_else_names_what_windows_has_not():
    wrong = []
    for path in ROOT.rglob("*.py"):
        allowed = GUARDED.get(path.relative_to(ROOT).as_posix(), set())
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = {alias.name for alias in node.names} if isinstance(node, ast.Import) else set()
            if (
                isinstance(node, ast.Attribute)
                and isinstance(node.value, ast.Name)
                and node.value.id in ("os", "signal")
            ):
                names.add(node.attr)
            wrong += [f"{path.name}: {name}" for name in names & ONLY_POSIX - allowed]
    assert wrong == []


def test_texts_are_read_and_written_in_one_encoding():
    """Windows reads text in the encoding of the country unless it is told."""
    wrong = []
    for path in ROOT.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                named = {keyword.arg for keyword in node.keywords}
                if node.func.attr in ("read_text", "write_text") and "encoding" not in named:
                    wrong.append(f"{path.name}:{node.lineno}")
    assert wrong == []


def test_a_lock_is_for_one(tmp_path):
    path = tmp_path / "log"
    with path.open("a") as mine, path.open("a") as other:
        assert system.lock(mine) and not system.lock(other)
    with path.open("a") as later:
        assert system.lock(later)


def test_on_windows_a_byte_that_no_file_has_is_locked(tmp_path, monkeypatch):
    locked = []

    def locking(number, mode, count):
        if locked:
            raise OSError("locked")
        locked.append((mode, count))

    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setitem(sys.modules, "msvcrt", SimpleNamespace(locking=locking, LK_NBLCK=2))
    with (tmp_path / "log").open("a") as file:
        file.write("before ")
        file.flush()
        assert system.lock(file) and not system.lock(file)
        file.write("after")
    assert locked == [(2, 1)] and (tmp_path / "log").read_text() == "before after"


def test_on_windows_processes_are_started_afresh_and_ended_by_taskkill(monkeypatch):
    import multiprocessing

    asked = []
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(multiprocessing, "get_all_start_methods", lambda: ["spawn"])
    monkeypatch.setattr(subprocess, "run", lambda words, **_: asked.append(words))
    assert system.processes(["json"]).get_start_method() == "spawn"
    system.end_with_children(SimpleNamespace(pid=17))
    assert asked == [["taskkill", "/F", "/T", "/PID", "17"]]
    with pytest.raises(BadValue, match="not supported on Windows"):
        system.need_posix("this")
    system.lower_priority(5)  # which does nothing there
