"""The methods, one per file or folder; each is loaded when first used."""

import typing as _typing

from steelyard import lazy as _lazy
from steelyard import registry as _registry

if _typing.TYPE_CHECKING:
    from steelyard.algorithms.auto import Auto
    from steelyard.algorithms.bayes_quadratic import BayesQuadratic
    from steelyard.algorithms.cma_es import CMAES
    from steelyard.algorithms.cqn import CQN
    from steelyard.algorithms.gld import GLD
    from steelyard.algorithms.nelder_mead import NelderMead
    from steelyard.algorithms.one_plus_one import OnePlusOne
    from steelyard.algorithms.pattern_search import PatternSearch
    from steelyard.algorithms.powell import Powell
    from steelyard.algorithms.preference_gp import PreferenceGP
    from steelyard.algorithms.rsgf import RSGF
    from steelyard.algorithms.scobo import SCOBO
    from steelyard.algorithms.signopt import SignOPT
    from steelyard.algorithms.spsa import SPSA
    from steelyard.algorithms.stp import STP

_WHERE = {kind: module for module, _, kind in (where.partition(":") for where in _registry.OURS.values())}
_WHERE["RSGF"] = "steelyard.algorithms.rsgf"  # a method that is not comparison-based has no name

__all__ = [
    "CMAES", "CQN", "GLD", "RSGF", "SCOBO", "SPSA", "STP", "Auto", "BayesQuadratic", "NelderMead", "OnePlusOne",
    "PatternSearch", "Powell", "PreferenceGP", "SignOPT",
]  # fmt: skip

if not _typing.TYPE_CHECKING:  # which would take any name then
    __getattr__, __dir__ = _lazy.on_first_use(globals(), _WHERE)
