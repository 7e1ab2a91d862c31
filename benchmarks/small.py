"""Methods on small problems: 31 of two to eight variables, as they are and rotated about x0 with two seeds.

    python benchmarks/small.py queries [cqn one-plus-one ...]
    python benchmarks/small.py ties    [cqn one-plus-one ...]

Most are from More, Garbow and Hillstrom, Testing unconstrained optimization software (ACM TOMS 7, 1981); the rest are
quadratics and sums of powers 1.5. For each number of variables: the geometric mean of the queries to r2, r3, r6 (f - f*
at most 5e-2, 1e-3, 1e-6 of f0 - f*; f* by scipy from x0), a problem not solved in 4,000 counting as 8,000, and how many
are solved. All methods compare only, with their default settings and one seed.

`ties`: differences in f below 1e-2 or 1e-4 of f0 - f* cannot be told; rotated problems only. How far a run ends from
f* in units of what can be told (median and 90 %), after how many queries (20,000 at most), and how many end within 3.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator

import numpy as np
import scipy.optimize
import scipy.stats

from steelyard import FunctionOracle, Session
from steelyard.registry import make_algorithm, parse_spec

LEVELS = {"r2": 5e-2, "r3": 1e-3, "r6": 1e-6}
BUDGET, UNSOLVED, TIES_BUDGET = 4_000, 8_000, 20_000
METHODS = ["cqn", "one-plus-one", "nelder-mead", "powell", "pattern-search", "stp", "cma-es"]

Vector = np.ndarray
Function = Callable[[Vector], float]

BARD = np.array([0.14, 0.18, 0.22, 0.25, 0.29, 0.32, 0.35, 0.39, 0.37, 0.58, 0.73, 0.96, 1.34, 2.10, 4.39])
KOWALIK = np.array([0.1957, 0.1947, 0.1735, 0.1600, 0.0844, 0.0627, 0.0456, 0.0342, 0.0323, 0.0235, 0.0246])
KOWALIK_AT = np.array([4, 2, 1, 0.5, 0.25, 0.167, 0.125, 0.1, 0.0833, 0.0714, 0.0625])
OSBORNE = np.array([
    0.844, 0.908, 0.932, 0.936, 0.925, 0.908, 0.881, 0.850, 0.818, 0.784, 0.751, 0.718, 0.685, 0.658, 0.628, 0.603,
    0.580, 0.558, 0.538, 0.522, 0.506, 0.490, 0.478, 0.467, 0.457, 0.448, 0.438, 0.431, 0.424, 0.420, 0.414, 0.411,
    0.406,
])  # fmt: skip


# --- residuals


def rosenbrock(x: Vector) -> Vector:
    return np.concatenate([10.0 * (x[1::2] - x[::2] ** 2), 1.0 - x[::2]])


def freudenstein_roth(x: Vector) -> list[float]:
    a, b = x
    return [-13.0 + a + ((5.0 - b) * b - 2.0) * b, -29.0 + a + ((b + 1.0) * b - 14.0) * b]


def beale(x: Vector) -> Vector:
    return np.array([1.5, 2.25, 2.625]) - x[0] * (1.0 - x[1] ** np.arange(1, 4))


def jennrich_sampson(x: Vector) -> Vector:
    i = np.arange(1, 11)
    return 2.0 + 2.0 * i - np.exp(i * x[0]) - np.exp(i * x[1])


def himmelblau(x: Vector) -> list[float]:
    return [x[0] ** 2 + x[1] - 11.0, x[0] + x[1] ** 2 - 7.0]


def helical_valley(x: Vector) -> list[float]:
    turn = np.arctan2(x[1], x[0]) / (2.0 * np.pi)
    return [10.0 * (x[2] - 10.0 * turn), 10.0 * (np.hypot(x[0], x[1]) - 1.0), x[2]]


def bard(x: Vector) -> Vector:
    u = np.arange(1, 16)
    return BARD - x[0] - u / ((16 - u) * x[1] + np.minimum(u, 16 - u) * x[2])


def box(x: Vector) -> Vector:
    t = 0.1 * np.arange(1, 11)
    return np.exp(-t * x[0]) - np.exp(-t * x[1]) - x[2] * (np.exp(-t) - np.exp(-10.0 * t))


def powell_singular(x: Vector) -> list[float]:
    return [x[0] + 10 * x[1], 5**0.5 * (x[2] - x[3]), (x[1] - 2 * x[2]) ** 2, 10**0.5 * (x[0] - x[3]) ** 2]


def wood(x: Vector) -> list[float]:
    return [
        10.0 * (x[1] - x[0] ** 2), 1.0 - x[0], 90**0.5 * (x[3] - x[2] ** 2), 1.0 - x[2],
        10**0.5 * (x[1] + x[3] - 2.0), 10**-0.5 * (x[1] - x[3]),
    ]  # fmt: skip


def kowalik_osborne(x: Vector) -> Vector:
    u = KOWALIK_AT
    return KOWALIK - x[0] * (u * u + u * x[1]) / (u * u + u * x[2] + x[3])


def brown_dennis(x: Vector) -> Vector:
    t = 0.2 * np.arange(1, 21)
    return (x[0] + t * x[1] - np.exp(t)) ** 2 + (x[2] + x[3] * np.sin(t) - np.cos(t)) ** 2


def biggs(x: Vector) -> Vector:
    t = 0.1 * np.arange(1, 14)
    y = np.exp(-t) - 5.0 * np.exp(-10.0 * t) + 3.0 * np.exp(-4.0 * t)
    return x[2] * np.exp(-t * x[0]) - x[3] * np.exp(-t * x[1]) + x[5] * np.exp(-t * x[4]) - y


def osborne(x: Vector) -> Vector:
    t = 10.0 * np.arange(33)
    return OSBORNE - x[0] - x[1] * np.exp(-t * x[3]) - x[2] * np.exp(-t * x[4])


def penalty(x: Vector) -> list[float]:
    return [*(1e-5**0.5 * (x - 1.0)), x @ x - 0.25]


def variably_dimensioned(x: Vector) -> list[float]:
    total = np.arange(1, x.size + 1) @ (x - 1.0)
    return [*(x - 1.0), total, total**2]


def trigonometric(x: Vector) -> Vector:
    return x.size - np.sum(np.cos(x)) + np.arange(1, x.size + 1) * (1.0 - np.cos(x)) - np.sin(x)


def brown_almost_linear(x: Vector) -> list[float]:
    return [*(x[:-1] + np.sum(x) - x.size - 1.0), np.prod(x) - 1.0]


def broyden_tridiagonal(x: Vector) -> Vector:
    around = np.concatenate([[0.0], x, [0.0]])
    return (3.0 - 2.0 * x) * x - around[:-2] - 2.0 * around[2:] + 1.0


def chebyquad(x: Vector) -> list[float]:
    means = [
        float(np.mean(np.polynomial.chebyshev.chebval(2.0 * x - 1.0, np.eye(i + 1)[i]))) for i in range(1, x.size + 1)
    ]
    return [mean - (0.0 if i % 2 else -1.0 / (i * i - 1.0)) for i, mean in enumerate(means, 1)]


STARTS = [
    (rosenbrock, [-1.2, 1.0]), (freudenstein_roth, [0.5, -2.0]), (beale, [1.0, 1.0]), (jennrich_sampson, [0.3, 0.4]),
    (himmelblau, [0.5, -0.3]), (helical_valley, [-1.0, 0.1, 0.0]), (bard, [1.0, 1.0, 1.0]), (box, [0.0, 10.0, 20.0]),
    (powell_singular, [3.0, -1.0, 0.0, 1.0]), (wood, [-3.0, -1.0, -3.0, -1.0]),
    (kowalik_osborne, [0.25, 0.39, 0.415, 0.39]), (brown_dennis, [25.0, 5.0, -5.0, -1.0]),
    (penalty, [1.0, 2.0, 3.0, 4.0]), (trigonometric, [0.2] * 5), (brown_almost_linear, [0.5] * 5),
    (osborne, [0.5, 1.5, -1.0, 0.01, 0.02]), (rosenbrock, [-1.2, 1.0] * 3), (biggs, [1.0, 2.0, 1.0, 1.0, 1.0, 1.0]),
    (variably_dimensioned, 1.0 - np.arange(1, 7) / 6.0), (chebyquad, np.arange(1, 7) / 7.0),
    (broyden_tridiagonal, [-1.0] * 8),
]  # fmt: skip


# --- problems and runs


def problems() -> Iterator[tuple[Function, Vector]]:
    for residuals, x0 in STARTS:
        yield lambda x, r=residuals: float(np.sum(np.square(r(x)))), np.array(x0, dtype=float)
    for n in (2, 3, 5, 8):
        for condition in (10.0, 1000.0):
            w, centre = condition ** np.linspace(0.0, 1.0, n), 2.0 * np.cos(1.7 * np.arange(n))
            yield lambda x, w=w, centre=centre: float(w @ (x - centre) ** 2), np.full(n, 0.5)
    for n in (3, 6):
        w, centre = np.arange(1, n + 1), np.sin(np.arange(n))
        yield lambda x, w=w, centre=centre: float(w @ np.abs(x - centre) ** 1.5), np.full(n, 2.0)


def lowest(f: Function, x0: Vector) -> float:
    found = [f(x0)]
    for method in ("BFGS", "Nelder-Mead", "Powell"):
        end = scipy.optimize.minimize(f, x0, method=method, options={"maxiter": 20_000})
        polished = scipy.optimize.minimize(f, end.x, method="BFGS", options={"gtol": 1e-12})
        found += [end.fun, polished.fun]
    return float(min(found))


def starts() -> list[tuple[Function, Vector, float]]:
    """The problems with their lowest values."""
    return [(f, x0, lowest(f, x0)) for f, x0 in problems()]


def rotated(f: Function, x0: Vector, seed: int) -> Function:
    Q = scipy.stats.ortho_group.rvs(x0.size, random_state=seed)
    return lambda x: f(x0 + Q @ (x - x0))


def queries(method: str, f: Function, x0: Vector, f_star: float) -> list[int]:
    """At how many queries each level was first met by a recommendation."""
    f0 = f(x0)
    left = {level: f_star + part * (f0 - f_star) for level, part in LEVELS.items()}
    met = dict.fromkeys(LEVELS, UNSOLVED)
    name, options = parse_spec(method)
    session = Session(make_algorithm(name, options), x0, 0, log=False)
    oracle = FunctionOracle(f)
    while left and (question := session.question) is not None and session.queries + len(question) <= BUDGET:
        session.feed(oracle.compare(question.a, question.b))
        value = f(session.x)
        for level in [level for level, goal in left.items() if value <= goal]:
            met[level] = session.queries
            del left[level]
    return list(met.values())


def ended(method: str, f: Function, x0: Vector, f_star: float, jnd: float) -> tuple[float, int]:
    """How far from f* in units of what can be told, and the queries, of a run that ends by itself."""
    way = f(x0) - f_star
    name, options = parse_spec(method)
    session = Session(make_algorithm(name, options), x0, 0, log=False)
    result = session.run(FunctionOracle(f, jnd=jnd * way), TIES_BUDGET)
    return (f(result.x) - f_star) / way / jnd, result.ncmp


def show_queries(methods: list[str]) -> None:
    cases = [(g, x0, f_star) for f, x0, f_star in starts() for g in (f, rotated(f, x0, seed=1), rotated(f, x0, seed=2))]
    sizes = sorted({x0.size for _, x0, _ in cases})
    print("| method | " + " | ".join(f"{n} ({sum(x0.size == n for _, x0, _ in cases)})" for n in sizes) + " | solved |")
    print("|---" * (len(sizes) + 2) + "|")
    for method in methods or METHODS:
        met = np.array([queries(method, *case) for case in cases])
        of_size = [met[[x0.size == n for _, x0, _ in cases]] for n in sizes]
        means = [" / ".join(f"{q:.0f}" for q in np.exp(np.log(part).mean(axis=0))) for part in of_size]
        solved = " / ".join(str(k) for k in np.sum(met < UNSOLVED, axis=0))
        print(f"| {method} | " + " | ".join(means) + f" | {solved} of {len(cases)} |", flush=True)


def show_ties(methods: list[str]) -> None:
    cases = [(rotated(f, x0, seed), x0, f_star) for f, x0, f_star in starts() for seed in (1, 2)]
    print("| method | what can be told | distance, median / 90 % | queries, median | within 3 |\n|---|---|---|---|---|")
    for method in methods or ["cqn", "one-plus-one", "nelder-mead", "powell", "stp"]:
        for jnd in (1e-2, 1e-4):
            distances, asked = np.array([ended(method, *case, jnd) for case in cases]).T
            typical, far = np.quantile(distances, [0.5, 0.9])
            within = f"{np.sum(distances < 3.0)} of {len(cases)}"
            print(f"| {method} | {jnd:g} | {typical:.2g} / {far:.2g} | {np.median(asked):.0f} | {within} |", flush=True)


def main() -> None:
    show = {"queries": show_queries, "ties": show_ties}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=list(show))
    parser.add_argument("methods", nargs="*", help="the usual ones if none is named")
    arguments = parser.parse_args()
    with np.errstate(all="ignore"):
        show[arguments.what](arguments.methods)


if __name__ == "__main__":
    main()
