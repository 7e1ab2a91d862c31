"""A landing as an animated picture: gymnasium's lunar lander, steered by five numbers. Needs steelyard[real]."""

from __future__ import annotations

import io

import gymnasium
import numpy as np
from PIL import Image

START = 4
EVERY, MOST = 6, 50
"""Every sixth frame, and at most 50 of them."""


def video(lean: float, steady: float, upright: float, calm: float, brake: float) -> bytes:
    """The same start for all, so that only the steering differs."""
    env = gymnasium.make("LunarLander-v3", continuous=True, render_mode="rgb_array")
    seen, _ = env.reset(seed=START)
    frames, over, steps = [], False, 0
    while not over and len(frames) < MOST:
        x, y, speed, fall, angle, turning = seen[:6]
        wanted = np.clip(lean * x + steady * speed, -0.4, 0.4)
        side = 10.0 * (upright * (angle - wanted) + calm * turning)
        main = 10.0 * (brake * (-0.4 * max(y, 0.0) - 0.1 - fall))
        seen, _, ended, cut, _ = env.step(np.clip([main, side], -1.0, 1.0).astype(np.float32))
        over = ended or cut
        if steps % EVERY == 0 or over:
            frames.append(Image.fromarray(env.render()).resize((300, 200)))
        steps += 1
    env.close()
    out = io.BytesIO()
    frames[0].save(out, "GIF", save_all=True, append_images=frames[1:], duration=100, loop=0)
    return out.getvalue()
