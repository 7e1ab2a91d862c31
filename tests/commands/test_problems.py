import sys

import pytest

pytest.importorskip("typer")

from steelyard.cli import main


def run(monkeypatch, capsys, *arguments: str) -> tuple[int, str, str]:
    monkeypatch.setattr(sys, "argv", ["steelyard", "problems", *arguments])
    monkeypatch.setenv("COLUMNS", "250")
    with pytest.raises(SystemExit) as stop:
        main()
    out, err = capsys.readouterr()
    return int(stop.value.code or 0), out, err


def test_a_suite_is_listed_with_what_can_be_reached(monkeypatch, capsys) -> None:
    code, out, _ = run(monkeypatch, capsys, "--suite", "paper22")
    lines = {line.split()[0]: line.split() for line in out.splitlines() if line.strip()}
    assert code == 0
    assert lines["VANDANMSLS"] == ["VANDANMSLS", "22", "15.000017", "7.0796758", "ill-conditioned", "no", "yes"]
    assert lines["SENSORS"][-3:] == ["at", "x0", "yes"]
    assert "22 problems" in out
    assert "cannot be met on LUKSAN12LS, LUKSAN13LS, VANDANMSLS" in out


def test_it_can_be_narrowed(monkeypatch, capsys) -> None:
    code, out, _ = run(monkeypatch, capsys, "--name", "luksan*", "--family", "banded", "--max-n", "98", "--notes")
    assert code == 0
    assert "3 problems" in out
    assert "multistart on CUTEst" in out


def test_single_problems_with_parameters(monkeypatch, capsys) -> None:
    _, out, _ = run(monkeypatch, capsys, "QING?N=5~rotated=1", "ERRINROS?N=10")
    assert "QING?N=5~rotated=1" in out
    assert "unknown" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--suite", "nothing"], "suite must be one of paper22"),
        (["QINQ"], "did you mean 'QING'"),
        (["--name", "no such*"], "no problem matches"),
        (["QING", "--suite", "toy"], "give problems or a suite, not both"),
    ],
)
def test_bad_input_ends_with_a_message_and_code_2(monkeypatch, capsys, arguments, message) -> None:
    code, _, err = run(monkeypatch, capsys, *arguments)
    assert code == 2
    assert message in err
    assert "Traceback" not in err
