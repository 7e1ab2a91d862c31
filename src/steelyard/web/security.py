"""What every request passes through: headers, origins, hosts, sizes and rates.

Links carry the right to act in their path and no cookie is ever set, so another site has nothing to borrow; that
posts must come from our own pages is a second wall. Nothing here writes a path to a log: paths carry tokens.
"""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

MOST_BODY = 64 * 2**10
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")

PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; frame-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
    "cache-control": "no-store",
    "content-security-policy": PAGE_POLICY,
}


def view_policy(scripts: bool) -> str:
    """The rights of a candidate's own page: none, and an origin that is nobody's; scripts only if the study says so."""
    # Without scripts our own page may look into it, to scroll both sides in step; it can still do nothing itself.
    rights = ("sandbox allow-scripts", "script-src 'unsafe-inline'; ") if scripts else ("sandbox allow-same-origin", "")
    return (
        f"{rights[0]}; default-src 'none'; {rights[1]}style-src 'unsafe-inline'; img-src data:; media-src data:; "
        "font-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
    )


class RequestGuard:
    """Wraps the application: refuses what no page of ours would send, and hardens what goes out."""

    def __init__(self, app: App, hosts: tuple[str, ...] | None, root: str = "", proxies: tuple[str, ...] = ()) -> None:
        self.app = app
        self.hosts = hosts  # None: any, for a public server behind whatever name
        self.root, self.proxies = root, proxies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_hardened(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        scope = behind_proxy(scope, self.proxies)
        if self.root and (scope["path"] + "/").startswith(f"{self.root}/"):  # a proxy may leave it or take it away
            scope = {**scope, "path": scope["path"][len(self.root) :] or "/", "raw_path": b""}
        refusal = self._refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, send_hardened)
            return
        await self.app(scope, _Counted(receive).receive, send_hardened)

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if self.hosts is not None and _without_port(host) not in self.hosts:
            return _refuse(403, "this server answers only under its own name")
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > MOST_BODY:
            return _refuse(413, f"a request must be at most {MOST_BODY} bytes")
        if scope["method"] not in ("GET", "HEAD", "OPTIONS"):
            own = headers.get("origin", f"://{host}").partition("://")[2] == host
            if not own or headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
                return _refuse(403, "requests that change something must come from this server's own pages")
        return None


def behind_proxy(scope: Scope, proxies: tuple[str, ...]) -> Scope:
    """The request as the visitor sent it, if it comes through a proxy whose word is taken."""
    client = scope.get("client")
    if not proxies or client is None or client[0] not in proxies:
        return scope
    headers = Headers(scope=scope)
    changed = dict(scope)
    scheme = headers.get("x-forwarded-proto", "").lower()
    if scheme in ("http", "https"):
        changed["scheme"] = scheme
    host = headers.get("x-forwarded-host", "")
    if host:
        others = [(name, value) for name, value in scope["headers"] if name != b"host"]
        changed["headers"] = [*others, (b"host", host.encode("latin-1", "replace"))]
    # Each proxy adds whom it heard from at the end: the last one that is no proxy of ours is the visitor.
    for address in reversed([part.strip() for part in headers.get("x-forwarded-for", "").split(",") if part.strip()]):
        changed["client"] = (address, 0)
        if address not in proxies:
            break
    return changed


class _Counted:
    """A body that may have come without a length is counted as it comes."""

    def __init__(self, receive: Receive) -> None:
        self._receive, self._bytes = receive, 0

    async def receive(self) -> MutableMapping[str, Any]:
        message = await self._receive()
        self._bytes += len(message.get("body", b""))
        if self._bytes > MOST_BODY:
            raise HTTPException(413, f"a request must be at most {MOST_BODY} bytes")
        return message


def _refuse(status: int, error: str) -> Response:
    return JSONResponse({"error": error}, status)


def _without_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdecimal() else host
