"""Judges of all tempers, for the tests of the kit."""

from __future__ import annotations

import threading
import time

import numpy as np

from steelyard import Parameter, Space

TARGET = np.array([0.3, -0.2, 0.5])


def badness(x):
    return float(((np.asarray(x) - TARGET) ** 2).sum())


def prefer(x, y):
    return int(np.sign(badness(y) - badness(x)))


async def prefer_async(x, y):
    return prefer(x, y)


class Counting:
    """Counts its calls, and can fail at some of them."""

    def __init__(self, judge=prefer, fail_at=()):
        self.judge, self.fail_at = judge, set(fail_at)
        self.calls = 0
        self._lock = threading.Lock()

    def __call__(self, x, y):
        with self._lock:
            self.calls += 1
            number = self.calls
        if number in self.fail_at:
            raise ConnectionError(f"call {number}")
        return self.judge(x, y)


class Faulty:
    """One call in ten raises, one hangs, one answers nonsense; the others are right."""

    def __init__(self, hang=0.2):
        self.calls, self.hang = 0, hang
        self._lock = threading.Lock()

    def __call__(self, x, y):
        with self._lock:
            self.calls += 1
            number = self.calls % 10
        if number == 3:
            raise ConnectionError("no answer")
        if number == 6:
            time.sleep(self.hang)
        if number == 9:
            return "the first one, I think"
        return prefer(x, y)


def late(seed):
    """An asynchronous judge whose answers arrive in an order of their own."""
    import asyncio

    rng = np.random.default_rng(seed)

    async def judge(x, y):
        await asyncio.sleep(float(rng.random()) * 0.002)
        return prefer(x, y)

    return judge


SPACE = Space(
    (
        Parameter("voices", 1, 8, integer=True),
        Parameter("cutoff", 20, 20_000, scale="log"),
        Parameter("wave", categories=("sine", "saw", "square", "noise")),
    )
)


def fault(setting):
    wave = setting["wave"] != "square"
    return (setting["voices"] - 6) ** 2 / 4 + np.log(setting["cutoff"] / 440) ** 2 + wave


def nicer(s, t):
    return int(np.sign(fault(t) - fault(s)))
