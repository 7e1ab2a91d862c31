"""The paper's toy problems (n = 200, k = 20): mean gap after 1e4 comparisons, five runs from the published start.

python benchmarks/toy.py            # a minute; prints the table of docs/results.md
"""

from __future__ import annotations

import numpy as np

from steelyard import FunctionOracle, minimize, problems

NAMES = ["SparseQuadratic", "MaxK", "NonSparseQuadratic"]
RUNS: list[tuple[str, dict[str, str]]] = [
    ("stp", {"preset": "paper-toy"}),
    ("gld", {"preset": "published-toy"}),
    ("gld", {"preset": "paper-toy"}),
    ("signopt", {"preset": "paper-toy"}),
    ("scobo", {"preset": "published-toy"}),
    ("scobo", {"preset": "paper-toy"}),
    ("cma-es", {"preset": "paper-toy"}),
    *((method, {}) for method in ("stp", "gld", "signopt", "scobo", "cma-es")),
]


def main() -> None:
    x0 = np.random.RandomState(12345).randn(200)  # the start of the published runs
    print(f"| method | settings | {' | '.join(NAMES)} |\n|---|---|---|---|---|")
    for method, options in RUNS:
        gaps = []
        for name in NAMES:
            problem = problems.get(name)
            ends = [
                minimize(FunctionOracle(problem), x0, method=method, budget=10_000, rng=seed, options=options).x
                for seed in range(5)
            ]
            gaps.append(f"{np.mean([problem.f(x) for x in ends]):.3g}")
        print(f"| {method} | {options.get('preset', 'default')} | {' | '.join(gaps)} |", flush=True)


if __name__ == "__main__":
    main()
