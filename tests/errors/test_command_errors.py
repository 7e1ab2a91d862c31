"""A tour of wrong commands: exit code 2, a message that helps, and never a traceback unless asked for."""

import pytest
from wrong import assert_says

from steelyard.cli import main

QING = ("--problem", "QING")
STP = ("--algorithm", "stp")

COMMANDS = [
    # what is typed; words that the message must have: the argument, the value, what is allowed
    (["fly"], "No such command", "'fly'"),
    (["algorithms", "--verbose"], "No such option", "--verbose"),
    (["algorithms", "stp"], "unexpected", "stp"),
    (["problems", "--suite", "paper23"], "suite", "'paper23'", "one of paper22"),
    (["problems", "QINK"], "problem", "'QINK'", "QING"),
    (["problems", "QING?N=x"], "N", "'x'", "integer"),
    (["problems", "QING?N=0"], "N", "0", "at least"),
    (["problems", "QING~tilted=1"], "derived", "'tilted'", "rotated"),
    (["problems", "--min-n", "few"], "--min-n", "few", "valid integer"),
    (["bench"], "needs", "--algorithm", "--plan"),
    (["bench", *QING], "needs", "--algorithm"),
    (["bench", *QING, "--algorithm", "stq"], "method", "'stq'", "did you mean 'stp'"),
    (["bench", *QING, "--algorithm", "stp,step=0"], "step", "0", "positive"),
    (["bench", *QING, "--algorithm", "stp,stride=1"], "options of stp", "'stride'", "step"),
    (["bench", *QING, *STP, "--budget", "0"], "budget", "0", "at least 1"),
    (["bench", *QING, *STP, "--budget", "2.5"], "budget", "2.5", "integer"),
    (["bench", *QING, *STP, "--budget", "lots"], "--budget", "lots", "valid number"),
    (["bench", *QING, *STP, "--seeds", "0"], "seeds", "0", "at least 1"),
    (["bench", *QING, *STP, "--oracle", "noisy,p=2"], "p", "2", "from 0.5 to 1"),
    (["bench", *QING, *STP, "--oracle", "kind"], "oracle", "'kind'", "exact, noisy, persistent, logistic"),
    (["bench", *QING, *STP, "--jobs", "-1"], "jobs", "-1", "0"),
    (["bench", "--suite", "papers", *STP], "suite", "'papers'", "paper22"),
    (["bench", *STP, "--plan", "missing.toml"], "plan", "missing.toml", "there is none"),
    (["bench", "--plan", "missing.toml"], "plan", "missing.toml", "TOML"),
    (["bench", "--plan", "broken.toml"], "broken.toml", "line 1", "TOML"),
    (["bench", *QING, *STP, "--out", "broken.toml"], "out", "broken.toml", "folder"),
    (["audit"], "Missing argument", "judge"),
    (["audit", "judge"], "judge", "'judge'", "module:name"),
    (["audit", "no_such:thing"], "judge", "'no_such:thing'", "cannot be loaded"),
    (["audit", "math:dist", "--budget", "3"], "--budget", "3", "12"),
    (["audit", "math:dist", "--low", "2"], "low", "2", "less than high"),
    (["audit", "math:dist", "--points", "nowhere"], "points", "'nowhere'", "module:name"),
    (["merge", "--out", "all"], "Missing argument", "folders"),
    (["merge", "nowhere", "--out", "all"], "nowhere"),
    (["merge", "nowhere"], "Missing option", "--out"),
    (["cluster", "--workers", "0"], "--workers", "0", "1"),
    (["serve"], "Missing argument", "study"),
    (["serve", "missing.toml"], "study", "missing.toml", "TOML file"),
    (["serve", "broken.toml"], "broken.toml", "line 1", "TOML"),
    (["serve", "study.toml", "--port", "99999"], "--port", "99999", "65535"),
    (["links", "study.toml"], "links", "--rater NAME, --join or --organiser"),
    (["links", "missing.toml", "--join"], "study", "missing.toml", "TOML file"),
    (["try", "chess", "--simulate"], "demo", "'chess'", "palette, typography"),
    (["try", "--seed", "-1", "--simulate"], "--seed", "-1", "0"),
]


@pytest.fixture
def say(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken.toml").write_text("title = kettle")
    (tmp_path / "plan.toml").write_text("problems = ['QING']\nalgorithms = ['stp']\n")
    (tmp_path / "study.toml").write_text(
        "title = 'x'\nparameters = [{ name = 'a' }]\nview = { function = 'a:b' }\n[raters]\nmode = 'own'\n"
    )

    def run(arguments):
        with pytest.raises(SystemExit) as stop:
            main(arguments)
        return stop.value.code, capsys.readouterr().err

    return run


@pytest.mark.parametrize("typed", COMMANDS, ids=lambda typed: " ".join(typed[0]))
def test_a_wrong_command(typed, say):
    arguments, *words = typed
    code, message = say(arguments)
    assert code == 2
    assert "Traceback" not in message
    assert_says(message, *words)


def test_the_traceback_is_there_for_who_asks(monkeypatch):
    for arguments in (["--debug", "problems", "QINK"], ["problems", "QINK", "--debug"]):
        with pytest.raises(ValueError, match="QINK"):
            main(arguments)


def test_the_tour_is_long_enough():
    from test_api_errors import ALL
    from test_file_errors import PLANS, STUDIES

    assert len(ALL) + len(PLANS) + len(STUDIES) + len(COMMANDS) >= 60
