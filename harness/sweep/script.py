"""A transport that plays the replies of a turn in order, one of them as a case makes it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx

from agent.client import EXTENSION
from agent.events import End
from harness import wire
from harness.sweep.cases import ENDINGS, Case, Status, Whole
from harness.sweep.decode import Answer
from harness.sweep.streams import Stream
from harness.sweep.turns import Reply, SweptTurn

_OVER = Answer(
    (b'{"error":{"message":"the sweep has no further reply"}}',), 400, (("content-type", "application/json"),)
)


class ScriptTransport(httpx.AsyncBaseTransport):
    """The first request for reply `number` gets what `case` makes of it.

    A retry gets the recorded reply to a retry where there is one, else the reply itself as it was: the provider has
    recovered (unless the case says that it does not). Silence is not waited for: where it is longer than the client's
    time-out, that is over. `served`: number of the reply by call, and whether it was the case's.
    """

    def __init__(self, turn: SweptTurn, number: int, case: Case) -> None:
        self.served: dict[int, tuple[int, bool]] = {}
        self.open = 0
        self._turn = turn
        self._number = number
        self._case = case
        self._stays = isinstance(case, Status) and case.stays
        self._next = 0
        self._last = -1

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        await request.aread()
        about = request.extensions[EXTENSION]
        place = self._place(retry=about["retry_of"] is not None)
        cased = place == self._number and (self._stays or (place, True) not in self.served.values())
        self.served[about["call"]] = place, cased
        answer = self._answer(place, cased)
        if isinstance(answer, End):
            raise wire.transport_error(httpx, answer.error_class, answer.message, request)
        self.open += 1
        stream = wire.stream_class(httpx)(aiterate=lambda: _play(answer, request), aclose=self._closed)
        return httpx.Response(answer.status, headers=[*answer.headers], stream=stream)

    async def _closed(self) -> None:
        self.open -= 1

    def _place(self, *, retry: bool) -> int:
        """Which reply a request gets; one past the last is the end of the script."""
        repeats = self._turn.repeats
        recorded = self._next < len(repeats) and repeats[self._next]
        if retry and (not recorded or self._stays):
            return self._last
        while not retry and self._next < len(repeats) and repeats[self._next]:
            self._next += 1
        self._last = self._next
        self._next += 1
        return self._last

    def _answer(self, place: int, cased: bool) -> Answer | End:
        replies = self._turn.replies
        reply: Reply | None = replies[place] if place < len(replies) else None
        if reply is None:
            return _OVER
        if isinstance(reply, Stream):
            return (self._case if cased else Whole()).answer(reply)
        return reply


async def _play(answer: Answer, request: httpx.Request) -> AsyncIterator[bytes]:
    patience = request.extensions["timeout"]["read"]
    late = answer.silence > patience
    for number, chunk in enumerate(answer.chunks):
        if late and number >= answer.late_from:
            break
        if chunk:
            yield chunk
    end = ENDINGS["timeout"] if late else answer.end
    if end.kind == "error":
        raise wire.transport_error(httpx, end.error_class, end.message, request)
    if end.kind == "closed":  # of the recorded client; this one is still there
        raise httpx.ReadError("the client closed here", request=request)
