"""What to ask next: the two sides of the minimiser, in the directions in which it is least known."""

import numpy as np

from steelyard.algorithms.bayes_quadratic.mind import Mind
from steelyard.bounds import Box
from steelyard.typing import Array

CLEAR = 1.5
"""Questions are made long enough for the expected difference to be this many times the blur."""
CHECKED, FEWEST_CHECKS, MOST_CHECKS = 1.5, 0.16, 0.25
"""The share of checks, per unit of doubt about the error rate; checks have rather certain answers, from which the rate
is learnt."""
CHECK_OFFSET = 3.0
"""How far from the minimiser the middle of a check lies, in deviations of what is known about it; at most as far as
the region reaches."""
BENT = 4.0
"""How many times longer than the box allows in one coordinate a question may be before its direction is bent."""
INWARD = 0.3
"""How far a question moves away from a bound, in deviations of what is known about that coordinate: farther, it would
be answered by what is known of the curvature."""
SHORTEST = 0.01
"""The shortest of them, as a part of the longest: the minimiser may lie just inside."""
MOST_DOUBTED = 0.5
"""The largest share of questions about whether coordinates are rightly held at a bound."""
LONGER = 1e-3
"""By how much longer questions are for each answer that the fit does not know yet, and for each that is asked in the
same batch: else one might be asked twice."""
CANDIDATES, FEWEST_CANDIDATES = 40, 60
"""Questions of which one is chosen where they are chosen by what they would say, per question and at least; each is
the best of a random half of them, so that not all are about the same."""
SHORT, LONG = 0.02, 1.0
"""How far their ends lie from the minimiser: deviations in widths of the box, log-uniform between these."""


def questions(mind: Mind, count: int, rng: np.random.Generator, blurred: bool, before: int = 0) -> tuple[Array, Array]:
    """`count` questions (at most n): rows of a against rows of b, in random order, after `before` of the same batch.

    `blurred` if the judge is believed to err because the two are close: then in a box, which leaves no room for long
    questions on both sides of a minimiser near its surface, questions are chosen by what they would say.
    """
    if blurred and mind.box is not None and mind.posterior is not None:
        return _telling(mind, count, rng)
    return _on_both_sides(mind, count, rng, before)


def _telling(mind: Mind, count: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Of many questions in a box those whose answers are expected to say most about the minimiser."""
    box, best = mind.box, mind.best
    assert box is not None
    wanted = max(CANDIDATES * count, FEWEST_CANDIDATES)
    pairs = [_on_both_sides(mind, min(mind.n, wanted), rng) for _ in range(2)]
    size = np.exp(rng.uniform(np.log(SHORT), np.log(LONG), (2, wanted, 1)))
    width = np.where(np.isfinite(box.high - box.low), box.high - box.low, 1.0)
    ends = np.clip(best + size * width * rng.standard_normal((2, wanted, mind.n)), box.low, box.high)
    ends[1, : wanted // 2] = np.clip(2.0 * best - ends[0, : wanted // 2], box.low, box.high)
    a, b = (np.concatenate([*(pair[i] for pair in pairs), ends[i]]) for i in (0, 1))
    score = mind.worth(a, b)
    chosen: list[int] = []
    for _ in range(count):
        some = rng.choice(len(a), len(a) // 2, replace=False)
        chosen.append(int(some[score[some].argmax()]))
    turned = rng.random(count) < 0.5
    first, second = np.where(turned[:, None], b[chosen], a[chosen]), np.where(turned[:, None], a[chosen], b[chosen])
    return first, second


def _on_both_sides(mind: Mind, count: int, rng: np.random.Generator, before: int = 0) -> tuple[Array, Array]:
    view, n = mind.view, mind.n
    out = mind.region.out @ view.inverse_root
    values, vectors = np.linalg.eigh(view.E)
    half = _halves(mind, out, values, vectors, min(count, n), rng) * (1.0 + LONGER * (mind.fresh + before))
    unsure = np.sqrt(np.maximum(np.einsum("ij,jk,ik->i", out, view.E, out), 0.0))
    if view.held.any():
        half = _along_the_faces(mind, half, unsure, rng)
    number = half.shape[1]
    check = rng.random(number) < np.clip(CHECKED * mind.noise.doubt, FEWEST_CHECKS, MOST_CHECKS)
    cloud = (vectors * np.sqrt(np.maximum(values, 0.0))) @ rng.standard_normal((n, number))
    off = CHECK_OFFSET * check * np.minimum(1.0, mind.radius / np.maximum(CHECK_OFFSET * _norms(cloud), 1e-300))
    middle = mind.best[:, None] + (out @ cloud) * off
    flip = np.where(rng.random(number) < 0.5, 1.0, -1.0)
    a, b = inside(mind.box, middle.T, (half * flip).T, mind.best, unsure)
    if mind.box is None or not before:
        return a, b
    inward = (0.5 - 0.5 / (1.0 + LONGER * before)) * (b - a)  # the box may have made them equal again
    return a + inward, b - inward


def _norms(columns: Array) -> Array:
    return np.asarray(np.linalg.norm(columns, axis=0))


def _halves(mind: Mind, out: Array, values: Array, vectors: Array, count: int, rng: np.random.Generator) -> Array:
    """Half the way from one side to the other, a column per question: the top eigenvectors of E, rotated at random."""
    directions = vectors[:, -count:] @ np.linalg.qr(rng.standard_normal((count, count)))[0]
    size = np.sqrt(np.maximum(np.einsum("ij,ij->j", directions, mind.view.E @ directions), 1e-300))
    return np.asarray((out @ directions) * lengths(mind, size, rng))


def lengths(mind: Mind, size: Array, rng: np.random.Generator) -> Array:
    """As long as the minimiser is uncertain there; most of them longer where small differences are misjudged."""
    blur = max(mind.noise.blur, mind.noise.tie)
    longer = np.clip(CLEAR * blur / (2.0 * size**2), 1.0, mind.why.longest)
    plain = rng.random(size.size) >= mind.why.lengthened
    return np.asarray(np.minimum(size * np.where(plain, 1.0, longer), np.maximum(mind.reach, size)))


def _along_the_faces(mind: Mind, half: Array, unsure: Array, rng: np.random.Generator) -> Array:
    """What is held at a bound stays there; some questions ask whether it should."""
    free, wrongly = ~mind.view.held, mind.view.wrongly
    count = half.shape[1]
    along = np.zeros((mind.n, count))
    if free.any():
        H, C = (part[np.ix_(free, free)] for part in mind.view.curvature())
        values, vectors = np.linalg.eigh(H)
        root = (vectors / np.sqrt(np.maximum(values, 1e-300))) @ vectors.T
        E = root @ C @ root
        _, vectors = np.linalg.eigh(0.5 * (E + E.T))
        count = min(count, int(free.sum()))
        along = np.zeros((mind.n, count))
        directions = vectors[:, -count:] @ np.linalg.qr(rng.standard_normal((count, count)))[0]
        size = np.sqrt(np.maximum(np.einsum("ij,ij->j", directions, E @ directions), 1e-300))
        along[free] = (root @ directions) * lengths(mind, size, rng)
    doubted = wrongly.sum() > 0.0 and rng.random(count) < (min(wrongly.sum(), MOST_DOUBTED) if free.any() else 1.0)
    for j in np.flatnonzero(doubted):
        i = rng.choice(mind.n, p=wrongly / wrongly.sum())
        along[:, j] = 0.0
        along[i, j] = 0.5 * INWARD * unsure[i] * SHORTEST ** rng.random()
    return along


def inside(box: Box | None, middle: Array, half: Array, best: Array, unsure: Array) -> tuple[Array, Array]:
    """Rows middle + half and middle - half, shortened so that both lie in the box.

    A question away from the minimiser is answered by what is known already, so the middle moves only as far as the
    minimiser is unsure.
    """
    if box is None:
        return middle + half, middle - half
    with np.errstate(invalid="ignore", divide="ignore"):
        space = np.minimum(best - box.low, box.high - best)
        most = np.minimum(np.maximum(space, INWARD * unsure), 0.5 * (box.high - box.low))
        half = np.clip(half, -BENT * most, BENT * most)
        shorter = np.where(np.abs(half) > 0.0, most / np.maximum(np.abs(half), 1e-300), np.inf).min(axis=1)
        half = half * np.minimum(shorter, 1.0)[:, None]
    middle = np.clip(middle, box.low + np.abs(half), box.high - np.abs(half))
    return np.clip(middle + half, box.low, box.high), np.clip(middle - half, box.low, box.high)
