"""What can be installed with the core: each extra, the packages it brings and what they add."""

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, requires, version
from typing import Any

REQUIREMENT = re.compile(r"""(?P<package>[\w.-]+).*extra == ["'](?P<extra>[\w-]+)""")


@dataclass(frozen=True)
class Extra:
    """`steelyard[name]`, and what one can do with it."""

    name: str
    adds: str

    @property
    def packages(self) -> list[str]:
        """The distributions that it installs."""
        return _packages()[self.name]

    @property
    def missing(self) -> list[str]:
        """The packages of this extra that are not installed."""
        return [package for package in self.packages if installed(package) is None]


EXTRAS = (
    Extra("bench", "the command; benchmarks, tuning, figures and reports"),
    Extra("web", "the command; studies in which people answer in a web page"),
    Extra("postgres", "studies in a PostgreSQL database, for several servers"),
    Extra("optuna", "an Optuna sampler that compares"),
    Extra("sklearn", "a search over hyper-parameters for scikit-learn"),
    Extra("optimagic", "our methods in optimagic"),
    Extra("ioh", "our methods in IOHprofiler's experiments"),
    Extra("tune", "a search for good settings of a method"),
    Extra("dask", "benchmarks on several machines"),
    Extra("cutest", "the original CUTEst problems through PyCUTEst (its Fortran is built apart)"),
    Extra("adapters", "the problems of S2MPJ and of COCO's suites"),
    Extra("coco", "COCO's suites with the best of 2009 to compare with"),
    Extra("peers", "other people's optimisers, to compare with in benchmarks (large)"),
    Extra("real", "real tasks: chess, recorded choices, learned judges, simulations, control (large)"),
)
"""Those for users; `dev` and `docs` are for work on steelyard itself."""


@cache
def _packages() -> defaultdict[str, list[str]]:
    """The distributions of each extra, as pyproject.toml has them and an installed steelyard knows them."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    required = requires("steelyard") if installed("steelyard") else None  # it may be run without being installed
    for match in filter(None, map(REQUIREMENT.match, required or ())):
        found[match["extra"]].append(match["package"])
    return found


def installed(package: str) -> str | None:
    """The installed version of a distribution, or None."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def need(module: str, extra: str) -> Any:
    """The module of another package, or an error that says what to install."""
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise ImportError(f"this needs {package}: install steelyard[{extra}]") from error
