"""The examples of the judge kit: a model behind HTTP, killed and resumed; a pool of prompts."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from test_every_example import EXAMPLES, load

from steelyard import read_log


def test_pool_of_prompts():
    found, best = load("pool_of_prompts").main()
    assert found >= best - 0.5


def quiet(model):
    """How many calls the server has answered, once those that the killed client left behind have ended."""
    seen, since = len(model.answered), time.monotonic()
    while time.monotonic() < since + 1.5:
        time.sleep(0.05)
        if len(model.answered) != seen:
            seen, since = len(model.answered), time.monotonic()
    return seen


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_llm_judge_killed_in_the_middle_and_resumed(tmp_path):
    """The server stays; the client is killed, and the second one asks nothing whose answer had arrived."""
    example = load("llm_judge")
    model = example.SimulatedModel()
    log = tmp_path / "answers.jsonl"
    try:
        program = f"import llm_judge; llm_judge.main({model.url!r}, {str(log)!r})"
        client = subprocess.Popen([sys.executable, "-c", program], cwd=EXAMPLES, stdout=subprocess.DEVNULL)
        while not log.exists() or log.read_bytes().count(b"\n") < 40:
            assert client.poll() is None
            time.sleep(0.01)
        client.send_signal(signal.SIGKILL)
        client.wait()
        whole = read_log(log)
        before = quiet(model)
        assert len(whole) < 150
        settings = example.main(model.url, str(log))
        answered_again = len(model.answered) - before
    finally:
        model.close()
    assert answered_again == 150 - len(whole)  # no answer that had arrived is paid for twice
    start = example.SPACE.values(example.SPACE.start)
    assert example.fault(settings) < 0.5 * example.fault(start)
    assert Path(log).read_bytes().count(b"\n") == 151
