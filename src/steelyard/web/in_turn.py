"""What raters ask for is done in threads, a few at a time (see `steelyard.studies.turns`).

The organiser's pages take no turn: they may compute for long, and must not keep raters waiting.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from steelyard.studies.turns import Turns

P = ParamSpec("P")
T = TypeVar("T")

_turns = Turns()


async def in_turn(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call `work` in a thread when there is a turn.

    All requests that have come are read before the first of them is computed, which would only get in the way: so
    whatever needs no turn, such as a style sheet, does not wait behind a burst of others for twice the time.
    """
    await asyncio.sleep(0)
    return await asyncio.wrap_future(_turns.call(work, *args, **kwargs))
