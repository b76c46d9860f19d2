from __future__ import annotations

import asyncio
import json
import os
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime

import pytest

from agent.events import Error, Reasoning, Text, ToolCall, Usage, UsageEvent
from agent.loop_types import Limits
from agent.messages import ToolSpec, user
from harness.errors import RecordingError
from harness.recorder.recorder import Recorder
from harness.recorder.totals import Totals
from harness.recording.headers import KEPT_HEADERS
from harness.recording.opening import open as open_recording
from tests.harness.transports import (
    BODY,
    BOTH,
    DONE,
    FAMILIES,
    URL,
    Reply,
    Scripted,
    answer,
    body,
    call,
    family,
    recorder,
    records,
    replayed,
    texts,
)
from tests.shared import SHARED, needs_shared


class TestFile:
    def test_header_and_end(self, tmp_path):
        with recorder(tmp_path / "r.jsonl", source="live", task="t", tags=["a", "b"]):
            pass
        header, end = records(tmp_path / "r.jsonl")
        assert (header["format"], header["version"], header["source"], header["task"], header["tags"]) == (
            "trajectory", 1, "live", "t", ["a", "b"],
        )  # fmt: skip
        assert datetime.fromisoformat(header["started_at"]).tzinfo is not None
        assert re.fullmatch(r"[0-9a-f-]{36}", header["id"])
        assert (end["status"], end["calls"], end["turns"], end["errors"]) == ("ok", 0, 0, 0)

    def test_two_recordings_have_two_ids(self, tmp_path):
        ids = set()
        for name in "ab":
            recorder(tmp_path / name).close()
            ids.add(records(tmp_path / name)[0]["id"])
        assert len(ids) == 2

    def test_none_is_written_under_the_name_of_a_compressed_one(self, tmp_path):
        with pytest.raises(RecordingError, match=r"is not written to \(name it .jsonl, and compress it afterwards\)$"):
            Recorder(tmp_path / "a.jsonl.gz")
        assert not list(tmp_path.iterdir())

    def test_an_existing_file_is_refused(self, tmp_path):
        recorder(tmp_path / "r.jsonl").close()
        with pytest.raises(RecordingError, match="--force"):
            recorder(tmp_path / "r.jsonl")
        recorder(tmp_path / "r.jsonl", force=True).close()

    @pytest.mark.parametrize(
        ("raised", "status"), [(None, "ok"), (ValueError, "error"), (KeyboardInterrupt, "cancelled")]
    )
    def test_the_status_tells_how_the_block_was_left(self, tmp_path, raised, status):
        if raised is None:
            with recorder(tmp_path / "r.jsonl"):
                pass
        else:
            with pytest.raises(raised), recorder(tmp_path / "r.jsonl"):
                raise raised
        assert records(tmp_path / "r.jsonl")[-1]["status"] == status

    def test_closing_twice(self, tmp_path):
        made = recorder(tmp_path / "r.jsonl")
        made.close("error")
        made.close("ok")
        assert [r["kind"] for r in records(tmp_path / "r.jsonl")] == ["header", "end"]

    def test_calls_that_are_open_are_closed_with_the_recording(self, tmp_path):
        lib = family("httpx")
        made = recorder(tmp_path / "r.jsonl")
        client = lib.Client(transport=made.transport(Scripted([Reply([DONE, DONE])])))
        with client.stream("POST", URL, content=BODY) as response:
            next(response.iter_raw())
            made.close()
        assert made.errors == []
        recorded = open_recording(tmp_path / "r.jsonl", strict=True).calls[0]
        assert (recorded.end.kind, recorded.body()) == ("closed", DONE)

    def test_a_header_that_cannot_be_written(self, tmp_path, monkeypatch):
        opened = []
        real = os.open

        def opening(*arguments):
            opened.append(real(*arguments))
            return opened[-1]

        monkeypatch.setattr("harness.recording.writer.os.open", opening)
        monkeypatch.setattr("harness.recording.writer.os.write", full)
        with pytest.raises(RecordingError, match="No space left"):
            Recorder(tmp_path / "r.jsonl")
        with pytest.raises(OSError, match="Bad file"):
            os.fstat(opened[0])


def full(*arguments):
    raise OSError(28, "No space left on device")


class TestNumbers:
    async def numbers(self, tmp_path, wanted):
        lib = family("httpx")
        with recorder(tmp_path / "r.jsonl") as made:
            transport = made.transport(Scripted([Reply([DONE])] * len(wanted)))
            for number in wanted:
                about = {} if number is None else {"trajectory": {"call": number}}
                await call(lib, transport, is_async=True, extensions=about)
        return [one.number for one in open_recording(tmp_path / "r.jsonl", strict=True).calls]

    @pytest.mark.anyio
    @pytest.mark.parametrize(
        ("wanted", "given"),
        [
            ([None, None], [0, 1]),
            ([0, 1, 2], [0, 1, 2]),
            ([0, 0, 0], [0, 1, 2]),
            ([3, None, 1, 1], [3, 4, 1, 5]),
            (["x", -1, True, 2.0], [0, 1, 2, 3]),
        ],
    )
    async def test_each_call_has_its_own(self, tmp_path, wanted, given):
        assert await self.numbers(tmp_path, wanted) == given

    def test_reserved_ones_are_not_given_away(self, tmp_path):
        lib = family("httpx")
        with recorder(tmp_path / "r.jsonl") as made:
            reserved = made.next_call()
            client = lib.Client(transport=made.transport(Scripted([Reply([DONE])] * 2)))
            client.post(URL, content=BODY)
            client.post(URL, content=BODY, extensions={"trajectory": {"call": reserved}})
        assert [one.number for one in open_recording(tmp_path / "r.jsonl").calls] == [1, 0]


def test_what_a_client_says_of_its_call(tmp_path):
    lib = family("httpx")
    about = {
        "call": 4, "retry_of": 2, "wire": "openai-chat", "provider": "p", "model": "m", "decode": {"think_tags": True},
    }  # fmt: skip
    with recorder(tmp_path / "r.jsonl") as made:
        client = lib.Client(transport=made.transport(Scripted([Reply([DONE])] * 2)))
        client.post("https://x.test/odd", content=BODY, extensions={"trajectory": about})
        client.post(URL, content=BODY, extensions={"trajectory": None})
    first, second = (r for r in records(tmp_path / "r.jsonl") if r["kind"] == "request")
    assert {name: first[name] for name in about} == about
    assert "turn" not in first
    assert (second["wire"], second["decode"]) == ("openai-chat", {})
    assert not {"retry_of", "provider", "model", "turn"} & set(second)


def test_an_extension_that_makes_no_sense_is_a_fault_and_no_more(tmp_path):
    lib = family("httpx")
    made = recorder(tmp_path / "r.jsonl", warn=None)
    client = lib.Client(transport=made.transport(Scripted([Reply([DONE])])))
    assert client.post(URL, content=BODY, extensions={"trajectory": 5}).content == DONE
    assert len(made.errors) == 1
    made.close()


class TestConcurrency:
    @pytest.mark.anyio
    @FAMILIES
    async def test_asyncio(self, tmp_path, name):
        lib = family(name)

        class Slow(Scripted):
            async def handle_async_request(self, request):
                await asyncio.sleep(0)
                response = await super().handle_async_request(request)
                inner = response.stream

                async def chunks():
                    async for chunk in inner:
                        for _ in range(hash(chunk) % 5):
                            await asyncio.sleep(0)
                        yield chunk

                return lib.Response(200, headers=response.headers, content=chunks())

        asked = [f"q{i % 20}" for i in range(32)]
        with recorder(tmp_path / "r.jsonl") as made:
            transport = made.transport(Slow(answer=answer))
            seen = await asyncio.gather(*(call(lib, transport, is_async=True, content=body(q)) for q in asked))
        recorded = open_recording(tmp_path / "r.jsonl", strict=True)
        assert sorted(one.number for one in recorded.calls) == list(range(32))
        assert sorted(texts(recorded.calls)) == sorted(f"re: {q}" for q in asked)
        transport = replayed(tmp_path / "r.jsonl")
        again = await asyncio.gather(*(call(lib, transport, is_async=True, content=body(q)) for q in reversed(asked)))
        assert [one.chunks for one in again] == [one.chunks for one in reversed(seen)]
        assert transport.unused == []

    def test_threads(self, tmp_path):
        lib = family("httpx")
        asked = [f"q{i}" for i in range(32)]
        start = threading.Barrier(8)
        with recorder(tmp_path / "r.jsonl") as made:
            client = lib.Client(transport=made.transport(Scripted(answer=answer)))

            def ask(index):
                if index < 8:
                    start.wait()
                key = f"Bearer sk-secret-{index:04}-abcdefghijklmnop"
                return client.post(URL, content=body(asked[index]), headers={"authorization": key}).content

            with ThreadPoolExecutor(8) as pool:
                seen = list(pool.map(ask, range(32)))
        recorded = open_recording(tmp_path / "r.jsonl", strict=True)
        assert recorded.warnings == []
        assert sorted(texts(recorded.calls)) == sorted(f"re: {q}" for q in asked)
        client = lib.Client(transport=replayed(tmp_path / "r.jsonl"))
        with ThreadPoolExecutor(8) as pool:
            again = list(pool.map(lambda q: client.post(URL, content=body(q)).content, asked))
        assert again == seen
        assert records(tmp_path / "r.jsonl")[-1]["calls"] == 32


def test_a_turn_record(tmp_path):
    with recorder(tmp_path / "r.jsonl") as made:
        tap = made.turn(
            [user("before"), user("now")], mode="FIX", provider="openai", model="m", base_url="https://x/v1",
            system="s", tools=[ToolSpec("look", "d", {"type": "object"})], params={"temperature": 0},
            limits=Limits(max_iterations=3), tool_modes={"look": ("PLAN", "FIX")},
        )  # fmt: skip
        assert [tap.ids()(), made.next_call()] == [0, 1]
    turn = open_recording(tmp_path / "r.jsonl", strict=True).turns[0]
    assert (turn.input, turn.history) == ("now", [{"role": "user", "text": "before"}])
    assert (turn.mode, turn.provider, turn.model, turn.base_url, turn.system) == (
        "FIX", "openai", "m", "https://x/v1", "s",
    )  # fmt: skip
    assert turn.tools == [{"name": "look", "description": "d", "parameters": {"type": "object"}}]
    assert (turn.params, turn.limits["max_iterations"]) == ({"temperature": 0}, 3)
    assert turn.record["tool_modes"] == {"look": ["PLAN", "FIX"]}


def test_totals():
    totals = Totals()
    for event in (
        Text("a"), Reasoning("b"), ToolCall("1", "look", {}), ToolCall("2", "look", {}), Error("m", "auth", False),
        UsageEvent(Usage(1, 2, cache_read_tokens=0), "m", "stop", "stop", True),
        UsageEvent(Usage(10, None, iterations=[1]), "m", "stop", "stop", True),
        UsageEvent(None, "m", "error", None, False), UsageEvent(Usage(5), None, "stop", None, True),
    ):  # fmt: skip
        totals.count(event)
    unknown = {"cache_write_tokens": None, "cache_write_1h_tokens": None, "reasoning_tokens": None}
    assert totals.to_dict() == {
        "usage": {
            "m": {"input_tokens": 11, "output_tokens": 2, "cache_read_tokens": 0, **unknown},
            "": {"input_tokens": 5, "output_tokens": None, "cache_read_tokens": None, **unknown},
        },
        "tool_calls": {"look": 2},
        "errors": 1,
    }


@needs_shared
@FAMILIES
@BOTH
@pytest.mark.anyio
async def test_case_56_no_secret_reaches_the_file(tmp_path, name, is_async):
    lib = family(name)
    case = json.loads((SHARED / "cases/56-cassette-secrets.json").read_text())
    expected = json.loads((SHARED / "cases/56-cassette-secrets.expect.json").read_text())["expected"]
    asked, told = case["request"], case["response"]
    secret = asked["headers"][0][1].removeprefix("Bearer ")
    options = {
        "is_async": is_async, "method": asked["method"], "url": asked["url"], "headers": asked["headers"],
        "content": json.dumps({"contents": f"my key is {secret}"}),
    }  # fmt: skip
    reply = Reply([told["body_text"].encode()], told["status"], "application/json", tuple(map(tuple, told["headers"])))
    with recorder(tmp_path / "r.jsonl") as made:
        seen = await call(lib, made.transport(Scripted([reply])), **options)
    assert b"".join(seen.chunks) == told["body_text"].encode()
    text = (tmp_path / "r.jsonl").read_text()
    assert [word for word in expected["file_must_not_contain"] if word in text] == []
    assert [word for word in expected["file_must_contain"] if word not in text] == []
    assert "set-cookie" not in KEPT_HEADERS
    transport = replayed(tmp_path / "r.jsonl")
    again = await call(lib, transport, **options)
    assert (again.status, transport.unused) == (401, [])
