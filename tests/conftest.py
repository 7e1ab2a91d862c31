"""Tests are deterministic: hypothesis draws the same examples on every run."""

import os
from pathlib import Path

# One thread a process, before numpy is loaded: small matrices gain nothing from more, and tests run side by side.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# The same sums on every processor that has these instructions: OpenBLAS rounds otherwise with wider ones, and one rounding
# makes another run of a judge that errs.
processor = Path("/proc/cpuinfo")
if processor.is_file() and " avx2 " in processor.read_text():
    os.environ.setdefault("OPENBLAS_CORETYPE", "Haswell")

from hypothesis import settings

settings.register_profile("deterministic", derandomize=True, deadline=None, max_examples=60)
settings.load_profile("deterministic")
