from __future__ import annotations

import io
import json
import os

import pytest

from agent.events import Text
from agent.front_ends.jsonl import jsonl
from tests.agent.scripts import ANSWER, WAIT, Script, call, failure, no_usage, turn, usage

pytestmark = pytest.mark.anyio


async def test_one_compact_object_a_line():
    out = io.StringIO()
    summary = await jsonl(turn(Script([Text("é\n"), call(), usage("tool_calls")], ANSWER)), out)
    lines = out.getvalue().splitlines()
    assert lines[0] == '{"event":"text","data":{"delta":"é\\n"}}'
    events = [json.loads(line) for line in lines]
    assert [event["event"] for event in events] == [
        "text", "tool_call", "tool_result", "text", "text", "finish", "done",
    ]  # fmt: skip
    assert events[-1] == {"event": "done", "data": {}}
    assert summary.finish == events[-2]["data"]
    assert not summary.failed


async def test_an_error_is_in_the_summary():
    summary = await jsonl(turn(Script([failure(retryable=False), no_usage()])), io.StringIO())
    assert summary.failed
    assert summary.finish["stop_reason"] == "error"


async def test_each_line_is_flushed_as_it_comes():
    class Out(io.StringIO):
        seen = ()

        def flush(self):
            self.seen = (*self.seen, self.getvalue().count("\n"))

    out = Out()
    await jsonl(turn(Script(ANSWER)), out)
    assert out.seen == (1, 2, 3, 4)


async def test_a_reader_that_has_gone_leaves_the_turn_closed():
    reader, writer = os.pipe()
    os.close(reader)
    script = Script([Text("a"), WAIT])
    out = os.fdopen(writer, "w")
    with pytest.raises(BrokenPipeError):
        await jsonl(turn(script), out)
    assert script.closed == 1
    with pytest.raises(BrokenPipeError):
        out.close()
