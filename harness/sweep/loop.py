"""Every case of one turn, over the agent loop: the real client and the real loop over a transport that plays it."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Iterator
from typing import Any

from agent.client import Client, Timeouts
from agent.events import Event, ToolCall, UsageEvent
from agent.loop import run_turn
from agent.loop_types import ToolResult
from harness.errors import raised
from harness.recording.turns import no_wait
from harness.sweep.cases import Case, Chunks, Cut, Leave, Slow, Whole
from harness.sweep.decode import decode
from harness.sweep.plan import turn_cases, turn_cuts
from harness.sweep.script import ScriptTransport
from harness.sweep.seen import marked
from harness.sweep.streams import Stream
from harness.sweep.tally import Tally
from harness.sweep.turn_laws import Played, SeenTurn, judge_turn
from harness.sweep.turns import SweptTurn

_PATIENCE = 30.0
"""Seconds after which a turn counts as hanging; it has nothing to wait for."""

_ENDINGS = ("eof", "reset", "timeout")
"""How a cut ends, in turn; to be closed by the client is `Leave`."""


def sweep_turn(turn: SweptTurn, source: random.Random) -> Tally:
    """All laws over all cases of each of its replies."""
    return asyncio.run(_sweep(turn, source))


def breaks_turn(law: str, turn: SweptTurn, number: int, stream: Stream, case: Case) -> str | None:
    """How one case breaks a law, of a turn whose reply `number` is `stream`; None where it does not."""
    turn = turn.with_reply(number, stream)

    async def one() -> SeenTurn:
        return await _see(turn, number, case, (await _play(turn, number, Whole()))[0])

    return dict(judge_turn(asyncio.run(one()))).get(law)


async def _sweep(turn: SweptTurn, source: random.Random) -> Tally:
    tally = Tally()
    base, _ = await _play(turn, 0, Whole())
    responses = [(number, reply) for number, reply in enumerate(turn.replies) if isinstance(reply, Stream)]
    for place, (number, reply) in enumerate(responses):
        for case in _cases(reply, source, None if place else base):
            seen = await _see(turn, number, case, base)
            tally.add(reply, case, judge_turn(seen))
    return tally


def _cases(reply: Stream, source: random.Random, base: Played | None) -> Iterator[Case]:
    """`base`: the turn as it is, for the cases that are about the turn and not about one of its replies."""
    if base is not None:
        yield Whole()
        count = len(base.events)
        yield from map(Leave, range(count + 1) if count <= 40 else sorted(source.sample(range(count + 1), 40)))
    for number, (frame, offset) in enumerate(turn_cuts(reply, source)):
        yield Cut(frame, offset, _ENDINGS[number % len(_ENDINGS)])
    yield from turn_cases(reply, source, Timeouts().read)


async def _see(turn: SweptTurn, number: int, case: Case, base: Played) -> SeenTurn:
    played, script = await _play(turn, number, case)
    seen = SeenTurn(case.kind, played, base)
    seen.sources = {
        call: (turn.full[place] if place < len(turn.full) else None, cased)
        for call, (place, cased) in script.served.items()
    }
    cut = _as_cut(case)
    reply = turn.replies[number]
    if isinstance(reply, Stream):
        answer = cut.answer(reply)
        run = decode(reply, answer)
        seen.closing = run.finished[-1] if run.finished and isinstance(run.finished[-1], UsageEvent) else None
        seen.marked = marked(reply, run.frames, b"".join(answer.chunks))
    if _retried(played, script) or isinstance(cut, Chunks | Leave | Whole | Slow):
        seen.expected = base
    elif cut is not case:
        seen.expected, _ = await _play(turn, number, cut)
    return seen


def _as_cut(case: Case) -> Case:
    """Too slow is as good as cut off by the time-out of the client."""
    if isinstance(case, Slow) and case.seconds > Timeouts().read:
        return Cut(case.frame, 0, "timeout")
    return case


def _retried(played: Played, script: ScriptTransport) -> bool:
    """Whether the call that the case was made of was tried again, and then got the reply as it was."""
    cased = [call for call, (_, made) in script.served.items() if made]
    retries = {event.data["call"] for event in played.events if event.data.get("what") == "retry"}
    return len(cased) == 1 and cased[0] in retries


async def _play(turn: SweptTurn, number: int, case: Case) -> tuple[Played, ScriptTransport]:
    """Run the turn. Whatever happens, the loop is left and the client closed."""
    played = Played()
    script = ScriptTransport(turn, number, case)
    stop = case.events if isinstance(case, Leave) else -1

    async def execute(tool_call: ToolCall, *, call: int, position: int) -> ToolResult:
        played.ran.append((call, tool_call))
        return turn.result(script.served[call][0], position)

    try:
        async with asyncio.timeout(_PATIENCE), Client(turn.target, transport=script) as client:

            def create_stream(*messages: Any, **given: Any) -> AsyncIterator[Event]:
                return client.stream(*messages, **given, options=turn.options)

            async with run_turn(
                turn.history,
                create_stream=create_stream,
                execute_tool=execute,
                sleep=no_wait,
                wire=turn.target.wire,
                **turn.arguments,
            ) as running:
                while len(played.events) != stop and (event := await anext(running, None)) is not None:
                    played.events.append(event)
            played.messages = running.messages
    except Exception as error:
        played.raised = raised(error)
    played.left_open = script.open + len(asyncio.all_tasks()) - 1
    return played, script
