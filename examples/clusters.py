"""A benchmark on SLURM, PBS or Kubernetes, through Dask's own tools.

    python examples/clusters.py slurm plan.toml results 20      # on the login node; 20 workers
    python examples/clusters.py pbs plan.toml results 20
    python examples/clusters.py kubernetes plan.toml results 20

`pip install 'steelyard[bench,dask]' dask-jobqueue` (SLURM, PBS) or `dask-kubernetes` (Kubernetes, with Dask's operator
in the cluster), here and where the workers are. Change the names of queue, account and image below. The records
are written here; a benchmark that was cut short, for example by a time limit, continues with the same command.
"""

import sys
from pathlib import Path

from steelyard.bench import Plan, run
from steelyard.bench.engine import executor_on

# A cell is one process without threads of its own: numpy's would get in the way of the neighbours'.
ONE_CELL = {"cores": 1, "processes": 1, "memory": "2 GB", "walltime": "04:00:00"}
WITHOUT_THREADS = ["export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1"]


def slurm(queue="short", account=None, **more):
    """Each worker is a job: sbatch starts it, and it is given up at the end of its time."""
    from dask_jobqueue import SLURMCluster

    return SLURMCluster(queue=queue, account=account, job_script_prologue=WITHOUT_THREADS, **{**ONE_CELL, **more})


def pbs(queue="batch", account=None, **more):
    """The same by qsub."""
    from dask_jobqueue import PBSCluster

    options = {**ONE_CELL, "resource_spec": "select=1:ncpus=1:mem=2gb", **more}
    return PBSCluster(queue=queue, account=account, job_script_prologue=WITHOUT_THREADS, **options)


def kubernetes_spec(image, name="steelyard", workers=1):
    """What Dask's operator is asked for: a scheduler and worker pods with one thread each."""
    from dask_kubernetes.operator import make_cluster_spec

    return make_cluster_spec(
        name=name,
        image=image,
        n_workers=workers,
        resources={"requests": {"cpu": "1", "memory": "2Gi"}, "limits": {"cpu": "1", "memory": "2Gi"}},
        env={"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        worker_command=["dask", "worker", "--nthreads", "1"],
    )


def kubernetes(image="registry.example/steelyard:latest"):
    """Pods of an image that has steelyard[bench,dask] in it."""
    from dask_kubernetes.operator import KubeCluster

    return KubeCluster(custom_cluster_spec=kubernetes_spec(image))


def bench_on(cluster, plan, out, workers, wait=300):
    """Ask for the workers, run the plan on those that come, give them back. What is done already is not repeated."""
    with cluster:
        cluster.scale(workers)
        cluster.wait_for_workers(1, timeout=wait)  # the others may come later
        return run(plan, out, executor=executor_on(cluster.scheduler_address, None, out, say=print))


if __name__ == "__main__":
    kind, plan, out, workers = sys.argv[1:]
    make = {"slurm": slurm, "pbs": pbs, "kubernetes": kubernetes}[kind]
    print(bench_on(make(), Plan.load(Path(plan)), out, int(workers)))
