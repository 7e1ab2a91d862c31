"""Tests are deterministic: hypothesis draws the same examples on every run."""

import os

# One thread a process, before numpy is loaded: small matrices gain nothing from more, and tests run side by side.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from hypothesis import settings

settings.register_profile("deterministic", derandomize=True, deadline=None, max_examples=60)
settings.load_profile("deterministic")
