"""A secret in base64 never reaches the file, wherever it stands and wherever it is split; the replay still matches."""

from __future__ import annotations

import base64
import json
import re

import httpx
import pytest

import harness
from harness.recorder.recorder import Recorder
from harness.redaction.finder import Finder
from harness.redaction.redactor import Redactor
from harness.redaction.scan import scan_file
from harness.replaying.replayer import replay_recording
from tests.harness.leaky import leaky_session
from tests.harness.planted import KINDS, LEADS, SECRETS, WIRES, pieces, record, redactor, rule_of, stream
from tests.harness.test_secrets import replayed, request_with, texts
from tests.harness.transports import Reply, Scripted

KNOWN = ["key", "learned", "cookie"]
BEFORE = {0: "users:", 1: "user=1:", 2: "user:"}
"""What is encoded before a secret: it moves it to each of its three places."""
LINES = {"plain": base64.b64encode, "url-safe": base64.urlsafe_b64encode, "lines": base64.encodebytes}


def encoded(name: str, place: int = 0, coder: str = "plain", before: bytes = b"") -> str:
    data = before + f"{BEFORE[place]}{LEADS.get(name, '')}{SECRETS[name]}, ok?>>".encode()
    return LINES[coder](data).decode().strip()


def leaks(data: bytes, name: str) -> list[bytes]:
    """What base64 in a file, its lines joined and read from any character on, still holds of a secret: half of it."""
    secret = SECRETS[name].encode()
    half = [secret[: len(secret) // 2 + 1], secret[len(secret) // 2 :]]
    found = []
    for text in (data, re.sub(rb"\\+[nr]|\\", b"", data)):
        for run in {*re.findall(rb"[A-Za-z0-9+/_-]{8,}", text)}:
            for skipped in range(4):
                rest = run[skipped:].translate(bytes.maketrans(b"-_", b"+/"))
                read = base64.b64decode(rest[: len(rest) // 4 * 4])
                found += [part for part in half if part in read]
    return found


def rules_for(name: str) -> Redactor:
    """With the user's rule only for what it finds: it makes every text wait, also those with other secrets."""
    return redactor(user_rules=name == "badge")


def shown(name: str, number: int = 1) -> str:
    return f"[redacted:{rule_of(name)}:{number}]"


@pytest.mark.parametrize("name", SECRETS)
def test_the_check_sees_what_is_there(name):
    for place in BEFORE:
        for coder in LINES:
            text = encoded(name, place, coder)
            assert leaks(json.dumps(text).encode(), name)
            assert shown(name) in rules_for(name).text(text)
            assert not leaks(rules_for(name).text(text).encode(), name)


@pytest.mark.parametrize("name", SECRETS)
@pytest.mark.parametrize(("wire", "place"), [*zip(WIRES, (0, 1, 2, 1), strict=True)])
def test_a_session(tmp_path, wire, place, name):
    """In the prompt, split in a tool call's arguments, in the output of tools, split in the text of the answer."""
    text = encoded(name, place)
    path = leaky_session(tmp_path, wire, text, len(text) // 2, rules_for(name))
    data = path.read_bytes()
    assert leaks(data, name) == []
    recording = harness.open(path, strict=True)
    assert shown(name) in texts(recording)
    found = replay_recording(path)
    assert (found.status, found.reason) == ("pass", None)
    assert scan_file(path, Finder([SECRETS["key"], SECRETS["learned"], SECRETS["cookie"]])).findings == []


@pytest.mark.parametrize("coder", LINES)
@pytest.mark.parametrize("name", SECRETS)
def test_a_request_and_its_answer(tmp_path, name, coder):
    """Also as credentials, in a data URL, and as a JSON body that is encoded as a whole; equal placeholders."""
    whole = {
        "text": encoded(name, 1, coder),
        "basic": f"Basic {encoded(name, 2, coder)}",
        "data": f"data:text/plain;base64,{encoded(name, 0, coder)}",
        "body": LINES[coder](json.dumps({"a": [LEADS.get(name, "") + SECRETS[name]], "b": 1}).encode()).decode(),
        "plain": LEADS.get(name, "") + SECRETS[name],
    }
    url = "https://api.test/v1/x?see=" + encoded(name, 2, "url-safe").rstrip("=")
    answer = "".join(f"{key} is {text}, " for key, text in whole.items())
    reply = Reply(
        stream("openai-chat", "text", [answer, "done"]),
        headers=(("location", f"https://x/{encoded(name, 1, 'url-safe')}"), ("x-request-id", encoded(name))),
    )
    sent = json.dumps(whole)
    found = record(tmp_path / "r.jsonl", "openai-chat", reply, rules_for(name), request_with(sent, "", url))
    assert leaks(found.data, name) == []
    numbers = set(re.findall(rb"\[redacted:[a-z_]+:[0-9]+\]", found.data))
    assert shown(name).encode() in numbers
    if name not in ("bearer", "private_key"):  # as JSON they are written with escapes, or read on
        assert numbers == {shown(name).encode()}
        assert found.text("text").count(shown(name)) == len(whole)
    replayed(found, request_with(sent, "", url), rules_for(name))


@pytest.mark.parametrize("content_type", ["application/json", "text/html"])
@pytest.mark.parametrize("name", SECRETS)
def test_error_bodies_and_exceptions(tmp_path, name, content_type):
    for place in BEFORE:
        text = encoded(name, place)
        body = json.dumps({"error": {"message": f"wrong: Basic {text} given", "n": 1}}).encode()
        for cut in range(body.index(text.encode()), len(body), 1 if name in ("key", "openai") else 11):
            reply = Reply([body[:cut], body[cut:]], 401, content_type, end=("ReadError", f"reset at {text}"))
            found = record(tmp_path / "r.jsonl", "openai-chat", reply, rules_for(name))
            assert leaks(found.data, name) == []
            assert found.call.body().count(b"[redacted:") == 1
            json.loads(found.call.body())
    refused = Reply(refused=("ConnectError", f"no route: {text}"))
    with pytest.raises(httpx.ConnectError), Recorder(tmp_path / "s.jsonl", redactor=rules_for(name)) as recorder:
        recorder.transport(Scripted([refused])).handle_request(request_with(text, ""))
    assert leaks((tmp_path / "s.jsonl").read_bytes(), name) == []


@pytest.mark.parametrize("name", KNOWN)
@pytest.mark.parametrize("wire", WIRES)
def test_values_twice_encoded(tmp_path, wire, name):
    """In a request, and in an answer in one piece."""
    for inner in BEFORE:
        for outer, coder in enumerate(LINES):
            text = LINES[coder](b"x" * outer + encoded(name, inner).encode() + b"?").decode()
            reply = Reply(stream(wire, "text", ["so: ", f"it is {text}, ", "ok"]))
            found = record(tmp_path / "r.jsonl", wire, reply, rules_for(name), request_with(f"see {text}", ""))
            expected = rules_for(name).text(text)
            assert expected.count(shown(name)) == 1
            assert found.text("text") == f"so: it is {expected}, ok"
            replayed(found, request_with(f"see {text}", ""), rules_for(name))


def check(path, wire, kind, name, text, all_cuts):
    """A text many times in one stream, each time cut elsewhere."""
    if kind == "arguments":
        parts = ['{"a":["x ']
        for cuts in all_cuts:
            parts += ["", *pieces(json.dumps(text)[1:-1], cuts), '", "x ']
        parts.append('"]}')
    else:
        parts = [part for cuts in all_cuts for part in ("one ", *pieces(text, cuts), " two ")]
    frames = stream(wire, kind, parts)
    found = record(path / "r.jsonl", wire, Reply(frames), rules_for(name))
    assert leaks(found.data, name) == []
    expected = rules_for(name).text(text)
    assert expected.count("[redacted:") == 1
    if kind != "arguments":
        assert found.text(kind) == f"one {expected} two " * len(all_cuts)
    elif wire != "gemini":
        assert found.arguments() == [{"a": [*[f"x {expected}"] * len(all_cuts), "x "]}]
    assert len(found.call.frames) == len(frames)


@pytest.mark.parametrize("name", SECRETS)
@pytest.mark.parametrize(
    ("wire", "kind", "place"),
    [
        *((WIRES[0], kind, place) for kind in KINDS for place in BEFORE),
        *((w, kind, 2) for w in WIRES[1:] for kind in KINDS),
    ],
)
def test_at_every_byte(tmp_path, wire, kind, place, name):
    text = encoded(name, place)
    check(tmp_path, wire, kind, name, text, [[cut] for cut in range(len(text) + 1)])


@pytest.mark.parametrize("coder", LINES)
@pytest.mark.parametrize("name", [*KNOWN, "badge"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("wire", WIRES)
def test_values_over_many_frames(tmp_path, wire, kind, name, coder):
    """However small the pieces, and where the base64 is broken into lines."""
    for place in BEFORE:
        text = encoded(name, place, coder, b"words that go before, and many of them " if coder == "lines" else b"")
        length = len(json.dumps(text)) - 2 if kind == "arguments" else len(text)
        check(tmp_path, wire, kind, name, text, [[*range(step, length, step)] for step in (1, 2, 3, 5, 16)])


def test_a_long_value(tmp_path):
    """As long as tokens of identity providers are."""
    value = "".join(f"{number:x}" for number in range(1000, 1900))
    rules = Redactor({"K": value})
    text = base64.b64encode(f"it: {value}.".encode()).decode()
    expected = rules.text(text)
    assert expected.count("[redacted:key:1]") == 1
    for step in (7, 300, 1000):
        found = record(
            tmp_path / "r.jsonl",
            "openai-chat",
            Reply(stream("openai-chat", "text", pieces(text, range(step, len(text), step)))),
            rules,
        )
        assert found.text("text") == expected
