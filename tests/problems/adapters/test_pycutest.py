"""The adapter against a stand-in with PyCUTEst's interface and, where it is installed, against PyCUTEst itself."""

import os
import pickle
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from steelyard import problems
from steelyard.problems.adapters.pycutest import cache_name


class StandIn:
    """The part of pycutest.CUTEstProblem that matters, with QING behind it."""

    def __init__(self, n: int, m: int = 0, upper: float = 1e20) -> None:
        self.n, self.m = n, m
        self.x0 = np.ones(n)
        self.bl, self.bu = np.full(n, -1e20), np.full(n, upper)
        self.i = np.arange(1.0, n + 1)

    def check_input_x(self, x) -> None:
        # As strict as the real one.
        if not isinstance(x, np.ndarray) or x.shape != (self.n,):
            raise RuntimeError(f"x must be an array of shape ({self.n},)")

    def obj(self, x, gradient: bool = False):
        self.check_input_x(x)
        return float(((x * x - self.i) ** 2).sum())

    def grad(self, x, index=None):
        self.check_input_x(x)
        return 4 * x * (x * x - self.i)


KINDS = {"QING": {}, "INDEF": {}, "BOUNDED": {"upper": 3.0}, "CONSTRAINED": {"m": 2}}
LISTED = {"N": ("5", "100"), "ALPHA": ("0.5", "1.0")}
"""The values of parameters that the SIF lists; the decoder takes others only if forced."""


@pytest.fixture
def asked(monkeypatch, tmp_path) -> list:
    """A module `pycutest` with the traps of the real one (1.8.2), which notes what it decodes.

    A compiled problem is a module in a cache folder, found again by its name; the name has the given `sifParams` in it.
    """
    calls, cache = [], {}
    for name in KINDS:
        (tmp_path / f"{name}.SIF").touch()
    monkeypatch.delenv("PYCUTEST_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def import_problem(problemName, destination=None, sifParams=None, sifOptions=None, **options):
        where = destination or problemName
        if sifParams is not None:
            where += "_" + "_".join(f"{key}{value:g}" for key, value in sorted(sifParams.items()))
        if where not in cache:
            cache[where] = None  # half made
            texts = list(sifOptions or ())
            for key, value in (sifParams or {}).items():
                texts += ["-param", f"{key}={value}"]
            settings = dict(item.split("=") for item in texts[1].split(",")) if "-param" in texts else {}
            calls.append((problemName, settings))
            for key, value in settings.items():
                if key not in LISTED or (value not in LISTED[key] and "-force" not in texts):
                    raise RuntimeError(f"SIFDECODE error:  Failed setting {key} to {value}")
            cache[where] = StandIn(**{"n": int(settings.get("N", 100)), **KINDS[problemName]})
        if "." in where or cache[where] is None:
            raise ModuleNotFoundError(f"No module named 'pycutest_cache_holder.{where}'")
        return cache[where]

    module = SimpleNamespace(
        import_problem=import_problem, clear_cache=cache.pop, get_mastsif_path=lambda: str(tmp_path)
    )
    monkeypatch.setitem(sys.modules, "pycutest", module)
    return calls


def test_values_and_gradients_pass_through(asked) -> None:
    theirs, ours = problems.get("pycutest:QING?N=7"), problems.get("QING", N=7)
    x = np.random.default_rng(0).standard_normal((5, 7))
    np.testing.assert_allclose(theirs.f(x), ours.f(x), rtol=1e-14)
    np.testing.assert_allclose(theirs.gradient(x), ours.gradient(x), rtol=1e-14)
    assert theirs.f(x[0]) == theirs.f(x)[0]
    assert asked == [("QING", {"N": "7"})]  # 7 is not among the values that the SIF lists


def test_a_parameter_may_have_a_dot(asked) -> None:
    problem = problems.get("pycutest:INDEF?ALPHA=0.5")
    assert problem.name == "pycutest:INDEF?ALPHA=0.5" and asked == [("INDEF", {"ALPHA": "0.5"})]
    problems.get("pycutest:INDEF?ALPHA=0.5")
    assert len(asked) == 1  # found in the cache
    problems.get("pycutest:INDEF?ALPHA=1.5e-05&N=10")
    assert asked[1] == ("INDEF", {"ALPHA": "1.5e-05", "N": "10"})


def test_names_in_the_cache_are_modules_and_differ() -> None:
    settings = [{}, {"N": 15}, {"N": 1, "M": 5}, {"A": 0.5}, {"A": 5.0}, {"A": -0.5}, {"A": 5e-05}, {"N/2": 3}]
    names = [cache_name("P", parameters) for parameters in settings]
    assert len(set(names)) == len(names) and all(name.isidentifier() for name in names)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("pycutest:qing", r"CUTEst has no problem called 'qing'; did you mean 'pycutest:QING'\?"),
        ("pycutest:QINNG?N=3", r"CUTEst has no problem called 'QINNG'; did you mean 'pycutest:QING'\?"),
        ("pycutest:XYZW", r"CUTEst has no problem called 'XYZW'$"),
        ("pycutest:QING?K=3", r"pycutest:QING\?K=3 cannot be built: .*Failed setting K to 3; .*sif_params\('QING'\)"),
    ],
)
def test_messages_name_the_problem_as_typed(asked, spec: str, message: str) -> None:
    for _ in range(2):  # what failed is not taken from the cache the second time
        with pytest.raises(ValueError, match=message):
            problems.get(spec)


def test_the_cache_is_in_the_users_cache_folder(asked, tmp_path, monkeypatch) -> None:
    problems.get("pycutest:QING")
    folder = Path(os.environ["PYCUTEST_CACHE"])
    assert folder.is_dir() and folder.parent == tmp_path / "cache" / "steelyard" / "pycutest"
    monkeypatch.setenv("PYCUTEST_CACHE", "elsewhere")
    problems.get("pycutest:QING?N=5")
    assert os.environ["PYCUTEST_CACHE"] == "elsewhere"


def test_without_parameters_the_sif_decides(asked) -> None:
    assert problems.get("pycutest:QING").name == "pycutest:QING"
    assert asked == [("QING", {})]


def test_it_is_pickled_by_name_and_can_be_derived_from(asked) -> None:
    problem = pickle.loads(pickle.dumps(problems.get("pycutest:QING", N=7).rotated(2)))
    assert problem.name == "pycutest:QING?N=7~rotated=2"
    assert asked == [("QING", {"N": "7"})]


@pytest.mark.parametrize(("name", "what"), [("BOUNDED", "bounds"), ("CONSTRAINED", "2 constraints")])
def test_constraints_are_refused(asked, name: str, what: str) -> None:
    with pytest.raises(ValueError, match=f"pycutest:{name} has {what}"):
        problems.get(f"pycutest:{name}")


def test_without_pycutest_the_message_says_what_to_install(monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("PYCUTEST_CACHE", str(tmp_path))
    monkeypatch.setitem(sys.modules, "pycutest", None)
    with pytest.raises(ImportError, match=r"build CUTEst, then install steelyard\[cutest\]"):
        problems.get("pycutest:QING")


def test_the_real_thing() -> None:
    try:
        import pycutest  # noqa: F401
    except (ImportError, RuntimeError):
        pytest.skip("PyCUTEst or CUTEst is not installed")
    theirs, ours = problems.get("pycutest:QING?N=100"), problems.get("QING")
    x = ours.x0 + np.random.default_rng(0).standard_normal((3, 100))
    np.testing.assert_allclose(theirs.f(x), ours.f(x), rtol=1e-9)
    np.testing.assert_allclose(theirs.gradient(x), ours.gradient(x), rtol=1e-9)


DECODER = '#!/bin/sh\nprintf "%s\\n" "$@" > "$SEEN"\necho "no decoder here"\nexit 3\n'


@pytest.mark.skipif(sys.platform == "win32", reason="PyCUTEst is not for Windows")
@pytest.mark.skipif(find_spec("pycutest") is None, reason="PyCUTEst is not installed")
@pytest.mark.parametrize(
    ("name", "words", "place"),
    [
        ("QING?N=50", ["-param", "N=50", "-force"], "QING_N50"),
        ("INDEF?ALPHA=0.5", ["-param", "ALPHA=0.5", "-force"], "INDEF_ALPHA0p5"),
        ("QING", [], "QING"),
    ],
)
def test_what_the_real_pycutest_tells_the_decoder(name, words, place, tmp_path) -> None:
    """PyCUTEst's own code, as far as it goes without CUTEst: to the decoder, here a script that notes its words."""
    for file, text in {"lib/libcutest_double.a": "", "include/cutest.h": "", "bin/sifdecoder": DECODER}.items():
        (tmp_path / file).parent.mkdir()
        (tmp_path / file).write_text(text)
    (tmp_path / "bin" / "sifdecoder").chmod(0o755)
    (tmp_path / "sif").mkdir()
    for problem in ("QING", "INDEF"):
        (tmp_path / "sif" / f"{problem}.SIF").touch()
    folders = {"CUTEST": tmp_path, "SIFDECODE": tmp_path, "MASTSIF": tmp_path / "sif", "SEEN": tmp_path / "seen"}
    environment = {key: value for key, value in os.environ.items() if key not in ("PYCUTEST_CACHE", "MYARCH")}
    environment |= {key: str(value) for key, value in folders.items()}
    environment |= {
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "HOME": str(tmp_path),
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    asks = f"    problems.get('pycutest:{name}')"
    code = f"from steelyard import problems\ntry:\n{asks}\nexcept ValueError as error:\n    print(error)"
    said = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=60, cwd=tmp_path
    )
    assert f"pycutest:{name} cannot be built" in said.stdout, said.stderr
    *given, sif = (tmp_path / "seen").read_text().split()
    assert given == words and sif == str(tmp_path / "sif" / f"{name.partition('?')[0]}.SIF")
    (cache,) = (path for path in tmp_path.rglob("pycutest_cache_holder"))
    assert cache.is_relative_to(tmp_path) and not (cache / place).exists()  # nothing half made is left
