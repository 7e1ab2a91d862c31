"""Judges that err in ways that real ones do: always in the same way, towards the first, by lapses, like a person.

Each wraps another oracle (or `prefer(x, y)`) and changes some of its answers. They compose: a person errs when two are
close, cannot tell the closest, favours the first and lapses now and then.
"""

import hashlib
from collections.abc import Callable
from typing import Any

import numpy as np

from steelyard.checks import check_between
from steelyard.function_oracle import FunctionOracle
from steelyard.noisy_oracles import LogisticOracle
from steelyard.oracles import Oracle, Wrapper
from steelyard.seeds import Seed, generator_of
from steelyard.typing import Answers, Array


class PersistentOracle(Wrapper):
    """A deterministic judge: a part 1 - p of all pairs is judged wrongly, and always in the same way.

    Whether a pair is judged wrongly follows from a hash of its two points and `seed`, whichever comes first. Asking
    again, in either order, gives the same answer; ties stay ties.
    """

    def __init__(self, oracle: Oracle | Callable[..., Any], p: float, seed: int = 0) -> None:
        super().__init__(oracle)
        self.p = check_between("p", p, 0.5, 1.0)
        self._key = int(seed).to_bytes(16, "little", signed=True)

    def compare(self, a: Array, b: Array) -> Answers:
        answers = self.oracle.compare(a, b)
        wrong = np.array([_share(x, y, self._key) >= self.p for x, y in zip(a, b, strict=True)])
        return np.where(wrong, -answers, answers).astype(np.int8)


class BiasedOracle(Wrapper):
    """A judge with position bias: with probability `bias` it says "the first" without looking."""

    def __init__(self, oracle: Oracle | Callable[..., Any], bias: float, rng: Seed = None) -> None:
        super().__init__(oracle)
        self.bias = check_between("bias", bias, 0.0, 1.0)
        self._rng = generator_of(rng)

    def compare(self, a: Array, b: Array) -> Answers:
        answers = self.oracle.compare(a, b)
        return np.where(self._rng.random(len(answers)) < self.bias, 1, answers).astype(np.int8)


class LapsingOracle(Wrapper):
    """A judge whose attention lapses: with probability `lapse` its answer is the toss of a coin."""

    def __init__(self, oracle: Oracle | Callable[..., Any], lapse: float, rng: Seed = None) -> None:
        super().__init__(oracle)
        self.lapse = check_between("lapse", lapse, 0.0, 1.0)
        self._rng = generator_of(rng)

    def compare(self, a: Array, b: Array) -> Answers:
        answers = self.oracle.compare(a, b)
        drawn = self._rng.random(len(answers))
        tossed = np.where(drawn < 0.5 * self.lapse, 1, -1)
        return np.where(drawn < self.lapse, tossed, answers).astype(np.int8)


class PersonOracle(Wrapper):
    """A person: errs when two are close (Bradley-Terry), says "can't tell" below `jnd`, favours the first, lapses.

    `scale` and `jnd` are differences of f; `bias` and `lapse` are probabilities, as in `BiasedOracle` and
    `LapsingOracle`.
    """

    def __init__(
        self,
        f: Callable[..., Any] | FunctionOracle,
        scale: float,
        rng: Seed = None,
        *,
        jnd: float = 0.0,
        bias: float = 0.1,
        lapse: float = 0.05,
    ) -> None:
        generator = generator_of(rng)
        close = LogisticOracle(f, scale, generator, jnd=jnd)
        super().__init__(LapsingOracle(BiasedOracle(close, bias, generator), lapse, generator))

    def compare(self, a: Array, b: Array) -> Answers:
        return self.oracle.compare(a, b)


def _share(x: Array, y: Array, key: bytes) -> float:
    """A number in [0, 1) that depends on the two points and the key only."""
    # Adding 0 turns -0 into 0, which is the same point.
    pair = b"".join(sorted(((x + 0.0).tobytes(), (y + 0.0).tobytes())))
    return int.from_bytes(hashlib.blake2b(pair, key=key, digest_size=8).digest(), "little") / 2**64
