"""The process: opens the study, makes links, starts the server."""

from __future__ import annotations

import gc
import logging
import multiprocessing
import os
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType

from threadpoolctl import threadpool_limits

from steelyard.errors import BadValue
from steelyard.studies.check import studies_in
from steelyard.studies.open_study import OpenStudy
from steelyard.studies.store import open_store
from steelyard.studies.study import Study
from steelyard.web.app import make_app
from steelyard.web.metrics import Metrics
from steelyard.web.security import LOOPBACK, App
from steelyard.web.several import Several
from steelyard.web.shared import shared_by, shared_file
from steelyard.web.workers import supervise

TOKEN_VARIABLE = "STEELYARD_ORGANISER_TOKEN"
SHORTEST_TOKEN = 24
LAST_SECONDS = 12.0
"""After Ctrl+C the process ends within this time, whatever hangs."""
SWITCH_SECONDS = 5e-5
"""So long a thread runs before others may: many that make pages must not keep out the one that takes requests."""
BACKLOG = 1024
FEW_ACCEPTED = 4
MOST_CLIENTS = 2000


def open_file(study: Study, data: str | Path, *, ahead: bool = True, workers: int = 1) -> OpenStudy:
    """The study with its database (a file, or a postgresql:// address), which is made if it is not there.

    `workers` is how many processes on this machine serve the study: they share its processors for thinking.

    Linear algebra is held to one thread from now on: the matrices are small, the server has threads of its own, and a
    log replayed with another number of threads may round otherwise.
    """
    threadpool_limits(limits=1, user_api="blas")
    opened = OpenStudy.open(study, open_store(data), ahead=ahead, thinkers=thinkers_each(workers))
    opened.data = str(data)
    return opened


def organiser_token(opened: OpenStudy, public: bool) -> str | None:
    """The organiser's token: from the environment, or else a fresh one; a public server makes none by itself.

    None means that the database knows one already that only the organiser knows.
    """
    given = os.environ.get(TOKEN_VARIABLE, "")
    if given:
        if len(given) < SHORTEST_TOKEN:
            raise BadValue(f"{TOKEN_VARIABLE} must have at least {SHORTEST_TOKEN} characters, got {len(given)}")
        return opened.store.add_token("organiser", token=given)
    if public:
        if not opened.store.has_token("organiser"):
            raise BadValue(
                "--public needs tokens: make the organiser's with `steelyard links STUDY --organiser`, or set "
                f"{TOKEN_VARIABLE} to a long random text"
            )
        return None
    return opened.store.add_token("organiser")


def local_link(opened: OpenStudy, base: str) -> str:
    """A fresh link for the person at this computer: a rater called "you", who is nobody that was invited."""
    known = opened.store.meta("you", "")
    if not known:
        known = str(opened.add_rater("you")[0].id)
        opened.store.set_meta("you", known)
    return f"{base}/s/{opened.store.add_token('rater', int(known))}"


def serve(
    opened: OpenStudy,
    *,
    host: str = "127.0.0.1",
    port: int = 8321,
    public: bool = False,
    browser: bool = True,
    workers: int = 1,
    say: Callable[[str], None] = print,
    root: str = "",
    proxies: tuple[str, ...] = (),
) -> None:
    """Serve a study until interrupted. Port 0 takes a free one. With several `workers`, processes that share the port,
    the study must have been opened by `open_file`; it is closed here and opened by each of them."""
    _check_host(host, public)
    token = organiser_token(opened, public)
    listening = _listen(host, port)
    base = f"http://{f'[{host}]' if ':' in host else host}:{listening.getsockname()[1]}{root}"
    if public:
        say(f"Listening at {base}. Links begin with the name by which others reach it.")  # no token: this may be a log
    else:
        mine = local_link(opened, base)
        say(f"Answer:    {mine}")
        say(f"Organiser: {base}/o/{token}")
    say(f"Answers are kept in {opened.store.name}. Stop with Ctrl+C; nothing is lost.")
    if browser and not public:
        webbrowser.open(mine)
    hosts = None if public else LOOPBACK
    if workers == 1:
        run_app(opened, listening, make_app(opened, hosts, root=root, proxies=proxies))
        return
    opened.close()
    with shared_file(workers) as path:
        supervise(partial(_work, opened.study, opened.data, listening, hosts, root, proxies, path, workers), workers)


def serve_folder(
    folder: Path,
    *,
    host: str = "127.0.0.1",
    port: int = 8321,
    public: bool = False,
    say: Callable[[str], None] = print,
    root: str = "",
    proxies: tuple[str, ...] = (),
) -> None:
    """Serve all studies in a folder, each under the name of its file, until interrupted."""
    studies = studies_in(folder)
    if not studies:
        raise BadValue(f"there must be studies in the folder, and there is none in {str(folder)!r}")
    _check_host(host, public)
    listening = _listen(host, port)
    base = f"http://{f'[{host}]' if ':' in host else host}:{listening.getsockname()[1]}{root}"
    opened, apps = [], {}
    try:
        for path, study in studies:
            one = open_file(study, path.with_suffix(".db"))
            opened.append(one)
            token = organiser_token(one, public)
            own = f"{root}/{path.stem}"
            apps[path.stem] = make_app(one, None if public else LOOPBACK, root=own, proxies=proxies)
            say(f"{study.title}: {base}/{path.stem}" + (f"/o/{token}" if token and not public else ""))
        say(f"Listening at {base}. Stop with Ctrl+C; nothing is lost.")
        run_app(opened[0], listening, Several(apps, root))
    finally:
        for one in opened[1:]:
            one.close()


def _work(
    study: Study,
    data: str,
    listening: socket.socket,
    hosts: tuple[str, ...] | None,
    root: str,
    proxies: tuple[str, ...],
    path: str,
    workers: int,
    number: int,
) -> None:
    """One of several workers."""
    opened = open_file(study, data, workers=workers)
    shared = shared_by(path, workers)
    opened.per_token.share(shared.per_token)
    opened.per_stranger.share(shared.per_stranger)
    app = make_app(opened, hosts, Metrics(shared.counters, number), root, proxies)
    run_app(opened, listening, app, accepts=FEW_ACCEPTED)


def _check_host(host: str, public: bool) -> None:
    if not public and host not in ("127.0.0.1", "localhost", "::1"):
        raise BadValue(f"host must be this computer's own (127.0.0.1) without --public, got {host!r}")


def thinkers_each(workers: int) -> int:
    """How many processes think for each of the workers: together as many as there are processors."""
    return max(1, (os.cpu_count() or 1) // workers)


def run_app(opened: OpenStudy, listening: socket.socket, app: App, accepts: int = BACKLOG) -> None:
    """Serve the application in this process until it is told to end.

    It takes up to `accepts` connections at a time: one of several workers takes few, and so leaves them to the others
    while it is busy.
    """
    import uvicorn

    from steelyard.web.patience import Impatient

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            for one in sockets or ():
                one.listen(BACKLOG)

        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            super().handle_exit(sig, frame)
            last = threading.Timer(LAST_SECONDS, _end_now)
            last.daemon = True
            last.start()

    _allow_many_connections()
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.collect()
    gc.freeze()  # to look for garbage in all that is imported would stop everything for 60 ms now and then
    logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
    config = uvicorn.Config(
        app,
        http=Impatient,
        loop="asyncio",  # which takes `accepts` connections at a time; uvloop takes all there are
        access_log=False,  # paths carry tokens
        log_level="warning",
        server_header=False,
        proxy_headers=False,
        backlog=accepts,
        timeout_keep_alive=20,
        timeout_graceful_shutdown=3,
    )
    try:
        Server(config).run(sockets=[listening])
    finally:
        opened.close()


def _end_now() -> None:
    """What still hangs after a graceful end, such as a view that never returns, is ended: answers are on disk."""
    for child in multiprocessing.active_children():
        child.kill()
    os._exit(0)


def _allow_many_connections() -> None:
    """Systems allow a process few open files unless it asks for more."""
    try:
        import resource
    except ImportError:  # not on Windows
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 4 * MOST_CLIENTS if hard == resource.RLIM_INFINITY else min(hard, 4 * MOST_CLIENTS)
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    if sys.platform != "win32":  # where it would let another program take the port as well
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except OSError as error:
        listening.close()
        raise BadValue(f"port {port} of {host} cannot be used ({error.strerror}): choose another --port") from error
    listening.listen(BACKLOG)
    return listening
