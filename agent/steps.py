"""The turn as a state machine: `step` takes one step, and leaves its loop events in `out`.

open -> read ... -> (retry: wait -> open) -> run a tool ... -> open ... -> finish, done
                                          -> open (a paused answer goes on)
                                          -> finish, done
"""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from agent import notices, rounds
from agent.answer import RUNS_CALLS, Answer
from agent.events import Event, ToolCall, Usage
from agent.jsonio import scrub
from agent.loop_types import LoopEvent, Setup, ToolResult
from agent.messages import Message, tool_result
from agent.retry import delay
from agent.totals import Totals
from agent.trim import Trimmed, base_size, cap, trim


class Steps:
    """`messages` are those that the turn has added; after the end or `close` they make a valid history.

    Each call in them has one result: a call that was not run says so in an error result.
    """

    def __init__(self, history: Sequence[Message], setup: Setup, crashed: Callable[[BaseException], bool]) -> None:
        """`crashed` tells an exception of a tool, which the model is told, from one that ends the turn."""
        self.out: deque[LoopEvent] = deque()
        self.messages: list[Message] = []
        self.step: Callable[[], Awaitable[None]] | None = self._open
        self._history = [message for message in history if message.role != "note"]
        self._setup = setup
        self._crashed = crashed
        self._totals = Totals()
        self._rounds = rounds.Rounds(setup.limits.max_repeats)
        self._iterations = 0
        self._base = base_size(setup.system, setup.tools)
        self._told: tuple[int, int, int] = (0, 0, 0)
        self._request: list[Message] = []
        self._stream: AsyncIterator[Event] | None = None
        self._answer: Answer | None = None
        self._at: datetime | None = None
        self._call = 0
        self._calls: list[ToolCall] = []
        self._round: list[tuple[str, dict[str, Any], str]] = []
        self._running = False

    async def close(self, reason: str) -> None:
        """End the turn where it stands; no events follow. Calls that are unanswered get a result with `reason`."""
        self.step = None
        self.out.clear()
        if self._answer is not None:
            self._keep(self._answer)
        for call in self._calls[len(self._round) :]:
            text = rounds.stopped(reason) if self._running else rounds.not_run(reason)
            self.messages.append(tool_result(call, text, ok=False))
            self._running = False
        self._calls = []
        await self._end_stream()

    async def _open(self) -> None:
        """Begin an iteration: keep the request within its budget and make the first try."""
        setup = self._setup
        if self._iterations >= setup.limits.max_iterations:
            self._finish("max_iterations")
            return
        trimmed = trim(
            [*self._history, *self.messages],
            setup.limits.max_request_chars,
            base=self._base,
            keep_tail=setup.limits.keep_tail,
        )
        self._tell(trimmed)
        if not trimmed.fits:
            self._finish("context_overflow")
            return
        self._iterations += 1
        self._request = trimmed.messages
        self._try(None)

    def _tell(self, trimmed: Trimmed) -> None:
        """A notice of what was trimmed, when it is not what the last one said."""
        done = (trimmed.results, trimmed.inputs, trimmed.units)
        if trimmed.fits and (not trimmed.changed or done == self._told):
            return
        self._told = done
        self.out.append(notices.trimmed(trimmed))

    def _try(self, failed: Answer | None) -> None:
        """Make a call; `failed` is the try that it repeats."""
        setup = self._setup
        call = setup.ids()
        self._at = setup.clock()
        self._answer = Answer(call, 0 if failed is None else failed.attempt + 1)
        self._stream = setup.create_stream(
            self._request,
            setup.tools,
            model=setup.model,
            system=setup.system,
            params=setup.params,
            call=call,
            retry_of=None if failed is None else failed.call,
        )
        self.step = self._read

    async def _read(self) -> None:
        """One event of the provider."""
        assert self._stream is not None
        assert self._answer is not None
        try:
            event = await self._stream.__anext__()
        except StopAsyncIteration:
            await self._end_stream()
            self._ended(self._answer)
            return
        told = self._answer.feed(event, self._setup.limits.max_retries)
        if told is not None:
            self.out.append(told)

    def _ended(self, answer: Answer) -> None:
        """The call is over: count it, then retry, run its calls, resume or finish."""
        told = answer.close(self._setup.limits.max_retries)
        if told is not None:
            self.out.append(told)
        assert answer.closing is not None
        model, error = answer.closing.model, answer.error
        self._totals.add(answer.closing, lambda usage: self._price(usage, model), error=error, had_output=answer.any)
        if answer.retry:
            self._wait(answer)
            return
        self._keep(answer)
        stop = answer.stop_reason
        if stop in RUNS_CALLS and self._calls:
            self.step = self._run
        elif stop == "pause":
            if self._iterations < self._setup.limits.max_iterations:
                self.out.append(notices.resume(self._iterations + 1))
            self.step = self._open
        else:
            for call in self._calls:
                self._answered(call, ToolResult(False, rounds.not_run(f"the response ended with {stop}")))
            self._calls = []
            self._finish(stop)

    def _wait(self, answer: Answer) -> None:
        """Announce a retry; the next step waits and makes it."""
        assert answer.error is not None
        self._answer = None
        # The jitter follows from the number of the try, so that a replay gives the same notices.
        jitter = (answer.attempt + 1) * 0.618 % 1
        seconds = round(delay(answer.attempt, answer.error.retry_after, jitter), 3)
        self.out.append(notices.retry(answer.call, answer.attempt + 1, seconds, answer.error))

        async def wait() -> None:
            await self._setup.sleep(seconds)
            self._try(answer)

        self.step = wait

    def _keep(self, answer: Answer) -> None:
        """Add the answer to the messages; its calls are now to be answered."""
        self._answer = None
        self._call = answer.call
        message = answer.message(self._setup.wire)
        if message.parts:
            self.messages.append(message)
        self._calls = message.tool_calls
        self._round = []

    async def _run(self) -> None:
        """Answer the next call of the round."""
        position = len(self._round)
        call = self._calls[position]
        self._answered(call, await self._execute(call, position))
        if len(self._round) < len(self._calls):
            return
        self._calls = []
        if self._rounds.add(self._round):
            self._finish("repeated_call")
        else:
            self.step = self._open

    async def _execute(self, call: ToolCall, position: int) -> ToolResult:
        setup = self._setup
        if not any(tool.name == call.name for tool in setup.tools):
            return ToolResult(False, rounds.unknown_tool(call.name, setup.tools, setup.mode, setup.tool_modes))
        if call.unparsed:
            return ToolResult(False, rounds.unparsed(call.name))
        self._running = True
        try:
            result = await setup.execute_tool(call, call=self._call, position=position)
        except BaseException as error:
            if not self._crashed(error):
                raise
            result = ToolResult(False, rounds.crash(error))
        self._running = False
        return result

    def _answered(self, call: ToolCall, result: ToolResult) -> None:
        text = scrub(result.output)
        capped = cap(text, self._setup.limits.max_result_chars)
        self.messages.append(tool_result(call, capped, ok=result.ok))
        self._round.append((call.name, call.input, capped))
        data = {"id": call.id, "name": call.name, "ok": result.ok, "output": capped}
        self.out.append(LoopEvent("tool_result", data))
        if capped != text:
            # After the result: whoever leaves between the two has the result that the notice is about.
            self.out.append(notices.capped(call, len(text), len(capped)))

    def _finish(self, stop_reason: str) -> None:
        self.out.append(LoopEvent("finish", self._totals.finish(stop_reason, self._iterations)))
        self.out.append(LoopEvent("done", {}))
        self.step = None

    def _price(self, usage: Usage, answered: str | None) -> Decimal | None:
        """By the model that answered, or else by the one that was asked: some providers answer with another name."""
        setup = self._setup
        if setup.price is None:
            return None
        cost = setup.price(usage, setup.provider, answered or setup.model, self._at)
        if cost is None and answered is not None and answered != setup.model:
            cost = setup.price(usage, setup.provider, setup.model, self._at)
        return cost

    async def _end_stream(self) -> None:
        stream, self._stream = self._stream, None
        close = getattr(stream, "aclose", None)
        if close is not None:
            await close()
