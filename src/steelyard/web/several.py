"""Several studies on one server: each under the name of its file."""

import json

from steelyard.web.security import App, Receive, Scope, Send


class Several:
    """Sends `/name/...` to the study of that name."""

    def __init__(self, apps: dict[str, App], root: str = "") -> None:
        self.apps, self.root = apps, root

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await next(iter(self.apps.values()))(scope, receive, send)
            return
        path = scope["path"]
        if self.root and (path + "/").startswith(f"{self.root}/"):
            path = path[len(self.root) :]
        name, _, rest = path.lstrip("/").partition("/")
        if name in self.apps:
            await self.apps[name]({**scope, "path": f"/{rest}", "raw_path": b""}, receive, send)
        elif path == "/healthz":
            await next(iter(self.apps.values()))({**scope, "path": path, "raw_path": b""}, receive, send)
        else:
            body = json.dumps({"error": "please open the link you were given"}).encode()
            headers = [(b"content-type", b"application/json"), (b"content-security-policy", b"default-src 'none'")]
            await send({"type": "http.response.start", "status": 404, "headers": headers})
            await send({"type": "http.response.body", "body": body})
