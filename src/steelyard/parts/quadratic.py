"""A quadratic whose gradient g and Hessian H are Gaussian: what that says of differences of f.

In the coordinates z of a region, q(z) = g.z + z'Hz/2, so q(b) - q(a) = u.(g + H m) with u = b - a and m = (a + b)/2:
linear in the unknowns. The prior: g ~ N(0, slope^2 I) and H = h I + G with h ~ N(1, 1/4) and a symmetric G whose
entries have deviation bend / sqrt(n), sqrt(2) times as much on the diagonal.
"""

from dataclasses import dataclass

import numpy as np

from steelyard.typing import Array

LEVEL = 0.25
"""The variance of h, the size of H as a whole."""


@dataclass(frozen=True)
class Quadratic:
    """The prior in n variables; rows of u and m are questions (see above)."""

    n: int
    slope2: float
    """The variance of each entry of g."""
    bend2: float
    """The variance of each entry of G off the diagonal."""
    steep: Array
    """Columns V, by which g has the covariance slope2 I + VV': towards a bound f may fall steeply for ever."""

    @property
    def unknowns(self) -> int:
        return self.n + 1 + self.n * (self.n + 1) // 2

    def mean(self, u: Array, m: Array) -> Array:
        """The expected differences."""
        return np.asarray(np.einsum("ij,ij->i", u, m))

    def covariance(self, u: Array, m: Array, u2: Array, m2: Array) -> Array:
        """Covariances of the differences of one set of questions with those of another: O(M M' n)."""
        inner = np.outer(self.mean(u, m), self.mean(u2, m2))
        slope = (u @ u2.T) * (self.slope2 + self.bend2 * (m @ m2.T)) + (u @ self.steep) @ (u2 @ self.steep).T
        return np.asarray(slope + self.bend2 * (u @ m2.T) * (m @ u2.T) + LEVEL * inner)

    def variance(self, u: Array, m: Array) -> Array:
        """Variances of the differences."""
        um = self.mean(u, m)
        steep = ((u @ self.steep) ** 2).sum(axis=1)
        uu, mm = np.einsum("ij,ij->i", u, u), np.einsum("ij,ij->i", m, m)
        return np.asarray(steep + uu * (self.slope2 + self.bend2 * mm) + (self.bend2 + LEVEL) * um**2)

    def features(self, u: Array, m: Array) -> Array:
        """Rows whose inner products are the covariances: the differences as linear functions of standard normals."""
        bend, (i, j) = np.sqrt(self.bend2), np.triu_indices(self.n, 1)
        return np.concatenate(
            [
                np.sqrt(self.slope2) * u,
                u @ self.steep,
                np.sqrt(LEVEL) * self.mean(u, m)[:, None],
                bend * (u[:, i] * m[:, j] + u[:, j] * m[:, i]),
                np.sqrt(2.0) * bend * u * m,
            ],
            axis=1,
        )

    def gradient_and_hessian(self, weights: Array, u: Array, m: Array) -> tuple[Array, Array]:
        """The posterior means of g and H, from the weights of the answered questions."""
        cross = (u * weights[:, None]).T @ m
        level = 1.0 + LEVEL * float(weights @ self.mean(u, m))
        total = weights @ u
        g = self.slope2 * total + self.steep @ (self.steep.T @ total)
        return g, level * np.eye(self.n) + self.bend2 * (cross + cross.T)

    def gradient_covariance(self, z: Array) -> Array:
        """The prior covariance of the gradient at z."""
        plain = np.eye(self.n) * (self.slope2 + self.bend2 * (z @ z)) + (self.bend2 + LEVEL) * np.outer(z, z)
        return np.asarray(plain + self.steep @ self.steep.T)

    def gradient_questions(self, z: Array) -> tuple[Array, Array]:
        """Questions whose differences are the entries of the gradient at z."""
        return np.eye(self.n), np.broadcast_to(z, (self.n, self.n))
