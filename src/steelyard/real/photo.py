"""Photo sliders judged by BRISQUE, which was trained on people's ratings of photos (Mittal and others 2012).

A photo of scikit-image is spoilt: blurred, noisy, dark and pale. Six sliders mend it. The judge sees the mended photo
alone and is deterministic; the hidden quality knows the photo as it was. Where the judge's taste is not the truth, its
errors are persistent.
"""

from functools import cache
from typing import Any

import numpy as np

from steelyard.function_oracle import FunctionOracle
from steelyard.real.task import Task
from steelyard.typing import Array

PHOTOS = ("astronaut", "coffee", "chelsea")
SIZE = 192
LOW = np.array([0.0, 0.0, 0.5, 0.4, 0.5, 0.5])
HIGH = np.array([3.0, 3.0, 3.0, 1.6, 2.0, 2.0])
"""Smoothing in pixels, sharpening, its radius in pixels, gamma, contrast, saturation."""


def load_photo(photo: int = 0) -> Task:
    """Photo number 0, 1 or 2, from the middle of the sliders."""
    original = picture(PHOTOS[photo % len(PHOTOS)])
    bad = spoilt(original, photo)

    def with_sliders(x: Array) -> Array:
        return mended(bad, LOW + (HIGH - LOW) * np.clip(x, 0.0, 1.0))

    n = len(LOW)
    return Task(
        x0=np.full(n, 0.5),
        quality=lambda x: float(np.sqrt(np.mean((with_sliders(x) - original) ** 2))),
        judge=lambda rng: FunctionOracle(lambda x: badness(with_sliders(x)), vectorized=False),
        bounds=(np.zeros(n), np.ones(n)),
        best=0.0,
        best_source="the photo as it was",
        notes="root mean square difference from the photo as it was, of which 1 is white against black",
    )


def mended(photo: Array, settings: Array) -> Array:
    """Smooth, sharpen, brighten, more contrast, more colour."""
    from scipy.ndimage import gaussian_filter

    smooth, amount, radius, gamma, contrast, colour = settings
    out = gaussian_filter(photo, (0.5 * smooth, 0.5 * smooth, 0.0))
    out = out + amount * (out - gaussian_filter(out, (radius, radius, 0.0)))
    out = np.clip(out, 0.0, 1.0) ** gamma
    out = 0.5 + contrast * (out - 0.5)
    grey = out.mean(axis=2, keepdims=True)
    return np.asarray(np.clip(grey + colour * (out - grey), 0.0, 1.0))


def spoilt(photo: Array, seed: int) -> Array:
    """Blurred, dark, pale and noisy."""
    from scipy.ndimage import gaussian_filter

    out = gaussian_filter(photo, (0.8, 0.8, 0.0)) ** 1.3
    grey = out.mean(axis=2, keepdims=True)
    out = 0.5 + 0.75 * (grey + 0.7 * (out - grey) - 0.5)
    noise = np.random.default_rng([seed, 6]).normal(0.0, 0.04, out.shape)
    return np.asarray(np.clip(out + noise, 0.0, 1.0))


@cache
def picture(name: str) -> Array:
    """The middle of a photo of scikit-image, from 0 to 1."""
    from skimage import data

    photo = np.asarray(getattr(data, name)(), dtype=np.float64)[..., :3] / 255.0
    top, left = ((side - SIZE) // 2 for side in photo.shape[:2])
    return np.asarray(photo[top : top + SIZE, left : left + SIZE])


def badness(photo: Array) -> float:
    """BRISQUE's score: the less the better."""
    return float(_scorer().score((255.0 * photo).astype(np.uint8)))


@cache
def _scorer() -> Any:
    from brisque import BRISQUE

    class Scorer(BRISQUE):  # type: ignore[misc]
        """With features as plain numbers: the package hands on arrays of one, which newer NumPy does not take."""

        def scale_features(self, features: Any) -> Any:
            return super().scale_features([float(np.ravel(each)[0]) for each in features])

    return Scorer(url=False)
