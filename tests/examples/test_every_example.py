"""Every example runs, and reaches what it promises."""

import importlib.util
import json
import sys
from pathlib import Path

import numpy as np
import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


def load(name):
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up by name
    spec.loader.exec_module(module)
    return module


def test_classifier_from_judgements():
    before, after = load("classifier_from_judgements").main()
    assert after < 0.75 * before


def test_hearing_aid():
    before, after = load("hearing_aid").main()
    assert after < 0.2 * before


def test_hard_label_attack():
    before, after = load("hard_label_attack").main()
    assert after < 0.35 * before


def test_convert_pycma():
    reached = load("convert_pycma").main()
    assert all(value < 5.0 for value in reached.values())  # it starts at 1501
    assert reached["cqn"] < 1e-6


def test_judge_command():
    assert np.allclose(load("judge_command").main(), [3.0, 2.0, 0.1], atol=0.1)


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.ipynb")), ids=lambda path: path.stem)
def test_the_notebook_runs_from_top_to_bottom(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    cells = [cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]
    namespace = {"__name__": "__main__"}
    assert cells
    for number, cell in enumerate(cells, 1):
        exec(compile("".join(cell["source"]), f"{path.name}, code cell {number}", "exec"), namespace)


def test_every_example_is_tested_and_listed():
    here, listed = Path(__file__).parent, (EXAMPLES / "README.md").read_text()
    tests = "".join(path.read_text() for path in here.parent.rglob("test_*.py"))
    for path in EXAMPLES.glob("*.py"):
        assert path.stem in tests, f"{path.name} is not tested"
        assert path.name in listed, f"{path.name} is not in examples/README.md"


def test_job_scripts_for_slurm_and_pbs():
    pytest.importorskip("dask_jobqueue")
    clusters = load("clusters")
    with clusters.slurm(queue="long", account="me", scheduler_options={"dashboard_address": None}) as cluster:
        script = cluster.job_script()
    assert {"#SBATCH -p long", "#SBATCH -A me", "#SBATCH -n 1", "#SBATCH -t 04:00:00"} <= set(script.splitlines())
    assert "OPENBLAS_NUM_THREADS=1" in script and "--nthreads 1" in script
    with clusters.pbs(queue="long", scheduler_options={"dashboard_address": None}) as cluster:
        script = cluster.job_script()
    assert {"#PBS -q long", "#PBS -l select=1:ncpus=1:mem=2gb", "#PBS -l walltime=04:00:00"} <= set(script.splitlines())


def test_a_benchmark_on_workers_that_a_job_script_starts(tmp_path):
    """The same route as on SLURM and PBS, but that this machine starts the job's command, not a batch system."""
    local = pytest.importorskip("dask_jobqueue.local")
    clusters = load("clusters")
    cluster = local.LocalCluster(
        cores=1,
        processes=1,
        memory="1 GB",
        scheduler_options={"dashboard_address": None},
    )
    plan = clusters.Plan(["ROSENBR"], ["stp", "gld"], 100, 2)
    summary = clusters.bench_on(cluster, plan, tmp_path / "results", 1, wait=60)
    assert summary.finished == 4 and not summary.failed


def test_pods_for_kubernetes():
    pytest.importorskip("dask_kubernetes")
    spec = load("clusters").kubernetes_spec("image:1", workers=3)
    worker = spec["spec"]["worker"]
    container = worker["spec"]["containers"][0]
    assert worker["replicas"] == 3 and container["image"] == "image:1"
    assert {"name": "OPENBLAS_NUM_THREADS", "value": "1"} in container["env"]
    assert "--nthreads" in container["args"]
