"""The basis B in which every coordinate matters equally: B B^T approximates the inverse Hessian.

Both forms do the same and differ in memory: dense for small n, the last few secant pairs for large n.
Vectors called s, y, g are in the coordinates of B: a step is B s, a gradient seen from B is B^T grad f.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from steelyard.typing import Array, Indices


class Basis(Protocol):
    """What the method needs of B."""

    @property
    def n(self) -> int: ...

    def columns(self, which: Indices) -> Array:
        """These columns of B, one per row."""
        ...

    def apply(self, w: Array) -> Array:
        """B w."""
        ...

    def scaled(self, t: float) -> Basis:
        """t B."""
        ...

    def updated(self, s: Array, y: Array, g: Array) -> tuple[Basis, Array]:
        """The basis after the BFGS update by the secant pair (s, y), and the gradient g in its coordinates."""
        ...

    def mean_length(self) -> float:
        """The geometric mean of the columns' lengths."""
        ...


def identity(n: int, scale: float, dense_limit: int, secant_pairs: int) -> Basis:
    """scale * I in the form that fits the dimension."""
    return Dense(scale * np.eye(n)) if n <= dense_limit else LimitedMemory(n, scale, secant_pairs)


def square_root_update(s: Array, y: Array) -> tuple[Array, Array]:
    """U (n, 2) orthonormal and N (2, 2) with (I + U N U^T)^2 = the BFGS inverse update of the identity by (s, y)."""
    u = s / np.linalg.norm(s)
    rest = y - (u @ y) * u
    length = float(np.linalg.norm(rest))
    w = rest / length if length > 1e-12 * float(np.linalg.norm(y)) else np.zeros_like(u)
    U = np.stack([u, w], axis=1)
    S, Y = U.T @ s, U.T @ y
    rho = 1.0 / float(S @ Y)
    E = np.eye(2) - rho * np.outer(S, Y)
    values, vectors = np.linalg.eigh(E @ E.T + rho * np.outer(S, S))
    root = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    return U, root - np.eye(2)


@dataclass(frozen=True, eq=False)
class Dense:
    """B as a matrix, stored as its transpose: n^2 numbers and O(n^2) work an update."""

    transposed: Array

    @property
    def n(self) -> int:
        return len(self.transposed)

    def columns(self, which: Indices) -> Array:
        return self.transposed[which]

    def apply(self, w: Array) -> Array:
        return w @ self.transposed

    def scaled(self, t: float) -> Dense:
        return Dense(t * self.transposed)

    def updated(self, s: Array, y: Array, g: Array) -> tuple[Dense, Array]:
        U, N = square_root_update(s, y)
        return Dense(self.transposed + (U @ N) @ (U.T @ self.transposed)), g + U @ (N @ (U.T @ g))

    def mean_length(self) -> float:
        return float(np.exp(np.mean(np.log(np.linalg.norm(self.transposed, axis=1)))))


class LimitedMemory:
    """B from the last `secant_pairs` of them, kept in the coordinates of x: B = c (I + V W^T).

    B is a product of factors I + U N U^T, one per pair. A pair too many drops the oldest and builds the product anew.
    """

    def __init__(self, n: int, scale: float, secant_pairs: int) -> None:
        self.n = n
        self.scale, self.secant_pairs = scale, secant_pairs
        self.pairs: tuple[tuple[Array, Array], ...] = ()
        self._factors: tuple[tuple[Array, Array], ...] = ()
        self._V, self._W = np.empty((n, 0)), np.empty((n, 0))

    def columns(self, which: Indices) -> Array:
        rows = self._W[which] @ self._V.T
        rows[np.arange(len(which)), which] += 1.0
        return self.scale * rows

    def apply(self, w: Array) -> Array:
        return self.scale * (w + self._V @ (self._W.T @ w))

    def scaled(self, t: float) -> LimitedMemory:
        B = self._like(self.scale * t, self.pairs)
        B._factors, B._V, B._W = self._factors, self._V, self._W
        return B

    def updated(self, s: Array, y: Array, g: Array) -> tuple[LimitedMemory, Array]:
        pair, gradient = (self.apply(s), self._gradient(y)), self._gradient(g)
        kept = (*self.pairs, pair)
        if len(kept) <= self.secant_pairs:
            B = self._like(self.scale, kept)
            B._factors, B._V, B._W = self._factors, self._V, self._W
            B._multiply(s, y)
        else:
            B = self._like(self.scale, kept[1:])
            for s_x, y_x in B.pairs:
                B._multiply(B._coordinates(s_x), B._seen(y_x))
        return B, B._seen(gradient)

    def mean_length(self) -> float:
        return self.scale

    def _like(self, scale: float, pairs: tuple[tuple[Array, Array], ...]) -> LimitedMemory:
        B = LimitedMemory(self.n, scale, self.secant_pairs)
        B.pairs = pairs
        return B

    def _multiply(self, s: Array, y: Array) -> None:
        U, N = square_root_update(s, y)
        self._V = np.hstack([self._V, (U + self._V @ (self._W.T @ U)) @ N])
        self._W = np.hstack([self._W, U])
        self._factors = (*self._factors, (U, np.linalg.inv(np.eye(2) + N) - np.eye(2)))

    def _seen(self, gradient: Array) -> Array:
        """B^T grad f."""
        return self.scale * (gradient + self._W @ (self._V.T @ gradient))

    def _coordinates(self, step: Array) -> Array:
        """B^-1 step."""
        w = step / self.scale
        for U, M in self._factors:
            w = w + U @ (M @ (U.T @ w))
        return w

    def _gradient(self, seen: Array) -> Array:
        """B^-T seen."""
        w = seen
        for U, M in reversed(self._factors):
            w = w + U @ (M @ (U.T @ w))
        return w / self.scale
