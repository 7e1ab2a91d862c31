"""Does EUBO written with NumPy (`eubo-numpy`) agree with BoTorch's own (`eubo`)? Needs the extra `peers`.

    steelyard bench --plan plans/eubo_models.py --seeds 4 --into PAGE
    steelyard bench --plan plans/eubo.toml --into PAGE

Here the models, given the same answers to random pairs: length-scales, the correlation of the means over the box, and
that of the expected utility of pairs; how far apart the recommendations are in units of the box's edge and in regret.
Whole runs of 40 questions are the plan eubo.toml, on the same functions of the literature.
"""

from __future__ import annotations

import numpy as np

from steelyard.bench.markdown import markdown_table
from steelyard.bench.measurement import Case, MeasuredRow, Measurement, grouped
from steelyard.bench.oracle_spec import make_oracle
from steelyard.bench.others.eubo import GAMMA_RATE, GAMMA_SHAPE, FastEUBO, fit_pairs
from steelyard.bench.others.preferences import EUBO, pairwise_gp
from steelyard.extras import need
from steelyard.problems import get

JUDGE = "typical,right=.85"
PAIRS = (10, 40)


def models(case: Case) -> list[MeasuredRow]:
    """The two models of the same answers: ratio of the length-scales, correlations, and where they recommend."""
    need("botorch", "peers")
    import torch
    from botorch.acquisition import PosteriorMean
    from botorch.acquisition.preference import AnalyticExpectedUtilityOfBestOption

    problem, pairs, seed = get(f"Standard?seed={case.seed}"), int(case.problem), case.seed
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
        {
            "factor": np.exp(np.abs(ours.theta[:-1] - np.log(length)).mean()),
            "means": np.corrcoef(ours.mean(looks[:, 0]), mean)[0, 1],
            "expected": np.corrcoef(ours.expected_best(looks), expected)[0, 1],
            "apart": np.abs(x - y).max(),
            "regret": problem.f(x) - problem.f(y),
        }
    ]


HEAD = {
    "length-scales, factor": ("factor", np.median, ".2f"),
    "correlation of means, least": ("means", np.min, ".3f"),
    "of expected utilities, least": ("expected", np.min, ".3f"),
    "recommendations apart, median": ("apart", np.median, ".3f"),
    "difference in regret, mean": ("regret", np.mean, "+.3f"),
}


def tables(found: list[MeasuredRow]) -> dict[str, str]:
    rows = []
    for (pairs,), some in grouped(found, "problem").items():
        cells = (format(sum_up([each[name] for each in some]), form) for name, sum_up, form in HEAD.values())
        rows.append([pairs, str(len(some)), *cells])
    return {"table": markdown_table(["answers", "functions", *HEAD], rows)}


PLAN = Measurement(measure=models, tables=tables, problems=[str(pairs) for pairs in PAIRS], seeds=4, first_seed=8000)
