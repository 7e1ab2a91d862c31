"""Any method with several questions in flight (see `steelyard.parts.speculation`)."""

import copy
import dataclasses
from dataclasses import dataclass

import numpy as np

from steelyard.bounds import Box
from steelyard.checks import check_whole
from steelyard.dialogue import Algorithm, Capabilities, Dialogue, capabilities_of
from steelyard.errors import BadType
from steelyard.parts.speculation import speculating
from steelyard.typing import Array


@dataclass(frozen=True)
class Speculative:
    """`method` with about `parallel` questions in flight: also those that it would ask next if the answers were such.

    Given the same answers it makes the same steps as `method` alone. Each question asked is a comparison, needed or
    not.
    """

    method: Algorithm
    """The method."""
    parallel: int
    """About how many questions are asked at a time."""

    def __post_init__(self) -> None:
        if not callable(getattr(self.method, "run", None)):
            raise BadType(f"method must be an algorithm with run(x, rng), got {self.method!r}")
        check_whole("parallel", self.parallel, 1)

    @property
    def capabilities(self) -> Capabilities:
        """Those of the method; it can have as many questions open as wanted, and use a part of them."""
        return dataclasses.replace(capabilities_of(self.method), in_flight=str(self.parallel), cut=True)

    def run(self, x: Array, rng: np.random.Generator, box: Box | None = None) -> Dialogue:
        at_first, more = copy.deepcopy(rng), (box,) if capabilities_of(self.method).knows_box else ()
        return (
            yield from speculating(lambda: self.method.run(x.copy(), copy.deepcopy(at_first), *more), x, self.parallel)
        )


def with_parallel(method: Algorithm, parallel: int | None) -> Algorithm:
    """The method with about `parallel` questions in flight: by its option `batch`, if it has one, or by guesses."""
    if parallel is None:
        return method
    size = check_whole("parallel", parallel, 1)
    options: list[str] = [item.name for item in dataclasses.fields(method)] if dataclasses.is_dataclass(method) else []
    if "batch" in options:
        return dataclasses.replace(method, batch=size)  # type: ignore[type-var]
    method = method.method if isinstance(method, Speculative) else method
    return Speculative(method, size) if size > 1 else method
