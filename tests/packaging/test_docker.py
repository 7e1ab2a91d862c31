"""The Dockerfile: built where docker is; elsewhere its steps are done in a clean folder, without a network.

What its `RUN` would fetch is borrowed from the environment of the tests; all else is as the file says.
"""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
STUDY = '[view]\ntemplate = "v.html"\n[[parameters]]\nname = "size"\nlow = 1\nhigh = 2\n'


def steps():
    """The instructions of the file, lines that go on joined."""
    text = (ROOT / "Dockerfile").read_text().replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [tuple(line.split(maxsplit=1)) for line in lines]


def test_docker_builds_it():
    if shutil.which("docker") is None or subprocess.run(["docker", "info"], capture_output=True).returncode:
        pytest.skip("docker is not here; its steps are done by the other test")
    subprocess.run(["docker", "build", "-q", str(ROOT)], check=True, timeout=900)


def test_its_steps_give_a_server_that_is_well(tmp_path):
    assert steps()[0][0] == "FROM"
    source = tmp_path / "source"
    for name, words in steps():
        if name == "COPY":
            *files, target = shlex.split(words)
            assert target.startswith("/source/")
            for file in files:
                place = tmp_path / target.lstrip("/")
                if (ROOT / file).is_dir():
                    shutil.copytree(ROOT / file, place, ignore=shutil.ignore_patterns("__pycache__"))
                else:
                    place.mkdir(parents=True, exist_ok=True)
                    shutil.copy(ROOT / file, place)
    (install,) = re.findall(r"pip install --no-cache-dir '/source\[(\w+)\]'", dict(steps())["RUN"])
    assert install == "web"
    home = tmp_path / "home"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", home], check=True)
    python = home / "bin" / "python"
    (site,) = home.rglob("site-packages")
    (site / "borrowed.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "-q", "--no-deps", "--no-index"]
    subprocess.run([*pip, "--no-build-isolation", source], check=True, timeout=300)
    shutil.rmtree(source)
    studies = tmp_path / "studies"
    studies.mkdir()
    (studies / "kettle.toml").write_text('title = "Kettle"\nmethod = "stp"\n' + STUDY)
    (studies / "v.html").write_text("<p>{{ size }}</p>")
    command = json.loads(dict(steps())["CMD"])
    assert command[:3] == ["steelyard", "serve", "/studies"]
    health = json.loads(dict(steps())["HEALTHCHECK"].removeprefix("CMD "))
    port = _free_port()
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment |= {"STEELYARD_ORGANISER_TOKEN": "a-long-enough-token-of-my-own", "NO_PROXY": "127.0.0.1"}
    server = subprocess.Popen(
        [home / "bin" / "steelyard", "serve", studies, *command[3:], "--port", str(port)], env=environment, cwd=tmp_path
    )
    try:
        check = [python, *(word.replace("8321", str(port)) for word in health[1:])]
        until = time.monotonic() + 120
        while subprocess.run(check, env=environment, capture_output=True).returncode:
            assert server.poll() is None
            assert time.monotonic() < until
            time.sleep(0.2)
        page = f"http://127.0.0.1:{port}/kettle/o/a-long-enough-token-of-my-own"
        with urllib.request.urlopen(page, timeout=60) as answer:
            assert b"Kettle" in answer.read()
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(60)
    assert (studies / "kettle.db").exists()


def _free_port():
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
