"""What a posterior says of the quadratic: its minimiser, also in a box, its curvature, how well both are known."""

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from steelyard.algorithms.bayes_quadratic.geometry import Geometry
from steelyard.bounds import Box
from steelyard.parts.propagation import Differences
from steelyard.parts.quadratic import Quadratic
from steelyard.parts.region import Region
from steelyard.typing import Array

AT_BOUND = 1e-9
"""A coordinate this near to a bound, in widths of the box, is at it."""


@dataclass(frozen=True, eq=False)
class Fit:
    """What a fit says: the minimiser, the curvature there, and how well the gradient is known."""

    region: Region
    z: Array
    """The minimiser, in the coordinates of the region."""
    g: Array
    H: Array
    root: Array
    """H^1/2, after its eigenvalues were raised to the floor, ..."""
    inverse_root: Array
    """... and H^-1/2."""
    E: Array
    """H^-1/2 C H^-1/2, where C is the covariance of the gradient at z: how well the minimiser is known."""
    held: NDArray[np.bool_]
    """Which coordinates of x are held at a bound ..."""
    wrongly: Array
    """... and the probability that f falls away from that bound; 0 for the others."""

    @property
    def gain(self) -> float:
        """By how much f falls from the centre to the minimiser."""
        return max(-float(self.g @ self.z + 0.5 * self.z @ self.H @ self.z), 0.0)

    @property
    def spread(self) -> float:
        """How well the minimiser is known: its deviation per coordinate, in the metric of H."""
        free = ~self.held
        if free.all():
            return sqrt(max(float(np.trace(self.E)), 0.0) / free.size)
        if not free.any():
            return np.inf  # a corner of the box: nothing is left to know
        Hx, Cx = self.curvature()
        try:
            part = np.linalg.solve(Hx[np.ix_(free, free)], Cx[np.ix_(free, free)])
        except np.linalg.LinAlgError:  # curvatures too different to be held in one matrix: nothing is known for sure
            return np.inf
        return sqrt(max(float(np.trace(part)), 0.0) / int(free.sum()))

    def curvature(self) -> tuple[Array, Array]:
        """The Hessian and the covariance of the gradient, in the coordinates of x."""
        H = self.root @ self.root
        C = self.root @ self.E @ self.root
        into = self.region.into
        return into.T @ H @ into, into.T @ C @ into


def look(model: Quadratic, posterior: Differences | None, region: Region, box: Box | None, geometry: Geometry) -> Fit:
    """What the posterior says, or the model alone before there is one; a FloatingPointError if that is not finite."""
    n, radius = model.n, geometry.radius_in(model.n)
    g, H = np.zeros(n), np.eye(n)
    if posterior is not None:
        g, H = model.gradient_and_hessian(posterior.weights, posterior.u, posterior.m)
        _check_finite(g, H)
    values, vectors = np.linalg.eigh(H)
    values = np.maximum(values, geometry.floor)
    root = (vectors * np.sqrt(values)) @ vectors.T
    inverse_root = (vectors / np.sqrt(values)) @ vectors.T
    z = -(vectors / values) @ (vectors.T @ g)
    far = float(np.linalg.norm(z))
    if far > radius:
        z = z * (radius / far)
    held, wrongly = np.zeros(n, dtype=bool), np.zeros(n)
    if box is not None:
        z = _inside(z, g, (vectors * values) @ vectors.T, region, box)
    C = model.gradient_covariance(z) if posterior is None else posterior.gradient_covariance(z)
    if box is not None:
        falls = _outward_fall(z, g + root @ (root @ z), C, region, box)
        held = falls > geometry.certain
        wrongly = np.where(held, ndtr(-falls), 0.0)
    E = inverse_root @ C @ inverse_root
    _check_finite(z, E)
    return Fit(region, z, g, H, root, inverse_root, 0.5 * (E + E.T), held, wrongly)


def _check_finite(*parts: Array) -> None:
    if not all(np.isfinite(part).all() for part in parts):
        raise FloatingPointError("what the answers say is not finite")


def _inside(z: Array, g: Array, H: Array, region: Region, box: Box) -> Array:
    """The minimiser of the quadratic inside the box."""
    x, into = region.point(z), region.into
    if box.contains(x):
        return z
    Hx, gx = into.T @ H @ into, into.T @ g
    x = np.clip(x, box.low, box.high)
    return region.coordinates(minimise_inside(Hx, gx - Hx @ region.centre, x, box.low, box.high))


def _outward_fall(z: Array, slope: Array, C: Array, region: Region, box: Box) -> Array:
    """By how many deviations f falls out of the box in each coordinate of x that is at a bound; 0 in the others."""
    x, width = region.point(z), box.high - box.low
    near = AT_BOUND * np.where(np.isfinite(width), width, 1.0)
    outward = np.where(x <= box.low + near, 1.0, np.where(x >= box.high - near, -1.0, 0.0))
    deviation = np.sqrt(np.maximum(np.einsum("ji,jk,ki->i", region.into, C, region.into), 0.0))
    return np.asarray(outward * (region.into.T @ slope) / np.maximum(deviation, 1e-300))


def minimise_inside(H: Array, r: Array, x: Array, low: Array, high: Array, steps: int = 50) -> Array:
    """The minimiser of x'Hx/2 + r.x in a box, for H positive definite: projected Newton steps (Bertsekas 1982)."""

    def value(y: Array) -> float:
        return float(0.5 * y @ H @ y + r @ y)

    best = value(x)
    for _ in range(steps):
        slope = H @ x + r
        free = ~(((x <= low) & (slope > 0)) | ((x >= high) & (slope < 0)))
        if not free.any():
            break
        step = np.zeros_like(x)
        step[free] = -np.linalg.solve(H[np.ix_(free, free)], slope[free])
        t = 1.0
        while t > 1e-6:
            y = np.clip(x + t * step, low, high)
            new = value(y)
            if new < best - 1e-14 * abs(best):
                break
            t *= 0.5
        else:
            break
        x, best = y, new
    return x
