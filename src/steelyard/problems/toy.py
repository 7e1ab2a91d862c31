"""The toy problems of Slavin and McKenzie's benchmark of comparison-based methods, for any n and k.

Where the paper's formula and its published code differ, these follow the code, on which its figures rest:
MaxK takes the k entries of largest magnitude (the formula: the k largest, signs and all) and halves their sum.

`noise` adds Gaussian value noise of that standard deviation, as the published code can. It is drawn once per point
(from the point's bytes and `noise_seed`) rather than once per evaluation, so that a run can be repeated and a batch
equals its rows; the gradient stays that of the noise-free function.
"""

import hashlib
import math

import numpy as np

from steelyard.checks import check_range
from steelyard.problems.definitions import Definition, problem
from steelyard.problems.rows import row_sum, sum_of_squares
from steelyard.typing import Array, Kernel


@problem("SparseQuadratic", family="toy", source="0 where the first k entries are")
def sparse_quadratic(n: int = 200, k: int = 20, noise: float = 0.0, noise_seed: int = 0) -> Definition:
    """sum of x_i^2 over the first k variables: the other n - k do not matter."""
    check_range("k", k, 1, n)

    def values(x: Array) -> Array:
        return sum_of_squares(x[:, :k])

    def gradients(x: Array) -> Array:
        g = np.zeros_like(x)
        g[:, :k] = 2.0 * x[:, :k]
        return g

    return Definition(_start(n), _noisy(values, noise, noise_seed), gradients, f_best=0.0)


@problem("MaxK", family="toy", source="0 at the origin")
def max_k(n: int = 200, k: int = 20, noise: float = 0.0, noise_seed: int = 0) -> Definition:
    """Half the sum of the k largest x_i^2: at every point the gradient has k entries, but which ones changes."""
    check_range("k", k, 1, n)

    def values(x: Array) -> Array:
        return 0.5 * row_sum(np.partition(x * x, n - k, axis=1)[:, n - k :])

    def gradients(x: Array) -> Array:
        largest = np.argpartition(x * x, n - k, axis=1)[:, n - k :]
        g = np.zeros_like(x)
        np.put_along_axis(g, largest, np.take_along_axis(x, largest, axis=1), axis=1)
        return g

    return Definition(_start(n), _noisy(values, noise, noise_seed), gradients, f_best=0.0)


@problem("NonSparseQuadratic", family="toy", source="0 at the origin")
def non_sparse_quadratic(n: int = 200, noise: float = 0.0, noise_seed: int = 0) -> Definition:
    """sum of all x_i^2."""

    def gradients(x: Array) -> Array:
        return 2.0 * x

    return Definition(_start(n), _noisy(sum_of_squares, noise, noise_seed), gradients, f_best=0.0)


def _start(n: int) -> Array:
    """The published benchmark's start, which is drawn by NumPy's legacy generator."""
    check_range("n", n, 1)
    return np.random.RandomState(12345).standard_normal(n)


def _noisy(values: Kernel, noise: float, seed: int) -> Kernel:
    check_range("noise", noise, 0.0)
    if noise == 0.0:
        return values
    key = seed.to_bytes(8, "little", signed=True)

    def noisy_values(x: Array) -> Array:
        # Adding 0 turns -0 into 0, which is the same point.
        return values(x) + noise * np.array([_normal(row.tobytes(), key) for row in x + 0.0])

    return noisy_values


def _normal(point: bytes, key: bytes) -> float:
    """A standard normal number that depends on the point only (Box and Muller's transform of its hash)."""
    digest = hashlib.blake2b(point, key=key, digest_size=16).digest()
    u, v = (int.from_bytes(part, "little") / 2**64 for part in (digest[:8], digest[8:]))
    return math.sqrt(-2.0 * math.log(1.0 - u)) * math.cos(2.0 * math.pi * v) if u < 1.0 else 0.0
