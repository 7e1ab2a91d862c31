"""Named lists of problems."""

from collections.abc import Callable
from fnmatch import fnmatchcase
from functools import partial

from steelyard.checks import check_choice
from steelyard.problems.lookup import entries, get
from steelyard.problems.problem import Problem
from steelyard.real.tasks import TASKS, available

PAPER22 = tuple(
    "CHNROSNB CHNRSNBM ERRINROS ERRINRSM HILBERTB QING LUKSAN11LS LUKSAN12LS LUKSAN13LS LUKSAN14LS LUKSAN15LS "  # noqa: SIM905
    "LUKSAN16LS LUKSAN17LS LUKSAN21LS LUKSAN22LS MANCINO STRTCHDV SENSORS VANDANMSLS WATSON TRIGON1 TRIGON2".split()
)
"""The problems of Slavin and McKenzie's benchmark of comparison-based methods, at its dimensions."""


def _cutest() -> list[str]:
    """Every CUTEst problem that is built in, at its default dimension."""
    here = f"{__package__}.cutest."
    return sorted(name for name, entry in entries().items() if entry.factory.__module__.startswith(here))


SUITES: dict[str, Callable[[], list[str]]] = {
    "paper22": lambda: list(PAPER22),
    "paper22-rotated": lambda: [f"{name}~rotated=1" for name in PAPER22],
    "toy": lambda: ["SparseQuadratic", "MaxK", "NonSparseQuadratic"],
    "tuning": lambda: ["ROSENBR", "HILBERTA", "WATSON"],
    "cutest": _cutest,
    "real": available,
    **{f"real-{name}": partial(available, name) for name in TASKS},
}
"""Names, or templates in which `{seed}` stands for the seed of a run. Real tasks that cannot be run here are not in."""


def suite(
    name: str, pattern: str = "*", *, family: str | None = None, min_n: int = 1, max_n: int | None = None
) -> list[Problem]:
    """The problems of a suite whose names match `pattern` (`LUKSAN*`) and whose dimension lies in the range."""
    return select(
        SUITES[check_choice("suite", name, tuple(SUITES))](), pattern, family=family, min_n=min_n, max_n=max_n
    )


def select(
    specs: list[str], pattern: str = "*", *, family: str | None = None, min_n: int = 1, max_n: int | None = None
) -> list[Problem]:
    """Those of the named problems that match."""
    chosen = (get(spec.replace("{seed}", "0")) for spec in specs if fnmatchcase(spec.upper(), pattern.upper()))
    return [
        problem
        for problem in chosen
        if (family is None or problem.family == family) and problem.n >= min_n and (max_n is None or problem.n <= max_n)
    ]
