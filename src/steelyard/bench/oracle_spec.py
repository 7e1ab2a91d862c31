"""Oracles by name: `exact`, `noisy,p=.9`, `logistic,scale=2,jnd=.1`, each also with `majority=3` or `sequential=4`.

Other packages add theirs through the entry point group `steelyard.oracles`: a name for a callable
`make(oracle, rng, **options)` that wraps the `FunctionOracle` it is given and draws from that `rng` only.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from steelyard.oracles import (
    FunctionOracle,
    LogisticOracle,
    MajorityOracle,
    NoisyOracle,
    Oracle,
    SequentialOracle,
    as_oracle,
)
from steelyard.registry import ORACLES, entry_points_of, parse_spec

# For each oracle its options with their defaults; None must be given.
OPTIONS: dict[str, dict[str, float | None]] = {
    "exact": {"jnd": 0.0},
    "noisy": {"p": None, "jnd": 0.0},
    "logistic": {"scale": None, "jnd": 0.0},
}
REPEATED = ("majority", "sequential")
CACHED = 2**16
"""Values that an oracle remembers; a method seldom goes back further, and 5 runs of it fit into 50 MB."""


def make_oracle(spec: str, f: Callable[..., Any], seed: np.random.SeedSequence) -> tuple[Oracle, FunctionOracle]:
    """The oracle that a spec names, over f, and the one inside it that evaluates f."""
    name, options = _checked(spec)
    repeat = {key: options.pop(key) for key in REPEATED if key in options}
    # A logistic oracle and those of plugins make their ties themselves.
    base = FunctionOracle(f, vectorized=True, cache=CACHED, jnd=options["jnd"] if name in ("exact", "noisy") else 0.0)
    oracle: Oracle = base
    if name == "noisy":
        oracle = NoisyOracle(base, options["p"], np.random.default_rng(seed))
    elif name == "logistic":
        oracle = LogisticOracle(base, options["scale"], np.random.default_rng(seed), jnd=options["jnd"])
    elif name in plugins():
        oracle = as_oracle(plugins()[name](base, np.random.default_rng(seed), **options))
    if "majority" in repeat:
        oracle = MajorityOracle(oracle, int(repeat["majority"]))
    elif "sequential" in repeat:
        oracle = SequentialOracle(oracle, int(repeat["sequential"]))
    return oracle, base


@cache
def canonical_oracle(spec: str) -> str:
    """The spec with its options in order, without defaults: one text for one oracle. An invalid spec is refused."""
    make_oracle(spec, abs, np.random.SeedSequence(0))
    name, options = _checked(spec)
    changed = {key: value for key, value in options.items() if value != OPTIONS.get(name, {}).get(key)}
    return ",".join([name, *(f"{key}={value:g}" for key, value in sorted(changed.items()))])


@cache
def plugins() -> dict[str, Callable[..., Oracle]]:
    """The oracles of other packages; ours cannot be replaced."""
    return {point.name: point.load() for point in entry_points_of(ORACLES) if point.name not in OPTIONS}


def _checked(spec: str) -> tuple[str, dict[str, float]]:
    name, given = parse_spec(spec)
    if name not in OPTIONS and name not in plugins():
        raise ValueError(f"oracle must be one of {', '.join([*OPTIONS, *plugins()])}, got {name!r} in {spec!r}")
    unknown = [key for key in given if key not in OPTIONS.get(name, given) and key not in REPEATED]
    if unknown:
        allowed = ", ".join([*OPTIONS[name], *REPEATED])
        raise ValueError(f"options of oracle {name} must be among {allowed}, got {unknown[0]!r}")
    if len([key for key in REPEATED if key in given]) == 2:
        raise ValueError(f"an oracle repeats questions by majority or by a sequential test, not both: {spec!r}")
    options = {**OPTIONS.get(name, {}), **given}
    for key, value in options.items():
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ValueError(f"option {key} of oracle {name} must be a number, got {value!r} in {spec!r}")
    return name, {key: float(value) for key, value in options.items() if value is not None}
