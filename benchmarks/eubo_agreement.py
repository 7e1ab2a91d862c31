"""Does EUBO written with NumPy (`eubo-numpy`) agree with BoTorch's own (`eubo`)? Needs the extra `peers`.

    OMP_NUM_THREADS=1 python benchmarks/eubo_agreement.py --answers 4 --runs 6 --into notes/2026-11-18-result-pages.md

First the models, given the same answers to random pairs: length-scales, the correlation of the means over the box, and
that of the expected utility of pairs; how far apart the recommendations are in units of the box's edge and in regret.
Then whole runs of 40 questions, on functions of the literature and answers that are right on 85 % of typical pairs.
"""

from __future__ import annotations

import argparse
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from steelyard import Session
from steelyard.bench.markdown import fill, markdown_table
from steelyard.bench.oracle_spec import make_oracle
from steelyard.bench.others.eubo import GAMMA_RATE, GAMMA_SHAPE, FastEUBO, fit_pairs
from steelyard.bench.others.preferences import EUBO, pairwise_gp
from steelyard.problems import get
from steelyard.problems.problem import Problem
from steelyard.typing import Array

JUDGE = "typical,right=.85"
CHECKPOINTS = (10, 20, 40)
PAIRS = (10, 40)
LEAST = 1e-3


def models(problem: Problem, pairs: int, seed: int) -> list[float]:
    """The two models of the same answers: ratio of the length-scales, correlations, and where they recommend."""
    import torch
    from botorch.acquisition import PosteriorMean
    from botorch.acquisition.preference import AnalyticExpectedUtilityOfBestOption

    rng = np.random.default_rng([seed, 80])
    oracle, _ = make_oracle(JUDGE, problem, np.random.SeedSequence([seed, 81]), problem)
    a, b = rng.random((2, pairs, problem.n))
    first = (oracle.compare(a, b) > 0)[:, None]
    better, worse = np.where(first, a, b), np.where(first, b, a)
    ours = fit_pairs(better, worse, np.log([(GAMMA_SHAPE - 1.0) / GAMMA_RATE] * problem.n + [1.0]))
    theirs = pairwise_gp(np.concatenate([better, worse]), [(i, pairs + i) for i in range(pairs)])
    looks = rng.random((200, 2, problem.n))
    with torch.no_grad():
        mean = theirs.posterior(torch.tensor(looks[:, 0], dtype=torch.double)).mean.numpy().ravel()
        expected = AnalyticExpectedUtilityOfBestOption(theirs)(torch.tensor(looks, dtype=torch.double)).numpy()
    length = theirs.covar_module.base_kernel.lengthscale.detach().numpy().ravel()
    torch.manual_seed(seed)
    x = FastEUBO()._recommendation(ours, rng)
    y = EUBO()._recommendation(PosteriorMean(theirs), np.concatenate([better, worse]))
    return [
        float(np.exp(np.abs(ours.theta[:-1] - np.log(length)).mean())),
        float(np.corrcoef(ours.mean(looks[:, 0]), mean)[0, 1]),
        float(np.corrcoef(ours.expected_best(looks), expected)[0, 1]),
        float(np.abs(x - y).max()),
        float(problem.f(x) - problem.f(y)),
    ]


def run(method: EUBO | FastEUBO, problem: Problem, seed: int) -> list[float]:
    """Regret at the checkpoints."""
    oracle, _ = make_oracle(JUDGE, problem, np.random.SeedSequence([seed, 82]), problem)
    session = Session(method, problem.x0, rng=seed, bounds=[(0.0, 1.0)] * problem.n)
    regret = []
    while session.queries < CHECKPOINTS[-1]:
        question = session.ask()
        session.tell(oracle.compare(question.a, question.b))
        if session.queries in CHECKPOINTS:
            regret.append(float(problem.f(session.x)))
    return regret


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--answers", type=int, default=4, help="functions on which the models are compared")
    parser.add_argument("--runs", type=int, default=6, help="whole runs of each")
    parser.add_argument("--first", type=int, default=8000, help="the first seed")
    parser.add_argument("--into", type=Path, help="a page with marks <!-- bench: eubo/models --> and eubo/runs")
    given = parser.parse_args()
    if find_spec("botorch") is None:
        print("BoTorch is not installed (extra `peers`), so there is nothing to compare with.")
        sys.exit(0)
    rows = []
    for pairs in PAIRS:
        seeds = range(given.first, given.first + given.answers)
        found = np.array([models(get(f"Standard?seed={seed}"), pairs, seed) for seed in seeds])
        apart = np.median(found, axis=0)
        rows.append(
            [str(pairs), str(len(found)), f"{apart[0]:.2f}", *(f"{value:.3f}" for value in found[:, 1:3].min(axis=0))]
        )
        rows[-1] += [f"{apart[3]:.3f}", f"{found[:, 4].mean():+.3f}"]
    head = [
        "answers",
        "functions",
        "length-scales, factor",
        "correlation of means, least",
        "of expected utilities, least",
    ]
    head += ["recommendations apart, median", "difference in regret, mean"]
    blocks = {"models": markdown_table(head, rows)}
    print(blocks["models"], flush=True)
    regret: dict[str, list[list[float]]] = {"eubo": [], "eubo-numpy": []}
    for seed in range(given.first, given.first + given.runs):
        problem = get(f"Standard?seed={seed}")
        regret["eubo"].append(run(EUBO(recommend_at=CHECKPOINTS), problem, seed))
        regret["eubo-numpy"].append(run(FastEUBO(), problem, seed))
        print(seed, *(np.round(rows[-1], 3).tolist() for rows in regret.values()), flush=True)
    if given.runs:
        blocks["runs"] = runs_table({name: np.array(rows) for name, rows in regret.items()})
        print(blocks["runs"])
    if given.into is not None:
        fill(given.into, {name: lambda text=text: text for name, text in blocks.items()}, "eubo")


def runs_table(regret: dict[str, Array]) -> str:
    """Geometric means, and the ratio of the two run by run with its standard error."""
    logs = {name: np.log(np.maximum(rows, LEAST)) for name, rows in regret.items()}
    rows = [[name, *(f"{value:.3f}" for value in np.exp(each.mean(axis=0)))] for name, each in logs.items()]
    apart = logs["eubo-numpy"] - logs["eubo"]
    error = apart.std(axis=0, ddof=1) / np.sqrt(len(apart)) if len(apart) > 1 else np.full(apart.shape[1], np.nan)
    ratios = (
        f"{np.exp(m):.2f} [{np.exp(m - 2 * e):.2f}, {np.exp(m + 2 * e):.2f}]"
        for m, e in zip(apart.mean(axis=0), error, strict=True)
    )
    rows.append(["ratio, ± 2 standard errors", *ratios])
    return markdown_table([f"{len(apart)} runs", *(f"{count} questions" for count in CHECKPOINTS)], rows)


if __name__ == "__main__":
    main()
