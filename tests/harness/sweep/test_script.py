from __future__ import annotations

from dataclasses import replace

import httpx
import pytest

from agent.events import End
from harness.sweep.cases import Cut, Slow, Status, Whole
from harness.sweep.script import ScriptTransport
from harness.sweep.turns import turn_of_fixture
from tests.harness.sweep.swept import chat

FIRST, SECOND = chat({"content": "one"}), chat({"content": "two"})
TURN = turn_of_fixture(FIRST)


def ask(script, call, *, retry=False, patience=5.0):
    async def one():
        request = httpx.Request(
            "POST",
            "http://provider.invalid/",
            extensions={"trajectory": {"call": call, "retry_of": 0 if retry else None}, "timeout": {"read": patience}},
        )
        response = await script.handle_async_request(request)
        body = b""
        try:
            async for chunk in response.aiter_raw():
                body += chunk
        except httpx.TransportError as error:
            return response.status_code, body, type(error).__name__
        finally:
            await response.aclose()
        return response.status_code, body, None

    import asyncio

    return asyncio.run(one())


def script(case=Whole(), number=0, replies=(FIRST, SECOND), repeats=(False, False)):
    return ScriptTransport(replace(TURN, replies=replies, repeats=repeats), number, case)


def test_replies_in_order_then_the_end():
    made = script()
    assert ask(made, 0) == (200, FIRST.body, None)
    assert ask(made, 1) == (200, SECOND.body, None)
    assert ask(made, 2)[0] == 400
    assert (made.open, made.served) == (0, {0: (0, True), 1: (1, False), 2: (2, False)})


def test_a_retry_gets_the_reply_as_it_was():
    made = script(Cut(1, 0, "reset"))
    assert ask(made, 0) == (200, FIRST.pieces[0], "ReadError")
    assert ask(made, 1, retry=True) == (200, FIRST.body, None)
    assert ask(made, 2) == (200, SECOND.body, None)


def test_a_recorded_retry_gets_its_reply():
    made = script(Status(500), repeats=(False, True))
    assert ask(made, 0)[0] == 500
    assert ask(made, 1, retry=True) == (200, SECOND.body, None)
    made = script(repeats=(False, True), replies=(FIRST, SECOND))
    assert ask(made, 0)[1] == FIRST.body
    assert ask(made, 1)[0] == 400  # the recorded retry is not needed


def test_an_error_that_stays():
    made = script(Status(529, stays=True))
    assert [ask(made, call, retry=call > 0)[0] for call in range(3)] == [529] * 3
    assert made.served[2] == (0, True)


@pytest.mark.parametrize(("seconds", "body", "error"), [(4.9, FIRST.body, None), (5.1, FIRST.pieces[0], "ReadTimeout")])
def test_silence_is_held_against_the_time_out_of_the_client(seconds, body, error):
    assert ask(script(Slow(1, seconds)), 0) == (200, body, error)


def test_how_calls_end():
    with pytest.raises(httpx.ConnectError, match="refused"):
        ask(script(replies=(End("error", "ConnectError", "refused"),), number=1), 0)
    assert ask(script(replies=(replace(FIRST, end=End("closed")),)), 0) == (200, FIRST.body, "ReadError")
