"""Two models of Nevergrad: a mirror of thin layers, whose judge never errs, and a power system with random weather."""

from importlib import import_module
from typing import Any

import numpy as np

from steelyard.function_oracle import FunctionOracle
from steelyard.real.simulation import FEW_RUNS, simulation_task
from steelyard.real.task import Task, seeded
from steelyard.typing import Array

WAVELENGTH = 600.0
"""Of the light to be reflected, in nanometres."""
LOW_INDEX, HIGH_INDEX = 2.0, 3.0
"""Between these is the square of a layer's refractive index."""
THIN, THICK = 30.0, 180.0
"""Between these is the thickness of a layer, in nanometres."""
PRICES = 3.0
"""The weights of the power system's network lie between minus this and this."""
YEARS = 1.0 / 12.0
SYSTEM = 2
"""The seed of the plants' capacities and prices: the first with which always using water first is not the best."""
POWER_BEST = 1279.41


def load_mirror(layers: int = 20) -> Task:
    """A mirror of thin layers: index and thickness of each, from the middle of the box. The judge never errs.

    The reference is what opticians build: layers of high and low index in turn, each a quarter of a wavelength thick.
    """
    lost = import_module("nevergrad.functions.photonics.photonics").bragg
    low, high = (np.repeat(ends, layers) for ends in ((LOW_INDEX, THIN), (HIGH_INDEX, THICK)))
    index = np.where(np.arange(layers) % 2, LOW_INDEX, HIGH_INDEX)
    quarter = np.concatenate([index, WAVELENGTH / (4.0 * np.sqrt(index))])

    def quality(x: Array) -> float:
        return float(lost(low + (high - low) * np.clip(x, 0.0, 1.0)))

    n = 2 * layers
    return Task(
        x0=np.full(n, 0.5),
        quality=quality,
        judge=lambda rng: FunctionOracle(quality, vectorized=False),
        bounds=(np.zeros(n), np.ones(n)),
        best=float(lost(quarter)),
        best_source="layers of a quarter of a wavelength",
        notes="the part of the light that is not reflected",
    )


def load_power() -> Task:
    """A power system with a dam: the 364 weights of a network that sets the price of its water, for a month of hours.

    From zero weights, with which water is always used first. Rain and demand differ from run to run.
    """
    models: Any = import_module("nevergrad.functions.powersystems.core")
    with seeded(SYSTEM):
        system = models.PowerSystem(num_dams=1, depth=1, width=2, num_years=YEARS)
    (n,) = map(int, system.get_num_vars())

    def run(x: Array, number: int) -> float:
        with seeded(number):
            return float(system.function(PRICES * (2.0 * np.clip(x, 0.0, 1.0) - 1.0)))

    return simulation_task(run, np.full(n, 0.5), POWER_BEST, "cost of a month", FEW_RUNS)
