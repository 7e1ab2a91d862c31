"""How often a key may ask: a token bucket for each."""

import hashlib
import threading
import time

import numpy as np

from steelyard.typing import Array

SLOTS = 2**14
"""Buckets there are; keys that fall into the same one share it."""


class Rates:
    """Token buckets: `rate` requests per second in the long run for each key, `burst` at once.

    `table`, an array of SLOTS rows and two columns, may lie in memory that several processes share.
    """

    def __init__(self, rate: float, burst: float, table: Array | None = None) -> None:
        self.rate, self.burst = rate, burst
        self._table = np.zeros((SLOTS, 2)) if table is None else table
        self._lock = threading.Lock()

    def share(self, table: Array) -> None:
        """Go by buckets that other processes use as well."""
        self._table = table

    def allow(self, key: str) -> bool:
        """Take one from the bucket of `key`; False if it is empty."""
        slot = int.from_bytes(hashlib.sha256(key.encode()).digest()[:8]) % SLOTS  # keys may be tokens: none is kept
        now = time.monotonic()  # on one machine the same in all processes
        with self._lock:
            used, then = self._table[slot]
            used = max(0.0, used - (now - then) * self.rate)
            allowed = bool(used + 1.0 <= self.burst)
            self._table[slot] = (used + allowed, now)
        return allowed
