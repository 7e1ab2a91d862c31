"""Algorithms by name: ours, and those that other packages register through the entry point group below."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from steelyard.checks import check_among, did_you_mean
from steelyard.dialogue import Algorithm
from steelyard.errors import BadType, BadValue

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

ALGORITHMS = "steelyard.algorithms"
ORACLES = "steelyard.oracles"

# Names are resolved on first use, so that importing the package imports no algorithm.
OURS = {
    "auto": "steelyard.algorithms.auto:Auto",
    "cqn": "steelyard.algorithms.cqn:CQN",
    "bayes-quadratic": "steelyard.algorithms.bayes_quadratic:BayesQuadratic",
    "stp": "steelyard.algorithms.stp:STP",
    "gld": "steelyard.algorithms.gld:GLD",
    "cma-es": "steelyard.algorithms.cma_es:CMAES",
    "spsa": "steelyard.algorithms.spsa:SPSA",
    "scobo": "steelyard.algorithms.scobo:SCOBO",
    "signopt": "steelyard.algorithms.signopt:SignOPT",
    "nelder-mead": "steelyard.algorithms.nelder_mead:NelderMead",
    "powell": "steelyard.algorithms.powell:Powell",
    "pattern-search": "steelyard.algorithms.pattern_search:PatternSearch",
    "one-plus-one": "steelyard.algorithms.one_plus_one:OnePlusOne",
    "preference-gp": "steelyard.algorithms.preference_gp:PreferenceGP",
}


@cache
def algorithm_names() -> dict[str, str]:
    """Each name and where it comes from, "module:Class". Ours come first and cannot be replaced by a plugin."""
    plugins = {point.name: point.value for point in entry_points_of(ALGORITHMS)}
    return {**OURS, **{name: value for name, value in sorted(plugins.items()) if name not in OURS}}


def algorithm_class(name: str) -> Callable[..., Algorithm]:
    """The algorithm that a name or "module:Class" stands for."""
    names = algorithm_names()
    where = names.get(name, name)
    if ":" not in where:
        raise BadValue(f"method must be one of {', '.join(names)}, got {name!r}{did_you_mean(name, names)}")
    module, _, attribute = where.partition(":")
    try:
        made: Callable[..., Algorithm] = getattr(import_module(module), attribute)
        return made
    except (ImportError, AttributeError) as error:
        raise BadValue(f"method {name!r} cannot be loaded from {where!r}: {error}") from error


def make_algorithm(method: str | Algorithm, options: Mapping[str, Any] | None = None) -> Algorithm:
    """An algorithm from its name and options ("stp,step=0.5" holds both), or an algorithm object as it is.

    The option `preset` names a set of published settings; other options go on top of it. Every method has an option
    `parallel`: about how many questions are in flight (see `steelyard.algorithms.speculative`).
    """
    if not isinstance(method, str):
        if options:
            raise BadValue(f"options are for a method given by name; set them on the algorithm itself, got {method!r}")
        if not callable(getattr(method, "run", None)) or isinstance(method, type):
            raise BadType(f"method must be a name or an algorithm object with run(x, rng), got {method!r}")
        return method
    if options is not None and not isinstance(options, Mapping):
        raise BadType(f"options must be a dictionary of names and values, such as {{'step': 0.5}}, got {options!r}")
    method, written = parse_spec(method)
    make = algorithm_class(method)
    settings = {**written, **(options or {})}
    if "preset" in settings:
        settings = {**preset(method, settings.pop("preset")), **settings}
    allowed = option_names(make)
    parallel = settings.pop("parallel", None) if allowed is not None and "parallel" not in allowed else None
    if allowed is not None:
        check_among(f"options of {method} must be among", settings, allowed)
    from steelyard.algorithms.speculative import with_parallel

    return with_parallel(make(**settings), parallel)


def option_names(make: Callable[..., Algorithm]) -> list[str] | None:
    """The hyper-parameters of an algorithm; None if it is not a dataclass and so takes what it takes."""
    return [field.name for field in dataclasses.fields(make)] if dataclasses.is_dataclass(make) else None


def preset(method: str, name: str) -> dict[str, Any]:
    """The settings of a named preset."""
    presets: dict[str, dict[str, Any]] = getattr(algorithm_class(method), "presets", {})
    if name not in presets:
        raise BadValue(f"preset of {method} must be one of {', '.join(presets) or '(none)'}, got {name!r}")
    return presets[name]


def parse_spec(spec: str) -> tuple[str, dict[str, Any]]:
    """`"gld,step=.1,smallest=.05"` as its name and options; values are Python literals, anything else is text."""
    name, *parts = (part.strip() for part in spec.split(","))
    options: dict[str, Any] = {}
    for part in parts:
        key, equals, text = part.partition("=")
        if not equals or not key:
            raise BadValue(f"an option must be written name=value, got {part!r} in {spec!r}")
        options[key.strip()] = _literal(text.strip())
    return name, options


def name_of(algorithm: Algorithm) -> str:
    """The name of a method, or that of its class if it has none here."""
    from steelyard.algorithms.speculative import Speculative

    kind = type(algorithm.method if isinstance(algorithm, Speculative) else algorithm)
    return registered_name(kind) or kind.__name__


def registered_name(kind: type) -> str:
    """The name under which a class is registered; empty if it is not."""
    for name, where in algorithm_names().items():
        module, _, attribute = where.partition(":")
        if attribute == kind.__qualname__ and kind.__module__.startswith(module):
            return name
    return ""


def summary(make: Callable[..., Algorithm]) -> str:
    """The first line of an algorithm's docstring."""
    return (make.__doc__ or "").strip().split("\n")[0]


def _literal(text: str) -> Any:
    if text.lower() in ("true", "false", "none"):
        return {"true": True, "false": False, "none": None}[text.lower()]
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def entry_points_of(group: str) -> list[EntryPoint]:
    """What other packages register in a group."""
    from importlib.metadata import entry_points  # takes longer to import than all of the core

    return list(entry_points(group=group))
