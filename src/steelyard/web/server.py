"""The process: opens the study, makes links, starts the server."""

import gc
import logging
import multiprocessing
import os
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable
from dataclasses import dataclass
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
"""How long a thread runs before others may: many that make pages must not keep out the one that takes requests."""
BACKLOG = 1024
FEW_ACCEPTED = 4
MOST_CLIENTS = 2000


@dataclass(frozen=True)
class Address:
    """Where a server listens (port 0 takes a free one), the path under which others see it, and the proxies whose word
    is taken for who asks. Other computers reach only a `public` one."""

    host: str = "127.0.0.1"
    port: int = 8321
    public: bool = False
    root: str = ""
    proxies: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.public and self.host not in ("127.0.0.1", "localhost", "::1"):
            raise BadValue(f"host must be this computer's own (127.0.0.1) without --public, got {self.host!r}")

    @property
    def hosts(self) -> tuple[str, ...] | None:
        """The names under which it may be called; None for any."""
        return None if self.public else LOOPBACK

    def listen(self) -> tuple[socket.socket, str]:
        """The socket, and what links begin with."""
        listening = socket.socket(socket.AF_INET6 if ":" in self.host else socket.AF_INET, socket.SOCK_STREAM)
        if sys.platform != "win32":  # where it would let another program take the port as well
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((self.host, self.port))
        except OSError as error:
            listening.close()
            raise BadValue(
                f"port {self.port} of {self.host} cannot be used ({error.strerror}): choose another --port"
            ) from error
        listening.listen(BACKLOG)
        host = f"[{self.host}]" if ":" in self.host else self.host
        return listening, f"http://{host}:{listening.getsockname()[1]}{self.root}"


def open_file(study: Study, data: str | Path, *, ahead: bool = True, workers: int = 1) -> OpenStudy:
    """The study with its database (a file, or a postgresql:// address), which is made if it is not there.

    `workers` is how many processes on this machine serve the study: they share its processors for thinking.

    Linear algebra is held to one thread from now on: the matrices are small, the server has threads of its own, and a
    log replayed with another number of threads may round otherwise.
    """
    threadpool_limits(limits=1, user_api="blas")
    opened = OpenStudy.open(study, open_store(data), ahead=ahead, thinkers=max(1, (os.cpu_count() or 1) // workers))
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
    address: Address,
    *,
    browser: bool = True,
    workers: int = 1,
    say: Callable[[str], None] = print,
) -> None:
    """Serve a study until interrupted. With several `workers`, processes that share the port, the study must have been
    opened by `open_file`; it is closed here and opened by each of them."""
    token = organiser_token(opened, address.public)
    listening, base = address.listen()
    if address.public:
        say(f"Listening at {base}. Links begin with the name by which others reach it.")  # no token: this may be a log
    else:
        mine = local_link(opened, base)
        say(f"Answer:    {mine}")
        say(f"Organiser: {base}/o/{token}")
    say(f"Answers are kept in {opened.store.name}. Stop with Ctrl+C; nothing is lost.")
    if browser and not address.public:
        webbrowser.open(mine)
    if workers == 1:
        run_app(opened, listening, make_app(opened, address.hosts, root=address.root, proxies=address.proxies))
        return
    opened.close()
    with shared_file(workers) as path:
        supervise(partial(_work, opened.study, opened.data, listening, address, path, workers), workers)


def serve_folder(folder: Path, address: Address, *, say: Callable[[str], None] = print) -> None:
    """Serve all studies in a folder, each under the name of its file, until interrupted."""
    studies = studies_in(folder)
    if not studies:
        raise BadValue(f"folder must contain at least one study, got {str(folder)!r}")
    listening, base = address.listen()
    opened, apps = [], {}
    try:
        for path, study in studies:
            one = open_file(study, path.with_suffix(".db"))
            opened.append(one)
            token = organiser_token(one, address.public)
            own = f"{address.root}/{path.stem}"
            apps[path.stem] = make_app(one, address.hosts, root=own, proxies=address.proxies)
            say(f"{study.title}: {base}/{path.stem}" + (f"/o/{token}" if token and not address.public else ""))
        say(f"Listening at {base}. Stop with Ctrl+C; nothing is lost.")
        run_app(opened[0], listening, Several(apps, address.root))
    finally:
        for one in opened[1:]:
            one.close()


def _work(
    study: Study, data: str, listening: socket.socket, address: Address, path: str, workers: int, number: int
) -> None:
    """One of several workers."""
    opened = open_file(study, data, workers=workers)
    shared = shared_by(path, workers)
    opened.per_token.share(shared.per_token)
    opened.per_stranger.share(shared.per_stranger)
    app = make_app(opened, address.hosts, Metrics(shared.counters, number), address.root, address.proxies)
    run_app(opened, listening, app, accepts=FEW_ACCEPTED)


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
