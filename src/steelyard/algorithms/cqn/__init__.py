"""CQN, the comparison quasi-Newton method, and its parts."""

from steelyard.algorithms.cqn.cqn import CQN

__all__ = ["CQN"]
