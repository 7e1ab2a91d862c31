"""(1+1)-CMA-ES (Igel, Suttorp, Hansen 2006; active form of Arnold, Hansen 2010): comparison-based by nature."""

from dataclasses import dataclass
from math import exp, sqrt
from typing import ClassVar

import numpy as np

from steelyard.checks import check_flag, check_positive
from steelyard.dialogue import Capabilities, Dialogue, Step, better
from steelyard.parts.stopping import reason_to_stop, settled
from steelyard.typing import Array

# Published: 2/11, and a damping of 1 + n/2. These are about 3 decades ahead of it on the sphere (n = 10, 2,000
# comparisons) and level with it on an ellipsoid and on Rosenbrock's valley.
P_TARGET, DAMPING = 0.22, 3.0
P_THRESHOLD, C_P, ANCESTORS = 0.44, 1.0 / 12.0, 5
"""As published."""
SHORTEST_STEP = 1e-20
"""Steps shorter than this part of x are below rounding, whatever the shape of A."""


@dataclass(frozen=True)
class OnePlusOne:
    """(1+1)-CMA-ES: one trial against the best so far; 1 comparison per step. Strong if answers are exact.

    The trial is x + sigma A z. Successes lengthen sigma and failures shorten it so that about 1 of 5 trials succeeds;
    successful steps are learnt into A. The matrices take 2 n^2 numbers.
    """

    step: float = 0.3
    """The first step length: the standard deviation sigma of the first trial, in every variable."""
    active: bool = False
    """Also unlearn trials worse than the fifth ancestor, for 1 more comparison per failure."""

    capabilities: ClassVar[Capabilities] = Capabilities(matrices=True)

    def __post_init__(self) -> None:
        check_positive("step", self.step)
        check_flag("active", self.active)

    def run(self, x: Array, rng: np.random.Generator) -> Dialogue:
        n, sigma, p_success = x.size, self.step, P_TARGET
        d, c = 1.0 + n / DAMPING, 2.0 / (n + 2.0)  # c and the learning rates as published
        c_plus, c_minus = 2.0 / (n * n + 6.0), 0.4 / (n**1.6 + 1.0)
        A, A_inverse, s = np.eye(n), np.eye(n), np.zeros(n)
        ancestors: list[Array] = []
        while True:
            z = rng.standard_normal(n)
            move = A @ z
            trial = x + sigma * move
            success = yield from better(trial, x)
            p_success = (1.0 - C_P) * p_success + C_P * success
            sigma = sigma * exp((p_success - P_TARGET) / (1.0 - P_TARGET) / d)
            if success:
                ancestors = [*ancestors[1 - ANCESTORS :], x]
                x = trial
                if p_success < P_THRESHOLD:
                    s = (1.0 - c) * s + sqrt(c * (2.0 - c)) * move
                    alpha = 1.0 - c_plus
                else:  # steps are too short to say much about the shape
                    s = (1.0 - c) * s
                    alpha = 1.0 - c_plus + c_plus * c * (2.0 - c)
                _rescale(A, A_inverse, s, A_inverse @ s, alpha, c_plus)
                yield Step(x)
            elif self.active and len(ancestors) == ANCESTORS and (yield from better(ancestors[0], trial)):
                z2 = float(z @ z)
                c_z = min(c_minus, 1.0 / (2.0 * z2 - 1.0)) if z2 > 1.0 else c_minus
                _rescale(A, A_inverse, move, z, 1.0 + c_z, -c_z)
            if reason := reason_to_stop(sigma, x, rounding=SHORTEST_STEP):
                return (yield from settled(reason, x, self.step, rng))


def _rescale(A: Array, A_inverse: Array, s: Array, w: Array, alpha: float, c: float) -> None:
    """In place: A A^T <- alpha A A^T + c s s^T, where w = A^-1 s. O(n^2)."""
    w2 = float(w @ w)
    if w2 > 1e-300:
        stretch = sqrt(1.0 + c / alpha * w2)
        A += ((stretch - 1.0) / w2) * np.outer(s, w)
        A_inverse -= ((1.0 - 1.0 / stretch) / w2) * np.outer(w, w @ A_inverse)
    A *= sqrt(alpha)
    A_inverse /= sqrt(alpha)
