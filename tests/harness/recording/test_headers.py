from __future__ import annotations

import json

import pytest

from agent.providers.base_url import KEY_QUERY
from harness.recording.bodies import BodyLog
from harness.recording.headers import (
    header_secrets,
    header_value,
    recorded_headers,
    recorded_url,
    url_secrets,
)
from harness.recording.reader import RecordReader
from harness.recording.records import body_record
from harness.recording.writer import Writer
from harness.redaction.redactor import Redactor
from tests.shared import SHARED, needs_shared

KEY = "TESTKEY-AAAA-1111"


def test_what_is_not_listed_is_not_recorded():
    headers = [
        ("Content-Type", "text/event-stream"), ("X-Api-Key", KEY), ("Set-Cookie", "a=b"), ("OpenAI-Organization", "o"),
        ("X-RateLimit-Remaining-Tokens", "99"), ("anthropic-ratelimit-requests-limit", "5"), ("X-New-Secret", KEY),
        ("Retry-After", "2"), ("x-request-id", f"req {KEY}"),
        ("Location", f"https://h/p?key={KEY}&alt=sse"),
    ]  # fmt: skip
    assert recorded_headers(headers, Redactor({"K": KEY})) == [
        ["Content-Type", "text/event-stream"],
        ["X-RateLimit-Remaining-Tokens", "99"],
        ["anthropic-ratelimit-requests-limit", "5"],
        ["Retry-After", "2"],
        ["x-request-id", "req [redacted:key:1]"],
        ["Location", "https://h/p?alt=sse"],
    ]


def test_header_value():
    assert header_value([("Content-Type", "a"), ("content-type", "b")], "content-type") == "a"
    assert header_value([], "content-type") is None


@pytest.mark.parametrize(
    ("url", "recorded"),
    [
        ("https://h/p?alt=sse&key=" + KEY, "https://h/p?alt=sse"),
        ("https://h/p?KEY=x&b=%20+&a=1", "https://h/p?b=%20+&a=1"),
        ("https://h/p?api%5Fkey=x", "https://h/p"),
        ("https://user:passpass@h:8/p", "https://h:8/p"),
        ("https://h/p?", "https://h/p"),
        (f"https://h/{KEY}/p?x={KEY}", "https://h/[redacted:key:1]/p?x=[redacted:key:1]"),
        ("https://h/v1/chat/completions", "https://h/v1/chat/completions"),
        ("https://[::1]:80/p?a=b&&c", "https://[::1]:80/p?a=b&&c"),
    ],
)
def test_urls(url, recorded):
    assert recorded_url(url, Redactor({"K": KEY})) == recorded


@pytest.mark.parametrize(
    ("name", "value", "secrets"),
    [
        ("Authorization", "Bearer abc", ["abc"]),
        ("authorization", "abc", ["abc"]),
        ("Proxy-Authorization", "Basic VEVTVA==", ["VEVTVA=="]),
        ("authorization", "Basic dXNlcjpwYXNzd29yZA==", ["dXNlcjpwYXNzd29yZA==", "password"]),
        ("authorization", "Basic ?", ["?"]),
        ("x-api-key", "abc", ["abc"]),
        ("X-Goog-Api-Key", "abc", ["abc"]),
        ("api-key", " abc ", ["abc"]),
        ("x-portkey-auth", "abc", ["abc"]),
        ("x-session-token", "abc", ["abc"]),
        ("cookie", "lang=english; sid=0123456789abcdef", ["0123456789abcdef"]),
        ("set-cookie", "sid=0123456789abcdef; Path=/0123456789abcdefgh", ["0123456789abcdef"]),
        ("x-ratelimit-reset-token", "abc", []),
        ("idempotency-key", "abc", []),
        ("x-author", "abc", []),
        ("x-monkey", "abc", []),
        ("user-agent", "abc", []),
    ],
)
def test_header_secrets(name, value, secrets):
    assert header_secrets([(name, value)]) == secrets


def test_url_secrets():
    assert url_secrets("https://u:p%40ss@h/p?alt=sse&key=a%2Bb+c") == ["a+b c", "p@ss"]
    assert header_secrets([("x-api-key", "abc")], "https://h/p?token=t") == ["abc", "t"]
    assert all(name == name.lower() for name in KEY_QUERY)


@needs_shared
def test_the_handed_case_leaves_no_secret_in_the_file(tmp_path):
    case = json.loads((SHARED / "cases/56-cassette-secrets.json").read_text())
    expected = json.loads((SHARED / "cases/56-cassette-secrets.expect.json").read_text())["expected"]
    request, response = case["request"], case["response"]
    redactor = Redactor()
    for secret in header_secrets([*map(tuple, request["headers"])], request["url"]):
        redactor.learn(secret)
    body = json.dumps({"contents": "my key is TESTKEY-CCCC-3333"}).encode()
    path = tmp_path / "x.jsonl"
    with Writer.create(path) as writer:
        writer.write([{"kind": "header", "format": "trajectory", "version": 1}])
        writer.write(
            [
                {
                    "kind": "request", "call": 0, "method": request["method"],
                    "url": recorded_url(request["url"], redactor),
                    "headers": recorded_headers(request["headers"], redactor),
                    **BodyLog().fields(0, redactor.bytes(body)),
                },
                {
                    "kind": "response", "call": 0, "status": response["status"],
                    "headers": recorded_headers(response["headers"], redactor),
                },
                body_record(0, 0, redactor.bytes(response["body_text"].encode())),
            ]
        )  # fmt: skip
    text = path.read_text()
    for secret in expected["file_must_not_contain"]:
        assert secret not in text
    for kept in expected["file_must_contain"]:
        assert kept in text
    assert len(list(RecordReader(path))) == 4
