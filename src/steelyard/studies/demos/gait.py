"""A walking figure as an animated SVG: joint angles over one cycle, drawn as keyframes."""

from math import cos, pi, radians, sin

FRAMES = 24
SECONDS = 1.15
THIGH, SHIN, TORSO, UPPER, FORE = 52.0, 50.0, 74.0, 34.0, 32.0

MIDDLE, GROUND = 200.0, 270.0

PlanePoint = tuple[float, float]


def figure(stride: float, knee: float, arms: float, bounce: float, lean: float) -> str:
    """A figure that walks on the spot while the ground moves: all angles in degrees, bounce in pixels."""
    phases = [2.0 * pi * i / FRAMES for i in range(FRAMES + 1)]
    hips = [(MIDDLE, _hip_height(phase, stride, knee) - bounce * cos(phase) ** 2) for phase in phases]
    necks = [_from(hip, TORSO, 180.0 - lean) for hip in hips]
    heads = [_from(neck, 21.0, 180.0 - lean * 0.6) for neck in necks]
    limbs = []
    for side, shade in ((pi, "#9fb8b0"), (0.0, "#16594e")):  # the far side first, paler
        legs = [_leg(hip, phase + side, stride, knee) for hip, phase in zip(hips, phases, strict=True)]
        swings = [_arm(neck, phase + side + pi, arms) for neck, phase in zip(necks, phases, strict=True)]
        limbs += [_line(legs, shade, 13), _line(swings, shade, 9)]
        if side:
            limbs.append(_line([[hip, neck] for hip, neck in zip(hips, necks, strict=True)], "#16594e", 17))
    shift = 40 * max(1, round(stride / 15))  # the ground goes about as far as the feet do, in whole ticks
    ticks = "".join(f'<path d="M{x} 284h22"/>' for x in range(-40, 640, 40))
    cycle = f'dur="{SECONDS}s" repeatCount="indefinite"'
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 310">'
        '<rect width="400" height="310" fill="#f3f1ea"/><path d="M0 276h400v34H0z" fill="#e2ddd0"/>'
        '<ellipse cx="200" cy="277" rx="52" ry="6" fill="#c9c2b2"/>'
        f'<g stroke="#b9b09c" stroke-width="3" stroke-linecap="round">{ticks}'
        f'<animateTransform attributeName="transform" type="translate" from="0 0" to="{-shift} 0" {cycle}/></g>'
        f'<g fill="none" stroke-linecap="round" stroke-linejoin="round">{"".join(limbs)}</g>'
        f'<circle r="16" cx="{heads[0][0]:.1f}" cy="{heads[0][1]:.1f}" fill="#16594e">'
        f'<animate attributeName="cx" values="{_values(x for x, _ in heads)}" {cycle}/>'
        f'<animate attributeName="cy" values="{_values(y for _, y in heads)}" {cycle}/></circle></svg>'
    )


def _hip_height(phase: float, stride: float, bend: float) -> float:
    """So high that the lower foot touches the ground."""
    return GROUND - max(y for side in (0.0, pi) for _, y in _leg((0.0, 0.0), phase + side, stride, bend))


def _leg(hip: PlanePoint, phase: float, stride: float, bend: float) -> list[PlanePoint]:
    """Hip, knee, ankle, toe. The knee bends while the leg swings forward."""
    thigh = stride * sin(phase)
    fold = bend * max(0.0, cos(phase)) + 4.0
    knee = _from(hip, THIGH, thigh)
    ankle = _from(knee, SHIN, thigh - fold)
    return [hip, knee, ankle, _from(ankle, 15.0, thigh - fold + 78.0)]


def _arm(shoulder: PlanePoint, phase: float, swing: float) -> list[PlanePoint]:
    angle = swing * sin(phase)
    elbow = _from(shoulder, UPPER, angle)
    return [shoulder, elbow, _from(elbow, FORE, angle + 12.0 + swing * 0.3)]


def _from(point: PlanePoint, length: float, degrees: float) -> PlanePoint:
    """Where a bone ends that hangs from a point, turned forward by an angle."""
    return point[0] + length * sin(radians(degrees)), point[1] + length * cos(radians(degrees))


def _line(frames: list[list[PlanePoint]], colour: str, width: int) -> str:
    paths = ["M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in frame) for frame in frames]
    return (
        f'<path d="{paths[0]}" stroke="{colour}" stroke-width="{width}">'
        f'<animate attributeName="d" values="{";".join(paths)}" dur="{SECONDS}s" repeatCount="indefinite"/></path>'
    )


def _values(numbers: object) -> str:
    return ";".join(f"{x:.1f}" for x in numbers)  # type: ignore[attr-defined]
