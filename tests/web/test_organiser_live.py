"""What a server says about itself."""

from __future__ import annotations

import re

import numpy as np
import pytest
from starlette.testclient import TestClient

from steelyard.studies.open_study import OpenStudy
from steelyard.studies.rates import SLOTS, Rates
from steelyard.web.metrics import BUCKETS, Metrics, kind_of
from steelyard.web.shared import shared_by, shared_file

from .conftest import headers


def test_metrics_are_the_organisers_and_count(opened: OpenStudy, web: TestClient) -> None:
    token = opened.store.add_token("organiser")
    rater, own = opened.add_rater("Ada")
    assert web.get("/metrics").status_code == 401
    assert web.get("/metrics", headers=headers(own)).status_code == 403
    question = web.get("/api/v1/question", headers=headers(own)).json()["question"]["id"]
    web.post("/api/v1/answer", json={"question": question, "choice": "left"}, headers=headers(own))
    web.get("/static/style.css")
    response = web.get("/metrics", headers=headers(token))
    assert response.headers["content-type"].startswith("text/plain; version=0.0.4")
    text = response.text
    assert 'steelyard_events{kind="answer"} 1\n' in text
    assert 'steelyard_request_seconds_count{kind="answer"} 1\n' in text
    assert 'steelyard_request_seconds_count{kind="static"} 1\n' in text
    assert 'steelyard_request_seconds_bucket{kind="answer",le="+Inf"} 1\n' in text
    assert 'steelyard_responses_total{code="4xx"} 2\n' in text
    assert "steelyard_raters 1\n" in text
    assert "steelyard_live_runs 1\n" in text
    assert rater.name not in text
    for line in text.splitlines():
        assert re.fullmatch(r'# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{([a-z]+="[^"]*",?)+\})? [-+.e0-9]+', line), line


def test_workers_add_up_and_share_their_rates() -> None:
    with shared_file(2) as path:
        one, other = shared_by(path, 2), shared_by(path, 2)
        Metrics(one.counters, 0).observe("answer", 0.3, 200)
        second = Metrics(other.counters, 1)
        second.observe("answer", 0.02, 503)
        text = second.text({}, 0)
        assert 'steelyard_request_seconds_bucket{kind="answer",le="0.2"} 1\n' in text
        assert 'steelyard_request_seconds_bucket{kind="answer",le="0.5"} 2\n' in text
        assert 'steelyard_responses_total{code="5xx"} 1\n' in text
        Metrics(one.counters, 0).observe("answer", 0.3, 200)  # started again: it goes on counting
        assert 'steelyard_request_seconds_count{kind="answer"} 3\n' in second.text({}, 0)
        rates = [Rates(0.001, 3.0, shared.per_token) for shared in (one, other)]
        assert [rates[i % 2].allow("x") for i in range(4)] == [True, True, True, False]
        assert np.count_nonzero(one.per_stranger) == 0
        assert one.per_token.shape == (SLOTS, 2)


@pytest.mark.parametrize(
    ("method", "path", "kind"),
    [
        ("POST", "/s/TOKEN/answer", "answer"),
        ("POST", "/api/v1/answer", "answer"),
        ("GET", "/s/TOKEN", "page"),
        ("GET", "/view/KEY", "view"),
        ("GET", "/static/style.css", "static"),
        ("GET", "/o/TOKEN", "other"),
    ],
)
def test_requests_are_told_apart(method: str, path: str, kind: str) -> None:
    assert kind_of(method, path) == kind
    assert list(BUCKETS) == sorted(BUCKETS)


def test_health_says_what_is_wrong(opened: OpenStudy, web: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    assert web.get("/healthz").json() == {"ok": True}
    monkeypatch.setattr(opened.store.database, "problem", lambda: "the disk is full")
    response = web.get("/healthz")
    assert response.status_code == 503
    assert response.json() == {"ok": False, "problem": "the disk is full"}
