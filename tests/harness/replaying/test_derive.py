from __future__ import annotations

import pytest

from agent.events import EOF, End
from agent.response import Framer
from harness.errors import RecordingError
from harness.recording.opening import open as open_recording
from harness.replaying.derive import derive, first_difference
from tests.harness.sessions import change, chat, failure
from tests.harness.transports import BODIES, BODY, PATHS, SSE, Reply, Scripted, call, family, recorder, replayed

EVENTS = [b"data: {}\n\n", b": c\n\n"]


async def made(path, reply, url="https://api.test/v1/chat/completions", stop_after=None):
    with recorder(path) as writing:
        lib = family("httpx")
        await call(
            lib, writing.transport(Scripted([reply])), is_async=True, url=url, content=BODY, stop_after=stop_after
        )
    return open_recording(path, strict=True).calls[0]


@pytest.mark.anyio
@pytest.mark.parametrize("path", PATHS[:4])
async def test_every_fixture_is_derived_as_it_was_recorded(tmp_path, path):
    for index, body in enumerate(BODIES):
        content_type = "application/json" if body[:1] in (b"{", b"[", b"<") else SSE
        size = 1 + index % 97
        reply = Reply(
            [body[at : at + size] for at in range(0, len(body), size)], [200, 500][index % 7 == 0], content_type
        )
        recorded = await made(tmp_path / f"{index}.jsonl", reply, f"https://api.test{path}")
        assert first_difference(recorded) is None
        assert [event for _, event in derive(recorded)] == recorded.events


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("reply", "stop_after"),
    [
        (chat("a", "b"), 1),
        (chat("a", finish=None, end=("ReadError", "x")), None),
        (chat("a", finish=None, end=("ReadTimeout", "")), None),
        (Reply(refused=("ConnectError", "no")), None),
        (failure(429), None),
        (Reply(), None),
        (Reply([b"\n", b" ", b'{"choices":[]}'], content_type=None), None),
        (Reply([b"\n", b" "], content_type=None), None),
        (Reply([b"data: half"]), None),
    ],
)
async def test_every_ending(tmp_path, reply, stop_after):
    recorded = await made(tmp_path / "r.jsonl", reply, stop_after=stop_after)
    assert recorded.event_records
    assert first_difference(recorded) is None


@pytest.mark.anyio
async def test_a_frame_too_large(tmp_path, monkeypatch):
    monkeypatch.setitem(Framer.__init__.__kwdefaults__, "limit", 200)
    reply = Reply([*chat("a", finish=None).chunks, b"data: " + b"x" * 150, b"y" * 150, b"\n\n" + EVENTS[0]])
    recorded = await made(tmp_path / "r.jsonl", reply)
    assert [event["type"] for event in recorded.events] == ["text", "error", "usage"]
    assert first_difference(recorded) is None
    seen = await call(family("httpx"), replayed(tmp_path / "r.jsonl"), is_async=True)
    assert seen.chunks == list(reply.chunks)


@pytest.mark.anyio
async def test_decode_options_are_those_of_the_recording(tmp_path):
    recorded = await made(tmp_path / "r.jsonl", chat("<think>", "why</think>", "so"))
    assert {event["type"] for event in recorded.events} == {"text", "usage"}
    recorded.request.record["decode"] = {"think_tags": True}
    assert "reasoning" in {event["type"] for _, event in derive(recorded)}
    assert "recorded" in first_difference(recorded)


@pytest.mark.anyio
async def test_an_unknown_wire_format(tmp_path):
    recorded = await made(tmp_path / "r.jsonl", chat("a"))
    recorded.request.record["wire"] = "morse"
    with pytest.raises(RecordingError, match=r"call 0: its wire format 'morse' is none of openai-chat"):
        first_difference(recorded)
    recorded.request.record["wire"] = None
    assert first_difference(recorded) is None


@pytest.mark.anyio
async def test_lost_bytes_are_told_also_of_an_unknown_wire(tmp_path):
    await made(tmp_path / "r.jsonl", Reply([b"one", b"two"], content_type="text/plain"), "https://api.test/other")
    path = change(tmp_path / "r.jsonl", lambda value: value.get("i") != 1)
    assert first_difference(open_recording(path).calls[0]) == "call 0: 3 bytes of its response are recorded, 6 came"
    path = change(tmp_path / "r.jsonl", lambda value: value.get("i") != 0)
    assert first_difference(open_recording(path).calls[0]) == "call 0: body 1 stands where body 0 belongs"


class TestACallThatStops:
    """The process died inside the call: what was written is judged, what may be missing is not."""

    @pytest.mark.anyio
    async def test_the_events_of_the_last_frame_may_be_missing(self, tmp_path):
        recorded = await made(tmp_path / "r.jsonl", chat("a", "b", "c"))
        recorded.end_record, recorded.end = None, EOF
        recorded.event_records = recorded.event_records[:3]
        recorded.frames = recorded.frames[:4]
        for expected in (None, None, "derived"):
            found = first_difference(recorded)
            assert found is expected or expected in found
            recorded.event_records = recorded.event_records[:-1]
            recorded.frames = recorded.frames[:3]

    @pytest.mark.anyio
    async def test_the_events_of_the_end_may_stand_alone(self, tmp_path):
        recorded = await made(tmp_path / "r.jsonl", chat("a", finish=None))
        recorded.end_record, recorded.end = None, End("error")
        assert [record["frame"] for record in recorded.event_records] == [0, None, None]
        assert first_difference(recorded) is None
        recorded.event_records[0]["event"] = {"type": "text", "text": "b"}
        assert 'recorded "b", derived "a"' in first_difference(recorded)
