from __future__ import annotations

import asyncio
import io
import os

import pytest

from agent.events import Error, Reasoning, Text
from agent.front_ends.human import human
from agent.loop_types import Limits
from agent.messages import user
from tests.agent.scripts import ANSWER, WAIT, Script, Tools, call, failure, no_usage, turn, usage

pytestmark = pytest.mark.anyio


async def show(*calls, tools=None, quiet=False, colour=False, **options):
    out, err = io.StringIO(), io.StringIO()
    summary = await human(turn(Script(*calls), tools, **options), out, err, quiet=quiet, colour=colour)
    return out.getvalue(), err.getvalue(), summary


async def test_text_goes_to_out_and_everything_else_to_err():
    first = [
        Reasoning("I think\n\n  so"),
        Text("Let me "),
        Text("look."),
        call(path="a b.md", n=3),
        usage("tool_calls"),
    ]
    out, err, summary = await show(first, ANSWER, tools=Tools(look="line 1\nline 2"))
    assert out == "Let me look.\nHello\n"
    assert err == (
        "thinking (13 characters): I think so\n"
        "-> look path=a b.md n=3\n"
        "<- 13 characters: line 1 line 2\n"
    )  # fmt: skip
    assert summary.finish["stop_reason"] == "stop"
    assert not summary.failed


async def test_text_arrives_as_it_comes():
    class Out(io.StringIO):
        seen = ()

        def flush(self):
            self.seen = (*self.seen, self.getvalue())

    out = Out()
    await human(turn(Script(ANSWER)), out, io.StringIO())
    assert out.seen == ("Hel", "Hello", "Hello\n")


async def test_text_that_ends_its_line_gets_no_second_end():
    out, _, _ = await show([Text("a\n"), usage()])
    assert out == "a\n"


async def test_an_error_with_its_hint():
    error = Error("Provider HTTP 401: bad key", "auth", False, "the API key is wrong: check X_API_KEY", 401)
    out, err, summary = await show([Text("half"), error, no_usage()])
    assert out == "half\n"
    assert err == "error: Provider HTTP 401: bad key\n-> the API key is wrong: check X_API_KEY\n"
    assert summary.failed


async def test_quiet_leaves_errors_and_early_stops():
    calls = [Reasoning("hm"), Text("a"), Reasoning("hm"), Text("b"), call(), usage("tool_calls")]
    out, err, _ = await show(calls, [failure(retryable=False), no_usage()], quiet=True)
    assert (out, err) == ("ab\n", "error: it failed\n")
    _, err, _ = await show(calls, quiet=True, limits=Limits(max_iterations=1))
    assert err == "stopped (max_iterations): the limit of iterations was reached\n"


async def test_notices():
    script = ([failure(message="busy"), no_usage()], [Text("a"), usage("pause")], [call(), usage("tool_calls")], ANSWER)
    _, err, _ = await show(*script, tools=Tools(look="x" * 50_000))
    lines = err.splitlines()
    assert lines[0].startswith("retry 1 in 0.4")
    assert lines[0].endswith(" s: busy")
    assert lines[1] == "the provider paused; going on"
    assert lines[3].startswith("<- 19,")
    assert lines[4].startswith("result of look cut from 50,000 to ")


async def test_trim_notices():
    rounds = [[call(n=n), usage("tool_calls")] for n in range(5)]
    limits = Limits(max_request_chars=4_000, max_repeats=0)
    _, err, _ = await show(*rounds, ANSWER, tools=Tools(look="x" * 1_000), limits=limits)
    assert "request trimmed from 4," in err
    assert " characters (results left out: 1)\n" in err
    _, err, _ = await show(ANSWER, history=[user("x" * 5_000)], limits=limits)
    assert err.startswith("the request is too long: 5,")
    assert err.endswith("stopped (context_overflow): the conversation is too long for the request\n")


async def test_results_that_failed_or_are_empty():
    calls = [call("c1", "none"), call("c2", "bad"), call("c3", "gone"), usage("tool_calls")]
    _, err, _ = await show(calls, ANSWER, tools=Tools(none="", bad=ValueError("no such file")))
    assert [line for line in err.splitlines() if line.startswith("<-")] == [
        "<- nothing",
        "<- failed: ValueError: no such file",
        "<- failed: unknown tool 'gone'; the tools here are: none, bad",
    ]


async def test_lines_on_err_are_short_and_hold_no_control_characters():
    calls = [Reasoning("y" * 5_000), call(path="p" * 500, more={"a": ["\x1b[31m"] * 99}), usage("tool_calls")]
    _, err, _ = await show(calls, ANSWER, tools=Tools(look="\x1b]0;title\x07 ok"))
    assert "\x1b" not in err
    assert "\x07" not in err
    assert max(map(len, err.splitlines())) <= 160
    assert "thinking (5,000 characters): yyy" in err


async def test_colours():
    calls = [Reasoning("hm"), call(), usage("tool_calls")]
    _, err, _ = await show(calls, ANSWER, colour=True)
    assert err.splitlines() == [
        "\x1b[2mthinking (2 characters): hm\x1b[0m",
        "\x1b[36m-> look\x1b[0m",
        "<- 4 characters: seen",
    ]


async def test_a_cancelled_turn_ends_its_line():
    out = io.StringIO()
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(human(turn(Script([Text("half"), WAIT])), out, io.StringIO()), 0.05)
    assert out.getvalue() == "half\n"


async def test_a_reader_that_has_gone_leaves_the_turn_closed():
    reader, writer = os.pipe()
    os.close(reader)
    script = Script([Text("a"), WAIT])
    out = os.fdopen(writer, "w")
    with pytest.raises(BrokenPipeError):
        await human(turn(script), out, io.StringIO())
    assert script.closed == 1
    with pytest.raises(BrokenPipeError):
        out.close()
