from __future__ import annotations

import asyncio
import contextlib
import json
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from harness.errors import ReplayMismatch
from harness.recording.opening import open as open_recording
from harness.redaction.redactor import Redactor, Rule
from harness.replaying.matching import MatchRules
from harness.replaying.replay_transport import ReplayTransport
from tests.harness.transports import (
    BODY,
    SSE,
    URL,
    WAIT,
    Reply,
    Scripted,
    call,
    family,
    recorder,
    replayed,
)
from tests.shared import SHARED, needs_shared

BOTH = pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
FAMILIES = pytest.mark.parametrize("name", ["httpx", "httpx2"])
TEXT = b'data: {"choices":[{"delta":{"content":"a"}}]}\n\n'
DONE = b'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'


def body(text, **more):
    return json.dumps({"model": "m", "messages": [{"role": "user", "content": text}], **more}).encode()


def record(path, *pairs):
    """A recording of calls: `(content, reply)` each."""
    lib = family("httpx")
    with recorder(path) as made:
        for content, reply in pairs:
            with contextlib.suppress(lib.TransportError):
                lib.Client(transport=made.transport(Scripted([reply]))).post(URL, content=content)
    return path


def post(transport, content=BODY, **options):
    lib = family("httpx")
    return lib.Client(transport=transport).post(URL, content=content, **options)


class TestMatching:
    def test_the_same_request_is_answered_first_in_first_out(self, tmp_path):
        path = record(tmp_path / "r", *((BODY, Reply([b"%d" % i], content_type="text/plain")) for i in range(3)))
        transport = replayed(path)
        assert [post(transport).content for _ in range(3)] == [b"0", b"1", b"2"]
        with pytest.raises(ReplayMismatch, match="all recorded calls are used"):
            post(transport)

    def test_different_requests_in_any_order(self, tmp_path):
        path = record(tmp_path / "r", *((body(f"{i}"), Reply([b"%d" % i], content_type=None)) for i in range(4)))
        transport = replayed(path)
        assert [post(transport, body(f"{i}")).content for i in (2, 0)] == [b"2", b"0"]
        assert [one.number for one in transport.unused] == [1, 3]

    def test_threads_never_get_the_same_call(self, tmp_path):
        path = record(tmp_path / "r", *((BODY, Reply([b"%d" % i], content_type=None)) for i in range(24)))
        transport = replayed(path)
        start = threading.Barrier(8)

        def ask(index):
            if index < 8:
                start.wait()
            try:
                return post(transport).content
            except ReplayMismatch:
                return None

        with ThreadPoolExecutor(8) as pool:
            seen = list(pool.map(ask, range(32)))
        assert sorted(one for one in seen if one) == sorted(b"%d" % i for i in range(24))
        assert seen.count(None) == 8

    def test_volatile_fields_and_further_ones_are_not_compared(self, tmp_path):
        path = record(tmp_path / "r", (body("x", prompt_cache_key="a", user="u1"), Reply([b"1"])))
        with pytest.raises(ReplayMismatch, match="user"):
            post(replayed(path), body("x", prompt_cache_key="b", user="u2"))
        assert post(replayed(path, rules=MatchRules(ignore=("user",))), body("x", user="u2")).content == b"1"

    def test_the_host_by_option(self, tmp_path):
        path = record(tmp_path / "r", (BODY, Reply([b"1"])))
        lib = family("httpx")
        elsewhere = URL.replace("api.test", "other.test")
        assert lib.Client(transport=replayed(path)).post(elsewhere, content=BODY).content == b"1"
        with pytest.raises(ReplayMismatch, match="host"):
            lib.Client(transport=replayed(path, rules=MatchRules(host=True))).post(elsewhere, content=BODY)

    def test_a_miss_names_the_nearest_call_and_every_difference(self, tmp_path):
        path = record(
            tmp_path / "r", (body("x", n=1), Reply()), (body("y", n=1), Reply()), (body("y", top_p=0), Reply())
        )
        with pytest.raises(ReplayMismatch) as caught:
            post(replayed(path), body("z", n=2))
        mismatch = caught.value
        assert (mismatch.request, mismatch.nearest) == ("POST /v1/chat/completions", 0)
        assert mismatch.differences == (
            'messages[0].content: recorded "x", sent "z"', "n: recorded 1, sent 2",
        )  # fmt: skip
        assert "harness ask" in mismatch.hint
        assert "\n" not in str(mismatch)

    def test_a_recording_without_calls(self):
        with pytest.raises(ReplayMismatch, match="holds no call"):
            post(ReplayTransport([]))

    def test_a_miss_uses_up_nothing(self, tmp_path):
        transport = replayed(record(tmp_path / "r", (BODY, Reply([b"1"]))))
        for _ in range(2):
            with pytest.raises(ReplayMismatch):
                post(transport, body("other"))
        assert post(transport).content == b"1"


class TestSecrets:
    def test_another_key_matches_wherever_it_stands(self, tmp_path):
        lib = family("httpx")

        def ask(transport, key):
            content = json.dumps({"q": f"is {key} my key?"})
            headers = {"x-api-key": key}
            return lib.Client(transport=transport).post(
                f"https://x/{key}/y?key={key}", content=content, headers=headers
            )

        with recorder(tmp_path / "r") as made:
            ask(made.transport(Scripted([Reply([b"0"])])), "first-secret-value-000")
            ask(made.transport(Scripted([Reply([b"1"])])), "second-secret-value-111")
        text = (tmp_path / "r").read_text()
        assert "first-secret" not in text
        assert "second-secret" not in text
        transport = replayed(tmp_path / "r")
        assert [ask(transport, key).content for key in ("third-secret-value-3", "fourth-secret-value-4")] == [
            b"0",
            b"1",
        ]

    def test_user_rules(self, tmp_path):
        rules = [Rule("ticket", r"T-\d+")]
        lib = family("httpx")
        with recorder(tmp_path / "r", redactor=Redactor(rules=rules)) as made:
            client = lib.Client(transport=made.transport(Scripted([Reply([b"1"])])))
            client.post(URL, content=body("about T-17"))
        assert "T-17" not in (tmp_path / "r").read_text()
        assert post(replayed(tmp_path / "r", redactor=Redactor(rules=rules)), body("about T-99")).content == b"1"

    @pytest.mark.parametrize("explains", [True, False])
    def test_a_miss_tells_no_secret_where_none_was_recorded(self, tmp_path, explains):
        secret = "some-secret-value-000"
        transport = replayed(record(tmp_path / "r", (body("x"), Reply())), explains=explains)
        client = family("httpx").Client(transport=transport)
        with pytest.raises(ReplayMismatch) as caught:
            client.post(f"https://x/{secret}/y?key={secret}", content=body(f"is {secret} mine?"))
        assert secret not in str(caught.value)
        assert caught.value.request == "POST /[redacted:key]/y"

    def test_redaction_is_loaded_only_where_something_was_redacted(self, tmp_path):
        record(tmp_path / "plain", (body("x"), Reply([TEXT, DONE])))
        record(tmp_path / "secret", (body("sk-proj-abcdefghijklmnopqrstuvwxyz0123456789"), Reply([TEXT, DONE])))
        code = (
            "import sys; import httpx; import harness; from harness.replaying.replay_transport import ReplayTransport; "
            "transport = ReplayTransport(harness.open(sys.argv[1]).calls); "
            f"httpx.Client(transport=transport).post({URL!r}, content=sys.argv[2]); "
            "print('harness.redaction.redactor' in sys.modules)"
        )
        sent = {"plain": body("x"), "secret": body("sk-proj-0123456789abcdefghijklmnopqrstuvwxyz")}
        for name, content in sent.items():
            arguments = [sys.executable, "-c", code, str(tmp_path / name), content.decode()]
            found = subprocess.run(arguments, capture_output=True, text=True, check=True)
            assert found.stdout == f"{name == 'secret'}\n"


class TestEndings:
    def test_a_connect_failure(self, tmp_path):
        lib = family("httpx")
        path = record(tmp_path / "r", (BODY, Reply(refused=("ConnectTimeout", "slow"))))
        with pytest.raises(lib.ConnectTimeout, match="slow") as caught:
            post(replayed(path))
        assert caught.value.request.url == URL

    @BOTH
    @pytest.mark.anyio
    async def test_closed_after_the_end_mark_is_the_end(self, tmp_path, is_async):
        lib = family("httpx")
        with recorder(tmp_path / "r") as made:
            script = Scripted([Reply([DONE, b": more\n\n"])])
            await call(lib, made.transport(script), is_async=is_async, stop_after=1)
        assert open_recording(tmp_path / "r").calls[0].end.kind == "closed"
        seen = await call(lib, replayed(tmp_path / "r"), is_async=is_async)
        assert (seen.chunks, seen.end) == ([DONE], None)

    @BOTH
    @pytest.mark.anyio
    async def test_closed_before_it_is_an_error_there(self, tmp_path, is_async):
        lib = family("httpx")
        with recorder(tmp_path / "r") as made:
            await call(lib, made.transport(Scripted([Reply([TEXT, DONE])])), is_async=is_async, stop_after=1)
        seen = await call(lib, replayed(tmp_path / "r"), is_async=is_async)
        assert (seen.chunks, seen.end) == ([TEXT], ("ReadError", "the client closed here"))

    @BOTH
    @pytest.mark.anyio
    @pytest.mark.parametrize(("lines", "chunks"), [(2, None), (3, []), (5, [TEXT]), (6, [TEXT, DONE[:-14]])])
    async def test_a_process_that_died(self, tmp_path, is_async, lines, chunks):
        lib = family("httpx")
        path = record(tmp_path / "r", (BODY, Reply([TEXT, DONE])))
        path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:lines]))
        seen = await call(lib, replayed(path), is_async=is_async)
        assert seen.chunks == (chunks or [])
        assert (seen.status is None) == (chunks is None)
        assert seen.end[0] == "ReadError"

    @pytest.mark.anyio
    @pytest.mark.parametrize("refused", [None, WAIT])
    async def test_on_closed_waits_instead(self, tmp_path, refused):
        lib = family("httpx")
        reply = Reply([TEXT], end=WAIT, refused=refused)
        with recorder(tmp_path / "r") as made:
            reading = asyncio.ensure_future(call(lib, made.transport(Scripted([reply])), is_async=True))
            for _ in range(20):
                await asyncio.sleep(0)
            reading.cancel()
            await asyncio.wait([reading])
        asked = []
        transport = replayed(tmp_path / "r", on_closed=lambda one: asked.append(one.number) is None)
        reading = asyncio.ensure_future(call(lib, transport, is_async=True))
        for _ in range(50):
            await asyncio.sleep(0)
        assert asked == [0]
        assert not reading.done()
        reading.cancel()
        await asyncio.wait([reading])
        seen = await call(lib, replayed(tmp_path / "r", on_closed=lambda one: False), is_async=True)
        assert seen.end == ("ReadError", "the client closed here")


def test_headers_fit_the_body(tmp_path):
    headers = (
        ("Content-Length", "5"), ("Transfer-Encoding", "chunked"), ("Connection", "close"), ("x-request-id", "r"),
        ("retry-after", "7"),
    )  # fmt: skip
    response = post(replayed(record(tmp_path / "r", (BODY, Reply([TEXT], 429, headers=headers)))))
    assert response.status_code == 429
    assert dict(response.headers) == {"content-type": SSE, "x-request-id": "r", "retry-after": "7"}


class TestPace:
    def recording(self, tmp_path):
        path = record(tmp_path / "r", (BODY, Reply([TEXT[:9], TEXT[9:], DONE], end=("ReadTimeout", "slow"))))
        times = {"request": 1.0, "response": 2.0, "frame": [4.0, 6.0, 6.0], "call_end": 9.0}
        lines = []
        for line in map(json.loads, path.read_bytes().splitlines()):
            t = times.get(line["kind"], line["t"])
            line["t"] = t.pop(0) if isinstance(t, list) else t
            if "cuts" in line and line.get("cut_t"):
                line["cut_t"] = [3.0]
            lines.append(json.dumps(line))
        path.write_text("\n".join(lines) + "\n")
        return path

    @BOTH
    @pytest.mark.anyio
    @pytest.mark.parametrize("speed", [None, 1.0, 4.0])
    async def test_waits_as_recorded(self, tmp_path, monkeypatch, is_async, speed):
        lib = family("httpx")
        path = self.recording(tmp_path)
        waits = []

        async def asleep(seconds):
            waits.append(seconds)

        monkeypatch.setattr(time, "sleep", waits.append)
        monkeypatch.setattr("harness.replaying.replay_transport.asyncio.sleep", asleep)
        seen = await call(lib, replayed(path, speed=speed), is_async=is_async)
        assert seen.chunks == [TEXT[:9], TEXT[9:], DONE]
        assert seen.end == ("ReadTimeout", "slow")
        assert waits == [wait / speed for wait in (2.0, 1.0, 2.0, 3.0)] if speed else waits == []

    @pytest.mark.parametrize("speed", [0, -1.0, float("nan")])
    def test_no_speed(self, speed):
        with pytest.raises(ValueError, match="above 0"):
            ReplayTransport([], speed=speed)


@needs_shared
@FAMILIES
@BOTH
@pytest.mark.anyio
@pytest.mark.parametrize("coding", ["gzip", "br", "zstd", "deflate", "identity"])
async def test_case_53_headers_of_a_decoded_body(tmp_path, name, is_async, coding):
    """A recording that keeps the original headers beside a decoded body, as other tools write it."""
    lib = family(name)
    told = json.loads((SHARED / "cases/53-replay-content-encoding-kept.json").read_text())["recorded"]
    stream = told["body_text"].encode()
    path = record(tmp_path / "r", (BODY, Reply([stream], told["status"])))
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    kept = [pair for pair in told["headers"] if pair[0] != "content-encoding"]
    for line in lines:
        if line["kind"] == "response":
            line |= {"headers": kept, "encoding": coding}
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    for raw in (False, True):
        seen = await call(lib, replayed(path), is_async=is_async, raw=raw)
        assert (b"".join(seen.chunks), seen.end) == (stream, None)
        assert not {"content-encoding", "content-length", "transfer-encoding"} & {pair[0] for pair in seen.headers}
    assert dict(open_recording(path).calls[0].response.headers)["content-length"] == "40"


@needs_shared
@FAMILIES
@BOTH
@pytest.mark.anyio
@pytest.mark.parametrize("index", range(5))
async def test_case_55_the_body_is_matched(tmp_path, name, is_async, index):
    lib = family(name)
    case = json.loads((SHARED / "cases/55-replay-body-ignored.json").read_text())
    told = case["recorded"]
    names = [None, "messages[0].content", "model", "body", "query.x"]
    with recorder(tmp_path / "r") as made:
        reply = Reply([told["answer"].encode()], content_type="text/plain")
        content = json.dumps(told["body"])
        await call(lib, made.transport(Scripted([reply])), is_async=is_async, url=told["url"], content=content)
    asked = {**told, **case["requests"][index]}
    content = None if asked["body"] is None else json.dumps(asked["body"])
    options = {"is_async": is_async, "method": asked["method"], "url": asked["url"], "content": content}
    if index == 0:
        seen = await call(lib, replayed(tmp_path / "r"), **options)
        assert b"".join(seen.chunks) == told["answer"].encode()
    else:
        with pytest.raises(ReplayMismatch) as caught:
            await call(lib, replayed(tmp_path / "r"), **options)
        assert caught.value.differences[0].startswith(f"{names[index]}: ")
        assert names[index] in str(caught.value)
