"""Test problems with known values, to judge methods that only see comparisons."""

from steelyard.problems.lookup import get, names
from steelyard.problems.problem import Problem

__all__ = ["Problem", "get", "names"]
