"""The array types that the whole package speaks in."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
"""A point `(n,)` or a batch of points, one per row, `(m, n)`."""

Answers = NDArray[np.int8]
"""One answer per question: +1 the first is better, -1 the second is better, 0 a tie or "can't tell"."""

Indices = NDArray[np.intp]
"""Positions in an array."""

AnyArray = NDArray[Any]

Kernel = Callable[[Array], Array]
"""A function of a batch of points, one per row: its values, or its gradients."""
