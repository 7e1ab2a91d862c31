"""Tune a prompt with a language model as the judge: five parts of the prompt (categories) and two numbers.

    python examples/llm_judge.py                      # against a simulated model, in this process
    OPENAI_BASE_URL=https://... OPENAI_API_KEY=... OPENAI_MODEL=... python examples/llm_judge.py

The judge speaks the protocol of OpenAI's chat completions, which most servers of language models understand. It is
asked about many pairs at once, failed calls are repeated, the sides are shuffled, and every answer is in
`answers.jsonl` before the method hears it: stop it with Ctrl-C and start it again, and no call is paid for twice.
"""

from __future__ import annotations

import json
import os
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np

import steelyard
from steelyard import Concurrent, Parameter, Space, Verdict

SPACE = Space(
    (
        Parameter("role", categories=("none", "teacher", "expert")),
        Parameter("tone", categories=("plain", "warm", "formal")),
        Parameter("form", categories=("prose", "list", "steps")),
        Parameter("example", categories=("no", "yes")),
        Parameter("closing", categories=("none", "summary", "question")),
        Parameter("words", 30, 300, integer=True, scale="log"),
        Parameter("temperature", 0.0, 1.5),
    )
)

Setting = dict[str, Any]


class ModelJudge:
    """Asks a chat model which of two ways to answer is better; `prefer` for `minimize`."""

    def __init__(self, base_url: str, model: str = "judge", key: str = "", price: float = 1e-6) -> None:
        self.url, self.model, self.key, self.price = f"{base_url}/chat/completions", model, key, price

    def __call__(self, s: Setting, t: Setting) -> Verdict:
        question = "Which instruction gives the better answer? Reply with A, B or SAME.\n"
        body = {
            "model": self.model,
            "temperature": 0,
            "messages": [{"role": "user", "content": f"{question}A: {json.dumps(s)}\nB: {json.dumps(t)}"}],
        }
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self.key}"}
        request = urllib.request.Request(self.url, json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=30) as response:
            said = json.load(response)
        word = said["choices"][0]["message"]["content"].strip().upper()
        tokens = said.get("usage", {}).get("total_tokens", 0)
        return Verdict({"A": 1, "B": -1, "SAME": 0}[word], cost=tokens * self.price)


def main(base_url: str | None = None, log: str = "answers.jsonl", budget: int = 150) -> Setting:
    """Tune through the endpoint at `base_url`, or that of the environment, or a simulated one."""
    base_url = base_url or os.environ.get("OPENAI_BASE_URL")
    server = None if base_url else SimulatedModel()
    judge = Concurrent(
        ModelJudge(
            base_url or server.url, os.environ.get("OPENAI_MODEL", "judge"), os.environ.get("OPENAI_API_KEY", "")
        ),
        workers=8,
        timeout=5.0,
        retries=6,
        backoff=0.05,
        max_cost=2.0,
    )
    try:
        result = steelyard.minimize(judge, SPACE, budget=budget, method="scobo,m=8", rng=0, log=log)
    finally:
        if server is not None:
            server.close()
    print(f"{result.message}; {result.calls} calls, {judge.failures} of them failed, cost {result.cost:.4f}")
    print(f"the side shown first won {result.first_share:.0%} of the time; {result.settings}")
    return result.settings


# --- a simulated model, for trying this out and for the tests


IDEAL = {"role": "teacher", "tone": "warm", "form": "steps", "example": "yes", "closing": "summary"}


def fault(setting: Setting) -> float:
    """What the simulated model dislikes about a setting."""
    wrong = sum(setting[name] != value for name, value in IDEAL.items())
    return wrong + abs(np.log(setting["words"] / 90.0)) + abs(setting["temperature"] - 0.6)


class SimulatedModel:
    """A server on this machine that answers as a chat model would: slow, partial to A, and away one time in ten."""

    def __init__(self, delay: float = 0.003, port: int = 0) -> None:
        lock, self.asked, self.answered = threading.Lock(), 0, []
        model = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                lines = body["messages"][-1]["content"].splitlines()
                a, b = (json.loads(line[3:]) for line in lines[1:3])
                with lock:
                    model.asked += 1
                    number = model.asked
                time.sleep(delay * (1 + number % 3))
                if number % 10 == 7:
                    self.send_error(503, "overloaded")
                    return
                liking = fault(b) - fault(a) + 0.15  # A is read with more good will
                word = "no idea, sorry" if number % 40 == 11 else "A" if liking > 0 else "B"
                with lock:
                    if word in "AB":
                        model.answered.append(json.dumps([a, b], sort_keys=True))
                message = {"role": "assistant", "content": word}
                reply = {"choices": [{"index": 0, "message": message}], "usage": {"total_tokens": 120}}
                content = json.dumps({"id": f"chat-{number}", "object": "chat.completion", **reply}).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: object) -> None:
                """Quiet."""

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


if __name__ == "__main__":
    main()
