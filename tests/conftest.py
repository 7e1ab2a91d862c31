"""Tests are deterministic: hypothesis draws the same examples on every run."""

from hypothesis import settings

settings.register_profile("deterministic", derandomize=True, deadline=None, max_examples=60)
settings.load_profile("deterministic")
