"""A hearing aid fitted by HASQI, a model of impaired ears fitted to ratings (Kates and Arehart 2014).

The speech is that of the denoiser, with a little noise; the aid has a gain in each of six bands and a ratio of
compression. The judge hears one second, always the same: its errors are persistent. The hidden quality is the mean of
HASQI and HASPI (its sister for intelligibility) for two other seconds with other noise. The reference is NAL-R, the
gains that audiologists begin with (Byrne and Dillon 1986).
"""

from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from steelyard.function_oracle import FunctionOracle
from steelyard.real.denoiser import SAMPLE_RATE, noisy_speech, speech
from steelyard.real.task import Task, seeded
from steelyard.typing import Array

BANDS = np.array([250.0, 500.0, 1000.0, 2000.0, 4000.0, 6000.0])
LOSSES = ("AUDIOGRAM_MILD", "AUDIOGRAM_MODERATE", "AUDIOGRAM_MODERATE_SEVERE")
"""The listeners, as pyclarity names their audiograms."""
LOW, HIGH = np.array([0.0] * 6 + [1.0]), np.array([40.0] * 6 + [3.0])
"""Gains in dB, and the ratio of compression."""
JUDGED, SECONDS_MEASURED = 0, (2, 4)
"""The second of the speech that is judged, and those that measure."""
NOISE_AT = 15.0
"""The signal-to-noise ratio in decibels."""
WINDOW = 256
"""Samples of a short-time spectrum: 16 ms."""
CONSTANTS = np.array([-17.0, -8.0, 1.0, -1.0, -2.0, -2.0])
"""What NAL-R adds in each band."""


def load_hearing(listener: int = 0) -> Task:
    """The aid of listener 0 (a mild loss), 1 (moderate) or 2 (moderate to severe).

    It starts from the middle of the box, 20 dB in each band and a ratio of 2: too loud and too flat for all three."""
    audiogram = getattr(import_module("clarity.utils.audiogram"), LOSSES[listener % len(LOSSES)])

    def sounds(x: Array, second: int) -> tuple[Array, Array]:
        settings = LOW + (HIGH - LOW) * np.clip(x, 0.0, 1.0)
        clean, noisy = recording(second)
        return clean, aided(noisy, settings[:-1], float(settings[-1]))

    def quality(x: Array) -> float:
        heard = (sounds(x, second) for second in SECONDS_MEASURED)
        scores = [(pleasant(*each, audiogram), intelligible(*each, audiogram)) for each in heard]
        return -float(np.mean(scores))

    prescribed = (np.append(nal_r(audiogram), 1.0) - LOW) / (HIGH - LOW)
    n = len(LOW)
    return Task(
        x0=np.full(n, 0.5),
        quality=quality,
        judge=lambda rng: FunctionOracle(lambda x: -pleasant(*sounds(x, JUDGED), audiogram), vectorized=False),
        bounds=(np.zeros(n), np.ones(n)),
        best=quality(prescribed),
        best_source="the gains that NAL-R prescribes, without compression",
        notes="minus the mean of HASQI and HASPI (0 to 1) for two recordings that the judge has not heard",
    )


def aided(sound: Array, gains: Array, ratio: float) -> Array:
    """Amplified by gains in dB at the bands; what is louder than the average of its band is turned down by `ratio`."""
    from scipy.ndimage import uniform_filter1d
    from scipy.signal import istft, stft

    frequencies, _, spectrum = stft(sound, SAMPLE_RATE, nperseg=WINDOW)
    octaves = np.log2(np.maximum(frequencies, BANDS[0]))
    gain = 10.0 ** (np.interp(octaves, np.log2(BANDS), gains) / 20.0)
    level = uniform_filter1d(np.abs(spectrum), 3, axis=1) + 1e-6
    compression = (level / level.mean(axis=1, keepdims=True)) ** (1.0 / ratio - 1.0)
    return np.asarray(istft(spectrum * gain[:, None] * compression, SAMPLE_RATE, nperseg=WINDOW)[1][: len(sound)])


def nal_r(audiogram: Any) -> Array:
    """The gains that NAL-R prescribes, in dB at the bands: never below none, and for a loss of up to 60 dB."""
    loss = np.asarray(audiogram.resample(BANDS).levels)
    return np.asarray(np.maximum(0.31 * loss + 0.05 * loss[1:4].sum() + CONSTANTS, 0.0))


def pleasant(clean: Array, heard: Array, audiogram: Any) -> float:
    """HASQI's prediction of quality, from 0 to 1."""
    with seeded(0):  # the ear model adds noise from NumPy's global stream
        return float(_model("hasqi", "hasqi_v2")(clean, SAMPLE_RATE, heard, SAMPLE_RATE, audiogram)[0])


def intelligible(clean: Array, heard: Array, audiogram: Any) -> float:
    """HASPI's prediction of the part of the words that is understood."""
    with seeded(0):
        return float(_model("haspi", "haspi_v2")(clean, SAMPLE_RATE, heard, SAMPLE_RATE, audiogram)[0])


@cache
def recording(second: int) -> tuple[Array, Array]:
    """One second of the speech, clean and with noise, of root mean square 1, which the models take for 65 dB."""
    part = slice(second * SAMPLE_RATE, (second + 1) * SAMPLE_RATE)
    clean = speech()[part]
    return clean / clean.std(), noisy_speech(20 + second, NOISE_AT)[part] / clean.std()


@cache
def _model(module: str, name: str) -> Any:
    return getattr(import_module(f"clarity.evaluator.{module}"), name)
