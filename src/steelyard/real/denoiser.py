"""A denoiser judged by DNSMOS, a network trained on people's ratings of speech (Reddy and others 2021).

The speech is that of Debian's alsa-utils ("front left", "rear centre", ...) with noise made by seed; the denoiser is
spectral subtraction in six numbers. The judge hears one noisy recording, always the same, so its errors are persistent:
what it learns from that recording alone no repeated question shows. The hidden quality is the mean prediction for other
recordings, with other noise at other levels.
"""

from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from steelyard.function_oracle import FunctionOracle
from steelyard.real.task import Task, found_in
from steelyard.typing import Array

SOUNDS = "share/sounds/alsa"
"""Where Debian's alsa-utils keeps its spoken words, below /usr."""
SAMPLE_RATE = 16_000
SAMPLES = 144_160
"""Samples that the network wants: 9.01 seconds."""
JUDGED_AT, MEASURED_AT = 5.0, ((1, 0.0), (2, 10.0))
"""The signal-to-noise ratio in decibels of the recording that is judged; (seed, ratio) of those that measure."""
LOW = np.array([0.0, -40.0, 0.0, 0.0, 0.05, 0.0])
HIGH = np.array([6.0, 0.0, 0.95, 8.0, 0.60, 300.0])
"""Over-subtraction; the least gain in dB; smoothing of gains over time and, in bins, over frequency; the quantile of a
band's power that is taken for noise; below how many Hz everything is cut."""


def load_denoiser() -> Task:
    """The denoiser from the middle of its box."""

    def opinion(noisy: Array, x: Array) -> float:
        return predicted_opinion(denoised(noisy, LOW + (HIGH - LOW) * np.clip(x, 0.0, 1.0)))

    heard = noisy_speech(0, JUDGED_AT)
    others = [noisy_speech(seed, ratio) for seed, ratio in MEASURED_AT]
    n = len(LOW)
    return Task(
        x0=np.full(n, 0.5),
        quality=lambda x: -float(np.mean([opinion(noisy, x) for noisy in others])),
        judge=lambda rng: FunctionOracle(lambda x: -opinion(heard, x), vectorized=False),
        bounds=(np.zeros(n), np.ones(n)),
        best=-predicted_opinion(speech()),
        best_source="the predicted opinion of the speech without noise",
        notes="minus the predicted overall opinion (1 to 5), mean of two recordings that the judge has not heard",
    )


def denoised(noisy: Array, settings: Array) -> Array:
    """Spectral subtraction: each band is turned down where it is little louder than its noise."""
    from scipy.ndimage import gaussian_filter1d, uniform_filter1d
    from scipy.signal import istft, stft

    over, least, smooth, width, quantile, cut = settings
    frequencies, _, spectrum = stft(noisy, SAMPLE_RATE, nperseg=512)
    power = uniform_filter1d(np.abs(spectrum) ** 2, 5, axis=1)
    noise = np.quantile(power, quantile, axis=1, keepdims=True)
    gain = np.sqrt(np.maximum(1.0 - over * noise / np.maximum(power, 1e-12), 10.0 ** (least / 10.0)))
    if smooth > 0.0:
        gain = gaussian_filter1d(gain, 6.0 * smooth, axis=1)
    if width > 0.0:
        gain = gaussian_filter1d(gain, width, axis=0)
    gain[frequencies < cut] = 0.0
    return np.asarray(istft(spectrum * gain, SAMPLE_RATE, nperseg=512)[1][: len(noisy)])


@cache
def _network() -> Callable[[Array], float]:
    import onnxruntime

    spec = find_spec("speechmos")
    assert spec is not None
    assert spec.submodule_search_locations
    path = Path(spec.submodule_search_locations[0]) / "dnsmos_models" / "sig_bak_ovr.onnx"
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session: Any = onnxruntime.InferenceSession(str(path), options)
    return lambda sound: float(session.run(None, {"input_1": sound.astype(np.float32)[None]})[0][0, 2])


def predicted_opinion(sound: Array) -> float:
    """What DNSMOS thinks people would say overall, on its own scale from 1 to 5."""
    return _network()(np.clip(sound, -1.0, 1.0))


@cache
def speech() -> Array:
    """The spoken words of alsa-utils one after another, at 16 kHz."""
    from scipy.io import wavfile
    from scipy.signal import resample_poly

    folder = found_in(SOUNDS)
    if folder is None:
        raise ImportError("the recorded speech comes with Debian's alsa-utils: apt-get install alsa-utils")
    parts = []
    for path in sorted(folder.glob("*_*.wav")):
        rate, sound = wavfile.read(path)
        mono = sound.astype(np.float64) if sound.ndim == 1 else sound.mean(axis=1)
        parts.append(resample_poly(mono, SAMPLE_RATE, rate))
    joined = np.concatenate(parts)
    return np.asarray(0.5 * np.resize(joined, SAMPLES) / np.abs(joined).max())


def noisy_speech(seed: int, ratio: float) -> Array:
    """The speech with noise that falls with frequency and hums, at a signal-to-noise ratio in decibels."""
    rng = np.random.default_rng([seed, 9])
    spectrum = np.fft.rfft(rng.standard_normal(SAMPLES))
    frequencies = np.fft.rfftfreq(SAMPLES, 1.0 / SAMPLE_RATE)
    noise = np.fft.irfft(spectrum / np.sqrt(np.maximum(frequencies, 50.0)), SAMPLES)
    noise /= noise.std()
    noise += 0.5 * np.sin(2 * np.pi * 100.0 * np.arange(SAMPLES) / SAMPLE_RATE)
    clean = speech()
    return np.asarray(clean + noise * clean.std() / noise.std() * 10.0 ** (-ratio / 20.0))
