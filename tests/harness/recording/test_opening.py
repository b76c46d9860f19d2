from __future__ import annotations

import json

import pytest

import harness
from agent.events import End
from harness.errors import BadLine, UnreadableRecording
from harness.recording.contents import STOPPED
from harness.recording.opening import Recording
from harness.recording.writer import Writer
from tests.harness.sample import BODIES, CHUNKS, FRAMES, numbered, records, usage_event


@pytest.fixture
def path(tmp_path):
    with Writer.create(tmp_path / "x.jsonl") as writer:
        writer.write(records())
    return tmp_path / "x.jsonl"


def rewritten(path, change):
    """The recording without the records for which `change` gives None, and with what it gives for the others."""
    kept = [record for item in numbered() if (record := change(item)) is not None]
    path.write_text("".join(json.dumps(record) + "\n" for record in kept))
    return path


def test_the_package_exports_it(path):
    assert isinstance(harness.open(path), Recording)
    with pytest.raises(AttributeError):
        _ = harness.close


@pytest.mark.parametrize("strict", [False, True])
def test_a_recording(path, strict):
    recording = harness.open(path, strict=strict)
    assert recording.warnings == []
    assert recording.header["format"] == "trajectory"
    assert [*recording] == recording.calls
    assert recording.end["usage"] != {}
    assert len(recording.resumes) == 1
    (turn,) = recording.turns
    assert (turn.number, turn.input, turn.model, turn.system, turn.base_url) == (0, "hi", "m", None, None)
    assert turn.calls == recording.calls
    assert [record["output"] for record in turn.tool_results] == ["o"]
    assert [item["event"] for item in turn.course] == ["tool_result", "finish", "done"]
    assert turn.course[0]["data"] == {"id": "c", "name": "list", "ok": True, "output": "o"}


def test_a_streamed_call(path):
    call = harness.open(path).calls[0]
    assert (call.number, call.method, call.url, call.turn, call.retry_of) == (
        0, "POST", "http://h/v1/chat/completions", 0, None,
    )  # fmt: skip
    assert (call.wire, call.decode) == ("openai-chat", {})
    assert call.request.headers == [("content-type", "application/json")]
    assert call.request.body == json.loads(BODIES[0])
    assert call.content() == BODIES[0]
    assert (call.response.status, call.response.content_type, call.response.encoding) == (
        200,
        "text/event-stream",
        None,
    )
    assert [part.raw for part in call.frames] == FRAMES
    assert call.frames[-1].unterminated
    assert call.body() == b"".join(FRAMES)
    assert call.chunks() == CHUNKS
    assert [t for t, _ in call.timed_chunks()][:2] == [0.25, 0.375]
    assert call.events == [{"type": "text", "text": "a"}, usage_event()]
    assert call.complete
    assert call.end == End("eof")


def test_a_call_that_failed(path):
    call = harness.open(path).calls[1]
    assert call.retry_of == 0
    assert call.request.body == json.loads(BODIES[1])
    assert call.response.status == 400
    assert call.chunks() == [b'{"err', b'or":"\xe6', b'\xbc\xa2"}']
    assert call.body() == '{"error":"漢"}'.encode()
    assert not call.complete
    assert call.end == End("error", "ReadError", "reset")


def test_a_process_that_died(path):
    recording = harness.open(rewritten(path, lambda r: r if r["seq"] < 7 else None))
    assert recording.end is None
    (call,) = recording.calls
    assert (call.end, call.end_record) == (STOPPED, None)
    assert [fault.what for fault in recording.warnings] == ["not_closed"]


def test_a_resumed_recording_is_open_until_it_is_closed_again(path):
    last = numbered()[-1]["seq"]
    recording = harness.open(rewritten(path, lambda r: r if r["seq"] < last else None))
    assert recording.end is None


def test_a_lost_request_is_told(path):
    recording = harness.open(rewritten(path, lambda r: None if r["kind"] == "request" and r["call"] == 0 else r))
    assert [call.number for call in recording.calls] == [1]
    assert recording.calls[0].request.body is None
    whats = [fault.what for fault in recording.warnings]
    assert whats.count("unresolved_body") == 1
    assert whats.count("bad_record") == 9
    assert "call 0 has no request record" in str(recording.warnings[0])


@pytest.mark.parametrize(
    ("kind", "changes"),
    [
        ("request", {"url": ...}), ("request", {"headers": [1]}), ("response", {"status": ...}),
        ("frame", {"raw": ...}), ("loop", {"kind": None}),
        ("body", {"raw": 5}), ("event", {"event": "x"}), ("call_end", {"end": ...}), ("turn", {"input": ...}),
        ("tool_result", {"output": ...}), ("loop", {"turn": 9}),
    ],
)  # fmt: skip
def test_records_that_do_not_fit_are_left_out(path, kind, changes):
    def change(record):
        if record["kind"] != kind:
            return record
        return {name: value for name, value in {**record, **changes}.items() if value is not ...}

    rewritten(path, change)
    recording = harness.open(path)
    assert recording.warnings
    assert all("left out" in str(fault) or "not whole" in str(fault) for fault in recording.warnings)
    with pytest.raises(BadLine):
        harness.open(path, strict=True)


def test_what_cannot_be_read(tmp_path):
    with pytest.raises(UnreadableRecording):
        harness.open(tmp_path)
