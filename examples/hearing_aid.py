"""Fit a hearing aid by "which sounds better?": five gains, a listener who errs and sometimes cannot tell.

The listener is simulated, so that we can say at the end how close we came. Nobody says how good a setting is, only
which of two is better. If the two are close the answer is random; if they are very close it is "I can't tell".

    python examples/hearing_aid.py
"""

from __future__ import annotations

import numpy as np

import steelyard
from steelyard import LogisticOracle, Parameter, Space
from steelyard.typing import Array

BANDS = (250, 500, 1000, 2000, 4000)
SPACE = Space(tuple(Parameter(f"{hertz} Hz", 0, 40, unit="dB", start=10) for hertz in BANDS))
IDEAL = np.array([6.0, 10.0, 16.0, 24.0, 31.0])  # what this listener would choose, if anybody knew
WEIGHTS = np.array([0.5, 0.8, 1.0, 1.0, 0.7])  # how much each band matters for speech


def discomfort(t: Array) -> float:
    """Weighted distance in decibels from the listener's ideal, at a point of the unit box."""
    gains = np.array(list(SPACE.values(t).values()))
    return float(np.sqrt(np.sum(WEIGHTS * (gains - IDEAL) ** 2)))


def main(budget: int = 60) -> tuple[float, float]:
    listener = LogisticOracle(discomfort, scale=1.0, rng=np.random.default_rng(7), jnd=0.5)
    result = steelyard.minimize(
        listener, SPACE.start, method="preference-gp", budget=budget, bounds=SPACE.bounds, rng=0
    )
    before, after = discomfort(SPACE.start), discomfort(result.x)
    print(f"{result.ncmp} questions, {result.nties} times 'I can't tell'")
    for parameter, gain, ideal in zip(SPACE.parameters, SPACE.values(result.x).values(), IDEAL, strict=True):
        print(f"{parameter.label:>8}: {parameter.text(gain):>10}   (ideal {ideal:g} dB)")
    print(f"distance from the ideal: {before:.1f} dB before, {after:.1f} dB after")
    return before, after


if __name__ == "__main__":
    main()
