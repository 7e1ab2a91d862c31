"""Tests are deterministic: hypothesis draws the same examples on every run."""

import os
from pathlib import Path

# One thread a process, before numpy is loaded: small matrices gain nothing from more, and tests run side by side.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# The same sums on every processor with these instructions: OpenBLAS rounds otherwise with wider ones, and one rounding
# makes another run of a judge that errs.
os.environ.setdefault(
    "OPENBLAS_CORETYPE",
    "Haswell" if any(" avx2 " in cpu.read_text() for cpu in Path("/proc").glob("cpuinfo")) else "",
)

from hypothesis import settings

settings.register_profile("deterministic", derandomize=True, deadline=None, max_examples=60)
settings.load_profile("deterministic")
