"""How often a key may ask: a token bucket for each."""

from __future__ import annotations

import hashlib
import threading
import time
from collections import OrderedDict


class Rates:
    """Token buckets, one a key: `rate` requests a second in the long run, `burst` at once."""

    def __init__(self, rate: float, burst: float, most: int = 10_000) -> None:
        self.rate, self.burst, self.most = rate, burst, most
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def allow(self, key: str) -> bool:
        """Take one from the bucket of `key`; False if it is empty."""
        key = hashlib.sha256(key.encode()).hexdigest()  # keys may be tokens: none is kept as it is
        now = time.monotonic()
        with self._lock:
            left, then = self._buckets.pop(key, (self.burst, now))
            left = min(self.burst, left + (now - then) * self.rate)
            allowed = left >= 1.0
            self._buckets[key] = (left - 1.0 if allowed else left, now)
            if len(self._buckets) > self.most:
                self._buckets.popitem(last=False)
        return allowed
