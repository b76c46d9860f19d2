"""Secrets in every place where one can stand: none is in the file, and the recording replays all the same."""

from __future__ import annotations

import asyncio
import base64
import json
from urllib.parse import quote

import httpx
import pytest

import harness
from agent.loop_types import LoopEvent
from agent.messages import user
from harness.recorder.recorder import Recorder
from harness.redaction.redactor import Redactor
from harness.replaying.replay_transport import ReplayTransport
from harness.replaying.replayer import replay_recording
from tests.harness.leaky import answer, leaky_session
from tests.harness.planted import LEADS, SECRETS, WIRES, held_in, record, redactor, stream
from tests.harness.transports import Reply, Scripted
from tests.shared import SHARED, needs_shared

PLAIN = [name for name in SECRETS if "\n" not in SECRETS[name] and SECRETS[name].isascii()]
"""Those that can stand in a header or a URL."""


def planted(name: str) -> str:
    return LEADS.get(name, "") + SECRETS[name]


@pytest.mark.parametrize("name", SECRETS)
@pytest.mark.parametrize("wire", WIRES)
def test_a_session(tmp_path, wire, name):
    """In the prompt, split in a tool call's arguments, in the output of tools, split in the text of the answer."""
    secret = planted(name)
    for cut in (1, len(secret) // 2, len(secret) - 1) if name == "openai" else (len(secret) // 3,):
        folder = tmp_path / str(cut)
        folder.mkdir()
        path = leaky_session(folder, wire, secret, cut, redactor())
        assert held_in(path.read_bytes(), [SECRETS[name]]) == []
        recording = harness.open(path, strict=True)
        assert f"The token is {LEADS.get(name, '')}[redacted:" in texts(recording)
        found = replay_recording(path)
        assert (found.status, found.reason) == ("pass", None)


def texts(recording):
    return "".join(event["text"] for call in recording.calls for event in call.events if event["type"] == "text")


def request_with(secret: str, header: str = "authorization", url: str = "https://api.test/v1/chat/completions"):
    messages = [
        {"role": "system", "content": f"Use {secret} for calls."},
        {"role": "user", "content": [{"type": "text", "text": f"My key: {secret}"}]},
        {"role": "assistant", "tool_calls": [
            {"id": "c", "type": "function", "function": {"name": "f", "arguments": json.dumps({"k": secret})}},
        ]},
        {"role": "tool", "tool_call_id": "c", "content": json.dumps([f"KEY={secret}", {secret: secret}])},
    ]  # fmt: skip
    tools = [{"type": "function", "function": {"name": "f", "parameters": {"properties": {"k": {"default": secret}}}}}]
    headers = {header: secret} if header else {}
    return httpx.Request("POST", url, headers=headers, json={"model": "m", "messages": messages, "tools": tools})


def replayed(recorded, request, rules):
    """The answer of the recording to the live request."""
    transport = ReplayTransport(harness.open(recorded.path).calls, redactor=rules)
    response = transport.handle_request(request)
    assert b"".join(response.stream) == recorded.call.body()
    assert transport.unused == []


@pytest.mark.parametrize("name", SECRETS)
@pytest.mark.parametrize("wire", WIRES)
def test_a_request_and_its_answer(tmp_path, wire, name):
    secret = planted(name)
    reply = Reply(
        stream(wire, "text", [f"It is {secret[:3]}", f"{secret[3:]}, ", secret, " and ", secret]),
        headers=(("location", "https://x/?k=" + quote(secret)), ("x-request-id", quote(secret))),
    )
    path = tmp_path / "r.jsonl"
    found = record(path, wire, reply, redactor(), request_with(secret, ""))
    assert held_in(found.data, [SECRETS[name]]) == []
    shown = found.text("text").removeprefix("It is ").split(", ")[0]
    assert shown.endswith(":1]")
    assert found.text("text") == f"It is {shown}, {shown} and {shown}"
    assert shown in json.dumps(found.call.request.body)
    replayed(found, request_with(secret, ""), redactor())


PLACES = {
    "authorization": lambda s: {"headers": {"authorization": f"Bearer {s}"}},
    "basic": lambda s: {"headers": {"Authorization": "Basic " + base64.b64encode(f"user:{s}".encode()).decode()}},
    "proxy": lambda s: {"headers": {"Proxy-Authorization": f"Token {s}"}},
    "x-api-key": lambda s: {"headers": {"X-API-Key": s}},
    "x-goog-api-key": lambda s: {"headers": {"x-goog-api-key": s}},
    "own header": lambda s: {"headers": {"x-my-secret": s}},
    "cookie": lambda s: {"headers": {"Cookie": f"a=b; session={s}0123456789"}},
    "query": lambda s: {"url": f"https://api.test/v1/x?alt=sse&key={quote(s, safe='')}"},
    "user info": lambda s: {"url": f"https://user:{quote(s, safe='')}@api.test/v1/x"},
    "user agent": lambda s: {"headers": {"user-agent": f"curl Bearer {s}"}},
}


@pytest.mark.parametrize("place", PLACES)
def test_keys_that_a_request_carries(tmp_path, place):
    """They are not recorded there, and not where they come again."""
    secret = "q7TESTKEY" + "0Value,9" if place != "user agent" else SECRETS["openai"]
    shown = secret + "0123456789" if place == "cookie" else secret
    more = PLACES[place](secret)
    path = tmp_path / "r.jsonl"

    def request():
        url = more.get("url", "https://api.test/v1/x?alt=sse")
        return httpx.Request("POST", url, headers=more.get("headers"), json={"p": f"see {shown}"})

    error = json.dumps({"error": {"message": f"Incorrect key: {shown}", "type": "auth"}}).encode()
    found = record(path, "openai-chat", Reply([error[:40], error[40:]], 401, "application/json"), Redactor(), request())
    assert held_in(found.data, [secret]) == []
    assert found.call.events[0]["kind"] == "auth"
    assert "[redacted:" in found.call.events[0]["message"]
    replayed(found, request(), Redactor())


def test_cookies_that_are_set(tmp_path):
    value = "s3t" + "-cookie-0123456789"
    frames = stream("openai-chat", "text", ["it is ", value[:4], value[4:]])
    found = record(
        tmp_path / "r.jsonl", "openai-chat", Reply(frames, headers=(("Set-Cookie", f"s={value}; Path=/"),)), Redactor()
    )
    assert held_in(found.data, [value]) == []
    assert found.text("text") == "it is [redacted:key:1]"


@pytest.mark.parametrize("name", SECRETS)
@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        ("application/json", lambda s: json.dumps({"error": {"message": json.dumps({"error": {"message": s}})}})),
        ("application/json", lambda s: json.dumps({"error": {"message": s, "code": 429}}, indent=2)),
        ("text/html", lambda s: f"<html><title>{s}</title><body><h1>Bad gateway</h1>{s}</body></html>"),
        ("text/plain", lambda s: f"denied: {s}"),
    ],
    ids=["nested", "json", "html", "plain"],
)
def test_error_bodies_and_exceptions(tmp_path, name, content_type, body):
    secret = planted(name)
    for status, end in ((500, None), (401, ("ReadError", f"reset while {secret}"))):
        reply = Reply([body(secret).encode()], status, content_type, end=end)
        found = record(tmp_path / "r.jsonl", "openai-chat", reply, redactor())
        assert held_in(found.data, [SECRETS[name]]) == []
    refused = Reply(refused=("ConnectError", f"no route: {secret}"))
    with pytest.raises(httpx.ConnectError), Recorder(tmp_path / "s.jsonl", redactor=redactor()) as recorder:
        recorder.transport(Scripted([refused])).handle_request(request_with(secret, ""))
    assert held_in((tmp_path / "s.jsonl").read_bytes(), [SECRETS[name]]) == []


@pytest.mark.parametrize("name", SECRETS)
def test_turns_tool_results_and_loop_events(tmp_path, name):
    secret = planted(name)

    class Run:
        events = iter([
            LoopEvent("tool_result", {"id": "c", "name": secret, "ok": True, "output": f"a {secret}\nb"}),
            LoopEvent("notice", {"what": "retry", "reason": f"because {secret}"}),
            LoopEvent("error", {"message": f"Provider HTTP 500: {secret}", "kind": "provider_error"}),
            LoopEvent("done", {}),
        ])  # fmt: skip

        def __aiter__(self):
            return self

        async def __anext__(self):
            for event in self.events:
                return event
            raise StopAsyncIteration

        async def aclose(self): ...

    async def turn(recorder):
        from agent.loop_types import Limits
        from agent.messages import ToolSpec

        tap = recorder.turn(
            [user(f"old {secret}"), user(f"new {secret}")], mode="PLAN", provider="openai", model="m",
            base_url=f"https://x/?a={secret}", system=f"You know {secret}.",
            tools=[ToolSpec("f", secret, {"type": "object", "properties": {secret: {"type": "string"}}})],
            params={"user": secret}, limits=Limits(),
        )  # fmt: skip
        return [event async for event in tap.events(Run())]

    with Recorder(tmp_path / "r.jsonl", redactor=redactor(), task=f"task {secret}", tags=[secret]) as recorder:
        assert len(asyncio.run(turn(recorder))) == 4
    data = (tmp_path / "r.jsonl").read_bytes()
    assert recorder.errors == []
    assert held_in(data, [SECRETS[name]]) == []
    assert harness.open(tmp_path / "r.jsonl", strict=True).turns[0].system.startswith("You know ")


def test_bytes_that_are_no_text(tmp_path):
    """Such frames and bodies stand in base64."""
    secret = SECRETS["openai"].encode()
    frames = [
        b'data: {"a":"\xff ' + secret[:9] + b'"}\n\n',
        b'data: {"a":"' + secret[9:] + b'\xff"}\n\n',
        b": \xfe" + secret + b"\n\n",
    ]
    for content_type in ("text/event-stream", "application/octet-stream"):
        found = record(tmp_path / "r.jsonl", None, Reply(frames, content_type=content_type), redactor(user_rules=False))
        assert held_in(found.data) == []
        assert held_in(found.call.body()) == []


@needs_shared
def test_shared_case_56(tmp_path):
    case = json.loads((SHARED / "cases" / "56-cassette-secrets.json").read_text("utf-8"))
    expected = json.loads((SHARED / "cases" / "56-cassette-secrets.expect.json").read_text("utf-8"))["expected"]
    sent, came = case["request"], case["response"]

    def request():
        return httpx.Request(sent["method"], sent["url"], headers=sent["headers"], json={"contents": []})

    body = came["body_text"].encode()
    path = tmp_path / "r.jsonl"
    for cut in range(len(body)):
        chunks = [chunk for chunk in (body[:cut], body[cut:]) if chunk]
        reply = Reply(chunks, came["status"], "application/json", tuple(map(tuple, came["headers"])))
        found = record(path, "gemini", reply, Redactor(), request())
        for text in expected["file_must_not_contain"]:
            assert text.encode() not in found.data
        for text in expected["file_must_contain"]:
            assert text.encode() in found.data
    replayed(found, request(), Redactor())


def test_a_session_goes_on_with_the_numbers(tmp_path):
    path = tmp_path / "r.jsonl"
    for number, name in enumerate(("openai", "github", "openai"), 1):
        prompt = f"{SECRETS['anthropic'] if number > 1 else ''} {SECRETS[name]}"
        with Recorder(path, append=number > 1) as recorder:
            transport = recorder.transport(Scripted([answer("openai-chat", ["ok"])]))
            response = transport.handle_request(httpx.Request("POST", "https://x/v1", json={"p": prompt}))
            assert list(response.stream)
    bodies = [call.request.body["p"] for call in harness.open(path).calls]
    assert bodies[:2] == [" [redacted:openai:1]", "[redacted:anthropic:1] [redacted:github:1]"]
    assert bodies[2] == "[redacted:anthropic:2] [redacted:openai:2]"
