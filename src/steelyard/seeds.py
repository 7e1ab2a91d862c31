"""Seeds from which a run can be rebuilt."""

from __future__ import annotations  # np.random is loaded when it is used, not for an annotation

from typing import TypeAlias

import numpy as np

from steelyard.errors import BadType, BadValue

# In quotes, so that numpy.random is imported by those who draw only.
Seed: TypeAlias = "int | np.random.SeedSequence | np.random.Generator | None"


def seed_sequence(seed: Seed) -> np.random.SeedSequence:
    """A seed that a run can be rebuilt from; a Generator gives a child of its own, so it is not drawn from."""
    if isinstance(seed, np.random.SeedSequence):
        return seed
    if isinstance(seed, np.random.Generator):
        parent = seed.bit_generator.seed_seq
        if not isinstance(parent, np.random.SeedSequence):
            raise BadType("rng must be a Generator that was made from a seed (numpy.random.default_rng)")
        return parent.spawn(1)[0]
    if seed is None or (isinstance(seed, int | np.integer) and not isinstance(seed, bool) and seed >= 0):
        return np.random.SeedSequence(None if seed is None else int(seed))
    error = BadValue if isinstance(seed, int | np.integer) and not isinstance(seed, bool) else BadType
    raise error(f"rng must be an integer of at least 0 (a seed), a numpy Generator or None, got {seed!r}")


def generator_of(rng: Seed) -> np.random.Generator:
    """The generator itself, or a new one from a seed."""
    return rng if isinstance(rng, np.random.Generator) else np.random.default_rng(seed_sequence(rng))


def afresh(seed: np.random.SeedSequence) -> np.random.SeedSequence:
    """The same seed with no children spawned yet, so that a replay spawns the same ones."""
    return np.random.SeedSequence(seed.entropy, spawn_key=seed.spawn_key, pool_size=seed.pool_size)
