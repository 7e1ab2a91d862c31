"""A session as a file: what it was made from, and its answers."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from steelyard.answered import Answered
from steelyard.dialogue import Algorithm
from steelyard.errors import BadType, BadValue
from steelyard.kit.answer_log import existing, header_of, seed_of
from steelyard.registry import make_algorithm
from steelyard.space import Space

if TYPE_CHECKING:
    from steelyard.session import Session


def save_session(session: Session, path: str | os.PathLike[str]) -> None:
    """Write a session, via a second file, so that no failure leaves half of it."""
    if not isinstance(path, str | os.PathLike) or not os.fspath(path):
        raise BadType(f"path must be the name of a file, got {path!r}")
    state = {**session_header(session), "log": [asdict(entry) for entry in session.log]}
    path = Path(path)
    draft = path.with_name(path.name + ".part")
    draft.write_text(json.dumps(state, default=np.ndarray.tolist), encoding="utf-8")
    draft.replace(path)


def read_session(
    path: str | os.PathLike[str], algorithm: Algorithm | None = None
) -> tuple[tuple[Any, ...], list[Answered]]:
    """What the session that was written to `path` was made from (method, start, seed, bounds), and its answers."""
    path = existing(path)
    try:
        state: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        method, log = state["method"], state["log"]
    except (ValueError, KeyError, TypeError):
        raise BadValue(f"path must be a file that Session.save wrote, got {os.fspath(path)!r}") from None
    if algorithm is None:
        algorithm = make_algorithm(method, {key: _tuples(value) for key, value in state["options"].items()})
    start = np.array(state["x0"]) if "space" not in state else Space.from_json(state["space"])
    bounds = None if "space" in state else state["bounds"]
    answers = [Answered(**{key: _tuples(value) for key, value in entry.items()}) for entry in log]
    return (algorithm, start, seed_of(state), bounds), answers


def session_header(session: Session) -> dict[str, Any]:
    """What a session was made from, as the first line of a log has it."""
    space, box = session.space, session.box
    bounds = None if box is None else np.column_stack([box.low, box.high]).tolist()
    more = {} if space is None else {"space": space.to_json()}
    return header_of(session.algorithm, session.x0, bounds, session.seed, **more)


def _tuples(value: Any) -> Any:
    return tuple(_tuples(item) for item in value) if isinstance(value, list) else value
