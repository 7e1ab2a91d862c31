"""A struck bell by frequency modulation, as a WAV file."""

from __future__ import annotations

import io
import wave

import numpy as np

RATE = 22_050


def sound(pitch: float, decay: float, metal: float, brightness: float) -> bytes:
    """A tone whose overtones lie at multiples of `metal` and fade before it does."""
    t = np.arange(int(1.6 * RATE)) / RATE
    overtones = 6.0 * brightness * np.exp(-2.0 * t / decay) * np.sin(2 * np.pi * pitch * metal * t)
    tone = np.exp(-t / decay) * np.sin(2 * np.pi * pitch * t + overtones)
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setparams((1, 2, RATE, 0, "NONE", "not compressed"))
        file.writeframes((20_000 * tone).astype("<i2").tobytes())
    return out.getvalue()
