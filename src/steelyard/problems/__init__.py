"""Test problems with known values, to judge methods that only see comparisons."""

from steelyard.problems.lookup import get, names
from steelyard.problems.problem import Problem
from steelyard.problems.reachability import gradient_reach, value_reach
from steelyard.problems.suites import SUITES, suite

__all__ = ["SUITES", "Problem", "get", "gradient_reach", "names", "suite", "value_reach"]
