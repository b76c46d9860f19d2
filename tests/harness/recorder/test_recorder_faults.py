from __future__ import annotations

import asyncio
import json

import pytest

from agent.loop_types import Limits
from agent.messages import user
from harness.recorder.recorder import MOST_ERRORS
from harness.recording.opening import open as open_recording
from harness.redaction.redactor import Redactor
from tests.harness.transports import (
    BODY,
    BOTH,
    DONE,
    URL,
    Reply,
    Scripted,
    answer,
    body,
    call,
    family,
    recorder,
    records,
    texts,
)


def full(*arguments):
    raise OSError(28, "No space left on device")


class TestFaults:
    """Whatever fails in the recorder, the caller sees what it would have seen."""

    def run(self, made, is_async, count=1):
        lib = family("httpx")
        script = Scripted([Reply([b"data: 1\n\n", DONE])] * count)

        async def go():
            return [await call(lib, made.transport(script), is_async=is_async) for _ in range(count)]

        seen = asyncio.run(go())
        assert [one.chunks for one in seen] == [[b"data: 1\n\n", DONE]] * count
        made.close()

    @BOTH
    def test_a_full_disk(self, tmp_path, monkeypatch, is_async):
        warnings = []
        made = recorder(tmp_path / "r.jsonl", warn=warnings.append)
        monkeypatch.setattr("harness.recording.writer.os.write", full)
        self.run(made, is_async, count=3)
        assert len(made.errors) == len(warnings) == 1
        assert "No space left on device" in warnings[0]
        assert "\n" not in warnings[0]

    @BOTH
    def test_a_disk_that_is_full_for_a_while(self, tmp_path, monkeypatch, is_async):
        """Requests that were lost are not referred to later, and what is in the file is read without a fault."""
        made = recorder(tmp_path / "r.jsonl", warn=None)
        lib = family("httpx")
        script = Scripted(answer=answer)
        asyncio.run(call(lib, made.transport(script), is_async=is_async, content=body("one")))
        with monkeypatch.context() as patch:
            patch.setattr("harness.recording.writer.os.write", full)
            asyncio.run(call(lib, made.transport(script), is_async=is_async, content=body("lost", tools=["x" * 90])))
        asyncio.run(call(lib, made.transport(script), is_async=is_async, content=body("three", tools=["x" * 90])))
        made.close()
        recorded = open_recording(tmp_path / "r.jsonl", strict=True)
        assert texts(recorded.calls) == ["re: one", "re: three"]
        assert recorded.calls[1].request.body == json.loads(body("three", tools=["x" * 90]))
        assert recorded.end["calls"] == 2

    @BOTH
    def test_a_descriptor_that_was_closed(self, tmp_path, is_async):
        warnings = []
        made = recorder(tmp_path / "r.jsonl", warn=warnings.append)
        made._writer.close()
        self.run(made, is_async, count=2)
        assert len(made.errors) == len(warnings) == 1

    @BOTH
    @pytest.mark.parametrize("method", ["bytes", "text", "json", "learn"])
    def test_a_redactor_that_fails(self, tmp_path, is_async, method):
        class Failing(Redactor):
            armed = False

        def fail(self, value):
            if self.armed:
                raise ZeroDivisionError("in the\nredactor")
            return getattr(super(Failing, self), method)(value)

        setattr(Failing, method, fail)
        redactor = Failing()
        made = recorder(tmp_path / "r.jsonl", warn=None, redactor=redactor)
        redactor.armed = True
        turn = {"mode": "PLAN", "provider": "p", "model": "m", "base_url": None, "system": None, "tools": []}
        made.turn([user("x")], params={}, limits=Limits(), **turn)
        self.run(made, is_async)
        assert set(made.errors) <= {"ZeroDivisionError: in the redactor"}
        assert "end" in [r["kind"] for r in records(tmp_path / "r.jsonl")]

    def test_a_frame_that_failed_leaves_the_rest(self, tmp_path):
        class Failing(Redactor):
            def bytes(self, data):
                if b"data: 1" in data:
                    raise ZeroDivisionError
                return super().bytes(data)

        made = recorder(tmp_path / "r.jsonl", warn=None, redactor=Failing())
        self.run(made, False, count=2)
        recorded = open_recording(tmp_path / "r.jsonl", strict=True)
        assert [one.body() for one in recorded.calls] == [DONE, DONE]
        assert made.errors == ["ZeroDivisionError"]

    def test_a_warning_that_fails(self, tmp_path, monkeypatch):
        def warn(line):
            raise BrokenPipeError

        made = recorder(tmp_path / "r.jsonl", warn=warn)
        monkeypatch.setattr("harness.recording.writer.os.write", full)
        self.run(made, False)
        assert len(made.errors) == 1

    def test_errors_do_not_pile_up(self, tmp_path):
        made = recorder(tmp_path / "r.jsonl", warn=None)
        for number in range(1000):
            made.fault(ValueError(f"fault {number}"))
        assert len(made.errors) == MOST_ERRORS
        made.close()

    def test_a_turn_that_cannot_be_written_down(self, tmp_path):
        made = recorder(tmp_path / "r.jsonl", warn=None)
        tap = made.turn(
            [], mode="PLAN", provider="p", model="m", base_url=None, system=None, tools=[], params={}, limits=Limits()
        )
        assert tap.ids()() == 0
        assert len(made.errors) == 1
        made.close()

    def test_an_interrupt_in_the_recorder_is_the_callers(self, tmp_path):
        class Interrupted(Redactor):
            def bytes(self, data):
                if b"header" not in data:
                    raise KeyboardInterrupt
                return data

        lib = family("httpx")
        with recorder(tmp_path / "r.jsonl", redactor=Interrupted()) as made, pytest.raises(KeyboardInterrupt):
            lib.Client(transport=made.transport(Scripted([Reply([DONE])]))).post(URL, content=BODY)
