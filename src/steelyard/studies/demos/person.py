"""What the simulated people find bad: 0 at their favourite settings, about 1 at typical ones."""

import math
from collections.abc import Mapping
from typing import Any

Values = Mapping[str, Any]

PALETTE = {"sky": 28.0, "hills": 282.0, "glow": 0.78, "depth": 0.62}
TYPOGRAPHY = {"size": 18.0, "leading": 1.55, "measure": 60.0, "contrast": 0.86, "tracking": 0.0}
GAIT = {"stride": 30.0, "knee": 44.0, "arms": 26.0, "bounce": 5.0, "lean": 4.0}


def palette_badness(values: Values) -> float:
    """Distance of the colours from the target's; hues are angles."""
    sky, hills = (_angle(values[name] - PALETTE[name]) / 104.0 for name in ("sky", "hills"))
    glow, depth = ((values[name] - PALETTE[name]) / 0.5 for name in ("glow", "depth"))
    return math.sqrt((sky**2 + hills**2 + glow**2 + depth**2) / 2.4)


def typography_badness(values: Values) -> float:
    """Distance from settings that typographers recommend, each in the measure in which it is felt."""
    size = math.log(values["size"] / TYPOGRAPHY["size"]) / 0.35
    leading = (values["leading"] - TYPOGRAPHY["leading"]) / 0.35
    measure = math.log(values["measure"] / TYPOGRAPHY["measure"]) / 0.45
    contrast = max(0.0, TYPOGRAPHY["contrast"] - values["contrast"]) / 0.3
    tracking = (values["tracking"] - TYPOGRAPHY["tracking"]) / 0.06
    return math.sqrt((size**2 + leading**2 + measure**2 + contrast**2 + tracking**2) / 5.0)


def gait_badness(values: Values) -> float:
    """Distance from an easy human walk."""
    scales = {"stride": 14.0, "knee": 24.0, "arms": 22.0, "bounce": 6.0, "lean": 11.0}
    return math.sqrt(sum(((values[name] - GAIT[name]) / scale) ** 2 for name, scale in scales.items()) / 5.0)


def _angle(degrees: float) -> float:
    return (degrees + 180.0) % 360.0 - 180.0
