from __future__ import annotations

import pytest

from agent.retry_after import from_body, from_headers

DATE = ("date", "Sun, 06 Nov 1994 08:49:07 GMT")


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        pytest.param([], None, id="nothing"),
        pytest.param([("Retry-After", "20")], 20, id="seconds, any case"),
        pytest.param([("retry-after", " 1.5 ")], 1.5, id="fraction"),
        pytest.param([("retry-after", "0")], 0, id="zero"),
        pytest.param([("retry-after-ms", "1500"), ("retry-after", "9")], 1.5, id="milliseconds first"),
        pytest.param([("retry-after-ms", "x"), ("retry-after", "9")], 9, id="unreadable milliseconds"),
        pytest.param([("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT"), DATE], 30, id="date"),
        pytest.param([("retry-after", "Sunday, 06-Nov-94 08:49:37 GMT"), DATE], 30, id="RFC 850 date"),
        pytest.param([("retry-after", "Sun Nov  6 08:49:37 1994"), DATE], 30, id="asctime date"),
        pytest.param([("retry-after", "Sun, 06 Nov 1994 08:00:00 GMT"), DATE], 0, id="date gone by"),
        pytest.param([("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT")], None, id="date without a Date header"),
        pytest.param([("retry-after", "soon")], None, id="words"),
        pytest.param([("retry-after", "-5")], None, id="negative"),
        pytest.param([("retry-after", "nan")], None, id="not a number"),
        pytest.param([("retry-after", "1e3")], None, id="exponent"),
    ],
)
def test_headers(headers, seconds):
    assert from_headers(headers) == seconds


def google(delay):
    kind = "type.googleapis.com/google.rpc.RetryInfo"
    return {"error": {"code": 429, "details": [{"@type": "x"}, {"@type": kind, "retryDelay": delay}]}}


@pytest.mark.parametrize(
    ("body", "seconds"),
    [
        pytest.param(google("34s"), 34, id="google"),
        pytest.param([google("34.07s")], 34.07, id="google list, fraction"),
        pytest.param(google({"seconds": "3", "nanos": 500_000_000}), 3.5, id="object"),
        pytest.param(google("x"), None, id="unreadable"),
        pytest.param(google(None), None, id="null"),
        pytest.param({"error": {"message": "m"}}, None, id="nothing"),
        pytest.param(None, None, id="no JSON"),
        pytest.param("34s", None, id="a string"),
    ],
)
def test_bodies(body, seconds):
    assert from_body(body) == seconds


def test_deep_bodies():
    deep: object = google("1s")
    for _ in range(500):
        deep = {"error": deep}
    assert from_body(deep) is None
