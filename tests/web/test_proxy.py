"""Behind a proxy, and against slow clients: real servers, Debian's nginx where it is installed."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest
from starlette.testclient import TestClient

from steelyard.studies.open_study import OpenStudy
from steelyard.web.app import make_app
from steelyard.web.security import behind_proxy

from .serving import Server, free_port, wait_until_up, write_study

NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")

CONFIGURATION = """
daemon off; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{}}
http {{
  access_log off;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/f;
  uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
  server {{
    listen 127.0.0.1:{port};
    location /study/ {{
      proxy_pass http://127.0.0.1:{server}/;
      proxy_set_header Host $host;
      proxy_set_header X-Forwarded-Host example.org;
      proxy_set_header X-Forwarded-Proto https;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_buffering off;
    }}
  }}
}}
"""


def test_the_word_of_a_stranger_is_not_taken() -> None:
    headers = [(b"host", b"a.example"), (b"x-forwarded-proto", b"https"), (b"x-forwarded-for", b"9.9.9.9, 10.0.0.1")]
    scope = {"type": "http", "client": ("10.0.0.1", 5), "scheme": "http", "headers": headers}
    assert behind_proxy(scope, ()) is scope
    assert behind_proxy({**scope, "client": ("8.8.8.8", 5)}, ("10.0.0.1",))["scheme"] == "http"
    known = behind_proxy(scope, ("10.0.0.1",))
    assert (known["scheme"], known["client"][0]) == ("https", "9.9.9.9")


def test_all_links_are_under_the_root(opened: OpenStudy) -> None:
    web = TestClient(make_app(opened, None, root="/study"), base_url="http://testserver")
    link = f"/s/{opened.add_rater('Ada')[1]}"
    for path in (link, f"/study{link}"):  # whether the proxy takes the root away or not
        page = web.get(path).text
        assert 'href="/study/static/style.css"' in page
        assert f'action="/study{link}/answer"' in page
        assert 'src="/study/view/' in page
    assert web.get("/study/static/style.css").status_code == 200


@pytest.mark.skipif(not NGINX, reason="this test needs nginx (tools/ensure.sh nginx)")
def test_behind_nginx(tmp_path: Path) -> None:
    folder = write_study(tmp_path).parent
    assert NGINX is not None
    port, own = free_port(), free_port()
    organiser = "x" * 30
    command = [
        sys.executable,
        "-m",
        "steelyard",
        "serve",
        str(folder / "study.toml"),
        "--public",
        "--host",
        "127.0.0.1",
    ]
    command += ["--port", str(own), "--root-path", "/study", "--proxy", "127.0.0.1"]
    server = subprocess.Popen(
        command, env={**os.environ, "STEELYARD_ORGANISER_TOKEN": organiser}, stdout=subprocess.PIPE, text=True
    )
    (folder / "nginx.conf").write_text(CONFIGURATION.format(folder=folder, port=port, server=own))
    nginx = subprocess.Popen([NGINX, "-c", str(folder / "nginx.conf"), "-p", str(folder)])
    try:
        wait_until_up(f"http://127.0.0.1:{own}")
        base = f"http://127.0.0.1:{port}/study"
        wait_until_up(base)
        page = httpx.post(f"{base}/o/{organiser}", data={"kind": "join"}, headers={"origin": "https://example.org"})
        assert "https://example.org/study/join/" in page.text
        join = page.text.split("https://example.org/study")[1].split("<")[0]
        answer = httpx.post(base + join, data={"name": "Ada"}, headers={"origin": "https://example.org"})
        assert answer.status_code == 303
        assert answer.headers["location"].startswith("/study/s/")
        page = httpx.get(f"http://127.0.0.1:{port}{answer.headers['location']}")
        assert "0 of 8" in page.text
        with httpx.stream("GET", f"{base}/o/{organiser}/live", timeout=30) as stream:
            assert next(stream.iter_lines()).startswith("data:")
        with socket.socket() as probe:  # --public --host 127.0.0.1 listens there and nowhere else
            mine = _other_address()
            if mine:
                assert probe.connect_ex((mine, own)) != 0
    finally:
        nginx.terminate()
        nginx.wait()
        server.send_signal(signal.SIGINT)
        assert server.wait(20) is not None
        assert server.stdout is not None
        assert organiser not in server.stdout.read()
        server.stdout.close()


def _other_address() -> str:
    """An address of this computer that others could use, if it has one."""
    found = subprocess.run(["hostname", "-I"], capture_output=True, text=True)
    return found.stdout.split()[0] if found.returncode == 0 and found.stdout.split() else ""


def test_half_sent_requests_do_not_keep_others_out(tmp_path: Path) -> None:
    server = Server("serve", str(write_study(tmp_path)))
    slow: list[socket.socket] = []
    try:
        for _ in range(300):
            one = socket.create_connection(("127.0.0.1", server.port))
            one.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
            slow.append(one)
        begin = time.monotonic()
        assert httpx.get(f"{server.base}/s/{server.token}", timeout=30).status_code == 200
        assert time.monotonic() - begin < 20
        slow[0].settimeout(30)
        assert slow[0].recv(1) == b""  # hung up on
    finally:
        for one in slow:
            one.close()
        server.stop()


def test_ctrl_c_ends_a_server_whose_view_hangs(tmp_path: Path) -> None:
    (tmp_path / "stuck_for_test.py").write_text("import time\ndef view(**values):\n    time.sleep(3600)\n")
    view = 'function = "stuck_for_test:view"\ntype = "text"\ntimeout = 600'
    server = Server("serve", str(write_study(tmp_path, view=view)))
    try:
        with pytest.raises(httpx.TimeoutException):
            httpx.get(server.answer, timeout=2)
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(30) is not None
    finally:
        server.stop()


def test_serve_makes_a_link_of_its_own(tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from steelyard.commands import app

    study = write_study(tmp_path)
    CliRunner().invoke(app, ["links", str(study), "--rater", "Ada"])
    server = Server("serve", str(study))
    try:
        page = httpx.get(server.organiser).text
        assert ">Ada<" in page
        assert ">you<" in page
        answer = httpx.get(f"{server.base}/api/v1/question", headers={"authorization": f"Bearer {server.token}"}).json()
        chosen = {"question": answer["question"]["id"], "choice": "left"}
        httpx.post(f"{server.base}/api/v1/answer", json=chosen, headers={"authorization": f"Bearer {server.token}"})
        csv = httpx.get(f"{server.organiser}/answers.csv").text
        assert ",you," in csv
        assert ",Ada," not in csv
    finally:
        server.stop()


def test_several_studies_on_one_server(tmp_path: Path) -> None:
    write_study(tmp_path)
    (tmp_path / "other.toml").write_text((tmp_path / "study.toml").read_text().replace("Small study", "Another one"))
    port = free_port()
    command = [sys.executable, "-u", "-m", "steelyard", "serve", str(tmp_path), "--port", str(port), "--no-browser"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        wait_until_up(f"http://127.0.0.1:{port}")
        assert process.stdout is not None
        links = [process.stdout.readline().split()[-1] for _ in range(2)]
        titles = [httpx.get(link).text.split('class="study-title">')[1].split("<")[0] for link in links]
        assert titles == ["Another one", "Small study"]
        assert "/other/static/style.css" in httpx.get(links[0]).text
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(30)
        assert process.stdout is not None
        process.stdout.close()
