"""CMA-ES (Hansen, "The CMA evolution strategy: a tutorial", arXiv:1604.00772), comparison-based by CompSort.

Equation numbers are the tutorial's.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, floor, isfinite, log, sqrt
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from steelyard.checks import check_choice, check_flag, check_positive, check_whole
from steelyard.dialogue import Capabilities, Dialogue, Question, Step
from steelyard.errors import BadValue
from steelyard.parts.questions import AskingForm, Sorting, best_point, comp_sort, top_k, value_order
from steelyard.parts.stopping import reason_to_stop, settled
from steelyard.typing import Array

PROBE = 0.5
"""Two-point control compares points this part of the last move behind and ahead of the mean."""
TREND, TREND_BIAS = 0.3, 0.1
"""The weight of the last answer in two-point control, and what is taken off it, which keeps the step from growing on
answers that say nothing."""
SINGULAR = 1e-16
"""Variances whose ratio is below this cannot be distinguished from 0 in floating point."""
_AS_WRITTEN: dict[str, Any] = {"control": "path", "sorting": "bubble", "active": False}
"""What the benchmark's paper and Hansen's tutorial have in common, unlike our defaults."""


@dataclass(frozen=True)
class CMAES:
    """Covariance matrix adaptation: samples, sorts and learns the shape of f; about 2.2 comparisons per sample."""

    step: float = 0.3
    """The first step length: the standard deviation sigma of the first samples, in every variable."""
    population: int | None = None
    """Samples per generation; 4 + 3 ln n by default."""
    parents: int | None = None
    """How many of the best samples make the next mean; half of them by default."""
    active: bool = True
    """Also learn from the worst samples, by negative weights, which needs the whole order."""
    control: Literal["two-point", "path"] = "two-point"
    """How the step length is controlled. "path" is the tutorial's cumulative control, blind to f except through the
    samples. "two-point" (Hansen 2008, "CMA-ES with two-point step-size adaptation") asks once per generation whether f
    still falls along the last move, 1 comparison, and then lengthens the next: better where only some variables
    matter."""
    sorting: Sorting | Literal["cheapest"] = "cheapest"
    """How samples are sorted. "cheapest" asks for no more order than the weights use: merge-insertion for all ranks,
    `top_k` for the parents only."""
    form: AskingForm = "comparison"
    """"comparison", or "value" for the paper's zeroth-order form (step 3a), which sees values of f."""

    capabilities: ClassVar[Capabilities] = Capabilities(in_flight="half of the population", matrices=True)
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "paper": {"population": 10, "parents": 1, "step": 0.5, **_AS_WRITTEN},
        "paper-toy": {"population": 10, "parents": 5, "step": 0.5, **_AS_WRITTEN},
    }

    def __post_init__(self) -> None:
        check_positive("step", self.step)
        check_flag("active", self.active)
        if self.population is not None:
            check_whole("population", self.population, 2)
        if self.parents is not None:
            check_whole("parents", self.parents, 1)
            if self.population is not None and self.parents > self.population:
                raise BadValue(f"parents must be at most population = {self.population}, got {self.parents}")
        check_choice("control", self.control, ("two-point", "path"))
        check_choice("sorting", self.sorting, ("cheapest", *get_args(Sorting)))
        check_choice("form", self.form, ("comparison", "value"))

    def run(self, x: Array, rng: np.random.Generator) -> Dialogue:
        n, m, sigma = x.size, x, self.step
        k = Constants.of(n, self.population, self.parents, self.active)
        p_sigma, p_c = np.zeros(n), np.zeros(n)
        C, B, D = np.eye(n), np.eye(n), np.ones(n)
        generation, trend = 0, 0.0
        while True:
            # C changes little in a generation: its eigenvectors are renewed only as often as costs O(n^2) per sample.
            if generation % k.eigen_every == 0 and generation:
                C = (C + C.T) / 2.0
                D2, B = np.linalg.eigh(C)
                if not isfinite(D2[-1]) or D2[0] <= SINGULAR * D2[-1]:
                    return (yield from settled("the covariance matrix has become singular", m, self.step, rng))
                D = np.sqrt(D2)
            z = rng.standard_normal((k.population, n))  # (38)
            y = (z * D) @ B.T  # (39)
            points = m + sigma * y  # (40)
            best = yield from self._order(points, k)
            ranked = y[best]
            y_w = k.w[: k.parents] @ ranked[: k.parents]  # (41)
            move = sigma * y_w
            m = m + move  # (42), with c_m = 1
            yield Step(m)

            whitened = B @ ((B.T @ y_w) / D)
            p_sigma = (1.0 - k.c_sigma) * p_sigma + sqrt(k.c_sigma * (2.0 - k.c_sigma) * k.mu_eff) * whitened  # (43)
            length = float(np.linalg.norm(p_sigma))
            if self.control == "path":
                sigma = sigma * exp(min(1.0, k.c_sigma / k.d_sigma * (length / k.chi_n - 1.0)))  # (44)
            else:
                ahead = yield from best_point([m - PROBE * move, m + PROBE * move], rng, self.form)
                trend = (1.0 - TREND) * trend + TREND * (2 * ahead - 1 - TREND_BIAS)
                sigma = sigma * exp(trend / sqrt(n))
            generation += 1
            unbiased = length / sqrt(1.0 - (1.0 - k.c_sigma) ** (2 * generation))
            h_sigma = float(unbiased < (1.4 + 2.0 / (n + 1.0)) * k.chi_n)
            p_c = (1.0 - k.c_c) * p_c + h_sigma * sqrt(k.c_c * (2.0 - k.c_c) * k.mu_eff) * y_w  # (45)
            w = k.w.copy()
            if self.active:  # |C^-1/2 y| is |z|
                negative = w < 0.0
                worst = z[best][negative]
                w[negative] *= n / (np.einsum("ij,ij->i", worst, worst) + 1e-30)  # (46)
            keep = 1.0 + k.c_1 * (1.0 - h_sigma) * k.c_c * (2.0 - k.c_c) - k.c_1 - k.c_mu * k.w.sum()
            C = keep * C + k.c_1 * np.outer(p_c, p_c) + k.c_mu * (ranked.T * w) @ ranked  # (47)

            if reason := reason_to_stop(sigma * float(D.max()), m, rounding=SINGULAR):
                return (yield from settled(reason, m, self.step, rng))

    def _order(self, points: Array, k: Constants) -> Question[list[int]]:
        """The samples that have a weight, the best first."""
        if self.form == "value":
            return (yield from value_order(points))[: len(k.w)]
        if self.sorting != "cheapest":
            return (yield from comp_sort(points, self.sorting))[: len(k.w)]
        if len(k.w) < len(points):
            return (yield from top_k(points, len(k.w)))
        return (yield from comp_sort(points, "merge-insertion"))


def usual_population(n: int) -> int:
    """4 + 3 ln n samples in n variables: (48)."""
    return 4 + floor(3.0 * log(n))


@dataclass(frozen=True)
class Constants:
    """The tutorial's default strategy parameters (its table 1)."""

    population: int
    parents: int
    w: Array
    mu_eff: float
    c_sigma: float
    d_sigma: float
    c_c: float
    c_1: float
    c_mu: float
    chi_n: float
    eigen_every: int

    @staticmethod
    def of(n: int, population: int | None, parents: int | None, active: bool) -> Constants:
        lam = population or usual_population(n)
        mu = min(parents or lam // 2, lam)
        rank = np.arange(1, lam + 1)
        # (49); parents other than half the population get the same curve, stretched to end behind the last of them
        positive = np.where(rank <= mu, np.log(((lam + 1.0) / 2.0 if parents is None else mu + 0.5) / rank), 0.0)
        negative = np.where(rank > mu, np.minimum(0.0, np.log((lam + 1.0) / 2.0 / rank)), 0.0)
        mu_eff = float(positive.sum() ** 2 / (positive @ positive))
        c_c = (4.0 + mu_eff / n) / (n + 4.0 + 2.0 * mu_eff / n)  # (56)
        c_1 = 2.0 / ((n + 1.3) ** 2 + mu_eff)  # (57)
        c_mu = min(1.0 - c_1, 2.0 * (0.25 + mu_eff + 1.0 / mu_eff - 2.0) / ((n + 2.0) ** 2 + mu_eff))  # (58)
        w = positive / positive.sum()  # (53)
        if not active or not negative.any():
            w = w[:mu]
        else:
            mu_eff_minus = float(negative.sum() ** 2 / (negative @ negative))
            alpha = min(
                1.0 + c_1 / c_mu,  # (50)
                1.0 + 2.0 * mu_eff_minus / (mu_eff + 2.0),  # (51)
                (1.0 - c_1 - c_mu) / (n * c_mu),  # (52)
            )
            w = w + alpha * negative / np.abs(negative).sum()  # (53)
        c_sigma = (mu_eff + 2.0) / (n + mu_eff + 5.0)  # (55)
        return Constants(
            population=lam,
            parents=mu,
            w=w,
            mu_eff=mu_eff,
            c_sigma=c_sigma,
            d_sigma=1.0 + 2.0 * max(0.0, sqrt((mu_eff - 1.0) / (n + 1.0)) - 1.0) + c_sigma,  # (55)
            c_c=c_c,
            c_1=c_1,
            c_mu=c_mu,
            chi_n=sqrt(n) * (1.0 - 1.0 / (4.0 * n) + 1.0 / (21.0 * n * n)),
            eigen_every=max(1, floor(1.0 / (10.0 * n * (c_1 + c_mu)))),
        )
