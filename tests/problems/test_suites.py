import pytest

from steelyard import problems
from steelyard.problems import gradient_reach, suite, value_reach

DIMENSIONS = {
    **dict.fromkeys(["CHNROSNB", "CHNRSNBM", "ERRINROS", "ERRINRSM"], 50),
    **dict.fromkeys(["HILBERTB", "STRTCHDV", "TRIGON1", "TRIGON2"], 10),
    **dict.fromkeys(["QING", "LUKSAN11LS", "LUKSAN15LS", "LUKSAN16LS", "LUKSAN17LS"], 100),
    **dict.fromkeys(["LUKSAN21LS", "LUKSAN22LS", "MANCINO", "SENSORS"], 100),
    **dict.fromkeys(["LUKSAN12LS", "LUKSAN13LS", "LUKSAN14LS"], 98),
    "VANDANMSLS": 22,
    "WATSON": 12,
}


def test_the_papers_problems_have_the_papers_dimensions() -> None:
    assert {p.name: p.n for p in suite("paper22")} == DIMENSIONS


def test_the_rotated_suite_is_the_papers_rotated() -> None:
    assert [p.name for p in suite("paper22-rotated")] == [f"{p.name}~rotated=1" for p in suite("paper22")]


def test_the_cutest_suite_has_every_built_in_but_the_toys() -> None:
    names = {p.name for p in suite("cutest")}
    assert names >= set(DIMENSIONS) | {"ROSENBR", "HILBERTA", "VAREIGVL", "INTEQNELS", "OSCIPATH"}
    assert not names & {p.name for p in suite("toy")}


def test_a_suite_can_be_narrowed() -> None:
    assert [p.name for p in suite("paper22", "luksan1?ls", max_n=98)] == ["LUKSAN12LS", "LUKSAN13LS", "LUKSAN14LS"]
    assert {p.name for p in suite("paper22", family="dense", min_n=11)} == {"MANCINO"}


def test_an_unknown_suite_is_refused() -> None:
    with pytest.raises(ValueError, match=r"suite must be one of paper22, .*, got 'paper'"):
        suite("paper")


def test_which_value_criteria_cannot_be_met() -> None:
    reach = {p.name: value_reach(p) for p in suite("paper22")}
    assert {name for name, value in reach.items() if value == "no"} == {"LUKSAN12LS", "LUKSAN13LS", "VANDANMSLS"}
    assert {name for name, value in reach.items() if value == "at x0"} == {"SENSORS"}
    assert all(gradient_reach(p) == "yes" for p in suite("paper22"))


def test_reach_is_unknown_without_a_best_value() -> None:
    assert value_reach(problems.get("ERRINROS", N=10)) == "unknown"
