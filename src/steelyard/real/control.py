"""Control by preference: the weights of a small policy, compared by watching two attempts from the same start.

The better of two is the one with the larger return. A comparison draws one start; the hidden quality is the mean return
over fixed other starts. The reference is the return at which gymnasium counts the task as solved.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from steelyard.real.task import Task
from steelyard.typing import Answers, Array

INITIAL_STATES = 1000
"""A comparison draws one of this many starts; the quality is measured from others."""
STARTS_MEASURED = 20

Policy = Callable[[Array, Array], Any]
"""The action for a policy's weights and an observation."""


def rollout(env: Any, policy: Policy, weights: Array, start: int) -> float:
    """The return of one attempt from this start."""
    seen, _ = env.reset(seed=start)
    total = 0.0
    while True:
        seen, reward, over, cut, _ = env.step(policy(weights, seen))
        total += float(reward)
        if over or cut:
            return total


class Attempts:
    """The judge: both policies try from the same random start, and the larger return is better."""

    def __init__(self, rng: np.random.Generator, env: Any, policy: Policy) -> None:
        self._rng, self._env, self._policy = rng, env, policy

    def compare(self, a: Array, b: Array) -> Answers:
        answers = []
        for x, y in zip(a, b, strict=True):
            start = int(self._rng.integers(INITIAL_STATES))
            mine, other = (rollout(self._env, self._policy, w, start) for w in (x, y))
            answers.append(int(np.sign(mine - other)))
        return np.array(answers, dtype=np.int8)


def continuous(weights: Array, seen: Array) -> Array:
    """Two actions, each a weighted sum of what is seen and a constant, cut off at -1 and 1."""
    rows = weights.reshape(2, -1)
    return np.clip(3.0 * (rows[:, :-1] @ seen + rows[:, -1]), -1.0, 1.0)


def discrete(weights: Array, seen: Array) -> int:
    """The action whose weighted sum of what is seen is largest."""
    rows = weights.reshape(3, -1)
    return int(np.argmax(rows[:, :-1] @ seen + rows[:, -1]))


def load_lander() -> Task:
    """The lunar lander with two continuous engines: 18 weights, from zero, where it falls."""
    return _task("LunarLander-v3", continuous, 18, {"continuous": True})


def load_acrobot() -> Task:
    """The acrobot, a double pendulum moved at its middle joint: 21 weights, from zero, where it hangs."""
    return _task("Acrobot-v1", discrete, 21, {})


def _task(name: str, policy: Policy, n: int, options: dict[str, Any]) -> Task:
    import gymnasium

    env = environment(name, **options)
    solved = gymnasium.spec(name).reward_threshold
    assert solved is not None

    def quality(x: Array) -> float:
        return -float(np.mean([rollout(env, policy, x, INITIAL_STATES + k) for k in range(STARTS_MEASURED)]))

    return Task(
        x0=np.zeros(n),
        quality=quality,
        judge=lambda rng: Attempts(rng, env, policy),
        bounds=(np.full(n, -1.0), np.ones(n)),
        best=-float(solved),
        best_source=f"gymnasium's threshold for solved, a return of {solved:g}",
        notes=f"minus the mean return over {STARTS_MEASURED} starts of {name}",
    )


@cache
def environment(name: str, **options: Any) -> Any:
    """The environment, made once."""
    import gymnasium

    return gymnasium.make(name, **options)
