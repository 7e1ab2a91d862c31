"""The hearing aid itself, which needs none of the models that judge it."""

# ruff: noqa: NPY002

from types import SimpleNamespace

import numpy as np
import pytest

from steelyard.real.hearing import BANDS, aided, nal_r
from steelyard.real.task import seeded


def audiogram(*levels):
    """What pyclarity's audiograms can do, at the bands of the aid."""
    return SimpleNamespace(resample=lambda bands: SimpleNamespace(levels=np.interp(bands, BANDS, levels)))


def test_gains_without_compression():
    sound = np.random.default_rng(0).standard_normal(4000)
    assert aided(sound, np.zeros(6), 1.0) == pytest.approx(sound, abs=1e-9)
    assert aided(sound, np.full(6, 20.0), 1.0) == pytest.approx(10.0 * sound, abs=1e-8)


def test_compression_evens_out_what_is_loud_and_soft():
    loud = np.repeat([1.0, 0.1], 4000)
    sound = loud * np.random.default_rng(0).standard_normal(8000)
    even = aided(sound, np.zeros(6), 3.0)
    assert even[:4000].std() / even[4000:].std() < 0.5 * sound[:4000].std() / sound[4000:].std()


def test_nal_r():
    """By hand, for 40 dB everywhere: .31 x 40 + .05 x 120 and the constant of each band, never below none."""
    assert nal_r(audiogram(*[40.0] * 6)) == pytest.approx([1.4, 10.4, 19.4, 17.4, 16.4, 16.4])
    assert nal_r(audiogram(*[0.0] * 6)) == pytest.approx([0.0, 0.0, 1.0, 0.0, 0.0, 0.0])


def test_global_random_numbers_are_left_as_they_were():
    np.random.seed(5)
    expected = np.random.random(2)
    np.random.seed(5)
    first = np.random.random()
    with seeded(1):
        inside = np.random.random()
    with seeded(1):
        assert np.random.random() == inside
    assert [first, np.random.random()] == list(expected)
