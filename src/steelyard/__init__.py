"""steelyard: minimise what can only be compared."""

from steelyard.bounds import Box
from steelyard.dialogue import Algorithm, Choose, Compare, Dialogue, Evaluate, Question, Step
from steelyard.errors import BadType, BadValue, OutOfAnswers, ReplayError, SteelyardError
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
from steelyard.session import Answered, Session
from steelyard.space import Parameter, Space

__version__ = "0.1.0"

__all__ = [
    "Algorithm",
    "Answered",
    "BadType",
    "BadValue",
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
    "OutOfAnswers",
    "Parameter",
    "PreferOracle",
    "Question",
    "ReplayError",
    "SequentialOracle",
    "Session",
    "Space",
    "SteelyardError",
    "Step",
    "minimize",
]
