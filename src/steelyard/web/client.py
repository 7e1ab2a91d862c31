"""A Python client of the HTTP API, for apps that ask their own users.

>>> organiser = Client("http://127.0.0.1:8321", organiser_token)
>>> person = organiser.create_run("Ada")
>>> state = person.question()
>>> while state["status"] == "asking":
...     state = person.answer(state["question"]["id"], "left")
>>> person.result()["best"]
"""

from __future__ import annotations

import time
from types import TracebackType
from typing import Any

import httpx


class ApiError(RuntimeError):
    """The server refused; `status` is its HTTP status."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"{message} (status {status})")
        self.status = status


class Client:
    """Calls the API with one token. A request that got no reply is sent again, which counts once in any case."""

    def __init__(self, url: str, token: str, *, patience: float = 30.0, http: httpx.Client | None = None) -> None:
        self.url, self.token, self.patience = url.rstrip("/"), token, patience
        self._http = http or httpx.Client(timeout=30.0)

    def create_run(self, name: str = "") -> Client:
        """A new rater: a client with a token of its own."""
        made = self._call("POST", "/runs", {"name": name}, again=False)
        return Client(self.url, made["token"], patience=self.patience, http=self._http)

    def study(self) -> dict[str, Any]:
        return self._call("GET", "/study")

    def question(self) -> dict[str, Any]:
        """The state: `status` (asking, waiting, finished), `question` with both sides, `undo`, `progress`."""
        return self._call("GET", "/question")

    def answer(self, question: str, choice: str) -> dict[str, Any]:
        """Answer left, right, tie or skip; the next state comes back, and the answer is on the server's disk."""
        return self._call("POST", "/answer", {"question": question, "choice": choice})

    def undo(self, question: str) -> dict[str, Any]:
        return self._call("POST", "/undo", {"question": question})

    def finish(self) -> dict[str, Any]:
        return self._call("POST", "/finish", {})

    def more(self, answers: int) -> dict[str, Any]:
        return self._call("POST", "/more", {"answers": answers}, again=False)

    def check(self) -> dict[str, Any]:
        return self._call("GET", "/check")

    def answer_check(self, question: str, choice: str) -> dict[str, Any]:
        return self._call("POST", "/check", {"question": question, "choice": choice})

    def result(self) -> dict[str, Any]:
        return self._call("GET", "/result")

    def results(self) -> dict[str, Any]:
        """All raters' results: the organiser's."""
        return self._call("GET", "/results")

    def view(self, path: str) -> bytes:
        """A rendered candidate: the `view` of a side of a question."""
        response = self._http.get(self.url + path)
        if response.status_code != 200:
            raise ApiError(response.status_code, "this candidate cannot be shown")
        return response.content

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _call(self, method: str, path: str, body: dict[str, Any] | None = None, again: bool = True) -> dict[str, Any]:
        """One request; `again` says that it may be repeated while the server or its database cannot be reached."""
        until = time.monotonic() + self.patience
        wait = 0.05
        while True:
            try:
                response = self._http.request(
                    method, f"{self.url}/api/v1{path}", json=body, headers={"authorization": f"Bearer {self.token}"}
                )
                if response.status_code != 503 or not again or time.monotonic() + wait > until:
                    break
            except httpx.TransportError:
                if not again or time.monotonic() + wait > until:
                    raise
            time.sleep(wait)
            wait = min(2.0 * wait, 0.5)
        data: dict[str, Any] = response.json()
        if response.status_code >= 400:
            raise ApiError(response.status_code, data.get("error", "the server refused"))
        return data
