"""steelyard: minimise what can only be compared."""

from steelyard.bounds import Box
from steelyard.dialogue import Algorithm, Choose, Compare, Dialogue, Evaluate, Question, Step
from steelyard.minimize import minimize
from steelyard.oracles import (
    FunctionOracle,
    LogisticOracle,
    MajorityOracle,
    NoisyOracle,
    Oracle,
    PreferOracle,
    SequentialOracle,
)
from steelyard.session import Answered, ReplayError, Session
from steelyard.space import Parameter, Space

__version__ = "0.1.0"

__all__ = [
    "Algorithm",
    "Answered",
    "Box",
    "Choose",
    "Compare",
    "Dialogue",
    "Evaluate",
    "FunctionOracle",
    "LogisticOracle",
    "MajorityOracle",
    "NoisyOracle",
    "Oracle",
    "Parameter",
    "PreferOracle",
    "Question",
    "ReplayError",
    "SequentialOracle",
    "Session",
    "Space",
    "Step",
    "minimize",
]
