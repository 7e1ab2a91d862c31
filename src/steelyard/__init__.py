"""steelyard: minimise what can only be compared."""

import typing as _typing

from steelyard import lazy as _lazy
from steelyard.answered import Answered
from steelyard.bounds import Box
from steelyard.dialogue import Algorithm, Choose, Compare, Dialogue, Evaluate, Question, Step
from steelyard.errors import BadType, BadValue, OutOfAnswers, ReplayError, SteelyardError
from steelyard.function_oracle import FunctionOracle
from steelyard.kit.verdict import Verdict
from steelyard.minimize import minimize, minimize_async
from steelyard.noisy_oracles import LogisticOracle, MajorityOracle, NoisyOracle, SequentialOracle
from steelyard.oracles import Oracle, PreferOracle
from steelyard.session import Session
from steelyard.space import Parameter, Space
from steelyard.version import __version__ as __version__

if _typing.TYPE_CHECKING:
    from steelyard import algorithms as algorithms
    from steelyard import convert as convert
    from steelyard import problems as problems
    from steelyard.kit.answer_log import read_log
    from steelyard.kit.audit import audit
    from steelyard.kit.concurrent import Concurrent
    from steelyard.kit.wrappers import BothWays, Shuffled
    from steelyard.pools.best_of import best_of, rank
    from steelyard.pools.pool import Pool

__all__ = [
    "Algorithm", "Answered", "BadType", "BadValue", "BothWays", "Box", "Choose", "Compare", "Concurrent", "Dialogue",
    "Evaluate", "FunctionOracle", "LogisticOracle", "MajorityOracle", "NoisyOracle", "Oracle", "OutOfAnswers",
    "Parameter", "Pool", "PreferOracle", "Question", "ReplayError", "SequentialOracle", "Session", "Shuffled", "Space",
    "SteelyardError", "Step", "Verdict", "audit", "best_of", "minimize", "minimize_async", "rank", "read_log",
]  # fmt: skip

# Resolved on first use: what they import takes longer than all of the core.
_LAZY = {
    "BothWays": "steelyard.kit.wrappers",
    "Pool": "steelyard.pools.pool",
    "Concurrent": "steelyard.kit.concurrent",
    "Shuffled": "steelyard.kit.wrappers",
    "audit": "steelyard.kit.audit",
    "best_of": "steelyard.pools.best_of",
    "rank": "steelyard.pools.best_of",
    "read_log": "steelyard.kit.answer_log",
}
_PACKAGES = {name: f"steelyard.{name}" for name in ("algorithms", "convert", "problems")}

if not _typing.TYPE_CHECKING:  # which would take any name then
    __getattr__, __dir__ = _lazy.on_first_use(globals(), _LAZY | _PACKAGES)
