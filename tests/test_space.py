import json

import numpy as np
import pytest

from steelyard.space import Parameter, Space

SPACE = Space(
    (
        Parameter("gain", -10, 30, unit="dB", start=0),
        Parameter("cutoff", 20, 20_000, scale="log", unit="Hz"),
        Parameter("voices", 1, 8, integer=True),
        Parameter("taps", 1, 1024, integer=True, scale="log"),
        Parameter("wave", categories=("sine", "saw", "square"), start="saw"),
    )
)


def test_ends_and_middle_of_each_kind():
    assert SPACE.values(np.zeros(5)) == {"gain": -10.0, "cutoff": 20.0, "voices": 1, "taps": 1, "wave": "sine"}
    assert SPACE.values(np.ones(5)) == {"gain": 30.0, "cutoff": 20_000.0, "voices": 8, "taps": 1024, "wave": "square"}
    middle = SPACE.values(np.full(5, 0.5))
    assert middle["cutoff"] == pytest.approx(np.sqrt(20 * 20_000))
    assert middle["taps"] == 32 and middle["wave"] == "saw" and isinstance(middle["voices"], int)


def test_values_survive_the_way_in_and_out_and_snapping_is_idempotent():
    rng = np.random.default_rng(0)
    for t in rng.random((200, 5)):
        values = SPACE.values(t)
        snapped = SPACE.snap(t)
        again = SPACE.values(snapped)
        assert {k: v for k, v in values.items() if not isinstance(v, float)} == {
            k: v for k, v in again.items() if not isinstance(v, float)
        }
        np.testing.assert_allclose([again["gain"], again["cutoff"]], [values["gain"], values["cutoff"]], rtol=1e-12)
        np.testing.assert_allclose(SPACE.snap(snapped), snapped, atol=1e-12)


def test_every_level_is_its_own_value():
    for i, parameter in enumerate(SPACE.parameters):
        levels = SPACE.levels[i]
        values = [parameter.from_unit(t) for t in levels]
        assert len(set(values)) == len(levels)
        np.testing.assert_allclose([parameter.to_unit(v) for v in values], levels, atol=1e-12)
    assert [len(levels) for levels in SPACE.levels] == [0, 0, 8, 0, 3]  # 1024 taps are as good as continuous
    assert SPACE.categorical == (False, False, False, False, True)


def test_start_is_the_given_one_or_the_middle():
    np.testing.assert_allclose(SPACE.start[[0, 1, 4]], [0.25, 0.5, 0.5])
    assert SPACE.values(SPACE.start)["voices"] in (4, 5)


def test_json_gives_the_same_space():
    assert Space.from_json(json.loads(json.dumps(SPACE.to_json()))) == SPACE
    with pytest.raises(ValueError, match="colour"):
        Space.from_json([{"name": "a", "colour": 1}])


def test_text_for_people():
    assert SPACE.parameters[1].text(1234.5678) == "1235 Hz"
    assert SPACE.parameters[4].text("saw") == "saw"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Parameter("", 0, 1), "name"),
        (lambda: Parameter("a", 1, 1), "low < high"),
        (lambda: Parameter("a", 0, 1, scale="log"), "positive on a log scale"),
        (lambda: Parameter("a", 0, 1.5, integer=True), "integers"),
        (lambda: Parameter("a", 0, float("nan")), "finite"),
        (lambda: Parameter("a", 0, 1, start=2), "from 0 to 1, got 2"),
        (lambda: Parameter("a", 0, 3, integer=True, start=1.5), "integer, got 1.5"),
        (lambda: Parameter("a", categories=("x", "x")), "two different"),
        (lambda: Parameter("a", categories=("x", "y"), start="z"), "one of x, y, got 'z'"),
        (lambda: Parameter("a", 0, 1, scale="cubic"), "linear, log"),
        (lambda: Space(()), "at least one"),
        (lambda: Space((Parameter("a"), Parameter("a"))), "'a' twice"),
        (lambda: SPACE.values(np.zeros(2)), "5 coordinates"),
        (lambda: SPACE.unit({"gain": 1}), "must be given for gain"),
    ],
)
def test_bad_input_is_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()
