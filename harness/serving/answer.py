"""The replay server: answers from recordings, with the same bytes, chunk borders and endings, and asks no network."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from urllib.parse import urlsplit

import httpx
from starlette.requests import ClientDisconnect

from agent.jsonio import dumps
from harness.errors import ReplayMismatch
from harness.recording.contents import Call
from harness.recording.headers import header_value
from harness.redaction.redactor import Redactor
from harness.replaying.matching import MatchRules
from harness.replaying.replay_transport import ReplayTransport
from harness.serving.doors import Doors
from harness.serving.exchange import HOP_BY_HOP, Exchange, Receive, Scope, Send, answer
from harness.serving.forward import CUT, NOT_REACHED, unreachable
from harness.serving.stand_ins import stand_in

RERECORD = "record it anew: harness record -o FILE -- COMMAND"

_VERSIONED = re.compile(r"/v\d+[a-z]*\d*(/.*)")
_NOT_OF_THE_BODY = HOP_BY_HOP | {"content-length"}
_TIMED_OUT = re.compile("Timeout")


class ReplayServer:
    """An ASGI app over recorded calls.

    `redactor` knows the keys in use. `speed`: None answers without waiting, 1.0 at the recorded pace. With `repeat`,
    calls that are used up answer again. `answered` counts the requests that a call answered; `misses` has a text for
    each one that none did, and `on_miss` is called with it.
    """

    def __init__(
        self,
        calls: Sequence[Call],
        doors: Doors,
        *,
        rules: MatchRules = MatchRules(),
        redactor: Redactor | None = None,
        speed: float | None = None,
        repeat: bool = False,
        on_miss: Callable[[str], None] | None = None,
    ) -> None:
        self.answered = 0
        self.misses: list[str] = []
        self.faults: list[str] = []
        self._calls = list(calls)
        self._doors = doors
        self._rules = rules
        self._redactor = redactor or Redactor()
        self._on_miss = on_miss
        self._speed = speed
        self._repeat = repeat
        self._transport = self._fresh()
        self._used: set[int] = set()
        self._urls = {urlsplit(call.url).path: call.url for call in reversed(self._calls)}

    @property
    def unused(self) -> list[Call]:
        """The calls that no request has asked for."""
        return [call for call in self._calls if id(call) not in self._used]

    async def warm(self) -> None:
        """Nothing is left to load."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        exchange = Exchange(scope, receive, send)
        if await exchange.refused_upgrade():
            return
        try:
            body = await exchange.body()
        except ClientDisconnect:
            return
        await answer(exchange, self._answer(exchange, body), self.faults)

    async def _answer(self, exchange: Exchange, body: bytes) -> None:
        path = self._doors.unprefixed(exchange.path)
        try:
            call = self._take(exchange, path, body)
        except ReplayMismatch as miss:
            value = stand_in(self._calls, exchange.method, path, exchange.headers, body)
            if value is not None:
                await _whole(exchange, dumps(value))
                return
            text = miss.report()
            self.misses.append(text)
            if self._on_miss is not None:
                self._on_miss(text)
            await exchange.refuse(400, text, "replay_mismatch")
            return
        self.answered += 1
        self._used.add(id(call))
        await _replay(exchange, call, self._speed)

    def _take(self, exchange: Exchange, path: str, body: bytes) -> Call:
        """The call that answers. Raises `ReplayMismatch`."""
        request = self._request(exchange, path, body)
        try:
            return self._transport.take(request)
        except ReplayMismatch:
            if not self._repeat:
                raise
        again = self._fresh()
        call = again.take(request)
        self._transport = again
        return call

    def _fresh(self) -> ReplayTransport:
        return ReplayTransport(self._calls, rules=self._rules, redactor=self._redactor, rerecord=RERECORD)

    def _request(self, exchange: Exchange, path: str, body: bytes) -> httpx.Request:
        """The request with the path of the recorded calls.

        A base URL is as little part of a call as its host is: what stands before the version (`/v1`) does not count,
        unless calls with just this path were recorded.
        """
        if path not in self._urls:
            path = next((recorded for recorded in self._urls if same_endpoint(recorded, path)), path)
        parts = urlsplit(self._urls.get(path, "http://127.0.0.1"))
        target = f"{path}?{exchange.query}" if exchange.query else path
        url = httpx.URL(f"{parts.scheme}://{parts.netloc}").copy_with(raw_path=target.encode("latin-1"))
        return httpx.Request(exchange.method, url, headers=exchange.headers, content=body)


async def _replay(exchange: Exchange, call: Call, speed: float | None) -> None:
    """One recorded call on the socket, its ending included."""
    if speed and call.responded is not None:
        await asyncio.sleep((call.responded - call.started) / speed)
    if call.response is None:
        await _no_response(exchange, call)
        return
    headers = [pair for pair in call.response.headers if pair[0].lower() not in _NOT_OF_THE_BODY]
    chunks = call.timed_chunks()
    broken = call.end.kind == "error" or (call.end.kind == "closed" and not call.complete)
    length = header_value(call.response.headers, "content-length")
    if exchange.method == "HEAD" and length is not None:
        headers.append(("content-length", length))
    elif length is not None and len(chunks) <= 1 and not broken:
        headers.append(("content-length", str(sum(len(chunk) for _, chunk in chunks))))
    await exchange.start(call.response.status, [(name.encode(), value.encode("latin-1")) for name, value in headers])
    before = call.responded or call.started
    for moment, chunk in chunks:
        if speed:
            await asyncio.sleep(max(0.0, moment - before) / speed)
            before = moment
        await exchange.chunk(chunk)
    if speed and call.end_record is not None:
        await asyncio.sleep(max(0.0, call.end_record["t"] - before) / speed)
    if broken:
        await _break(exchange, call, speed)
    else:
        await exchange.finish()


async def _no_response(exchange: Exchange, call: Call) -> None:
    """A try that got no answer: as the record proxy tells it."""
    if call.end.error_class in NOT_REACHED:
        await exchange.refuse(502, unreachable(call.url, call.end.message), "unreachable", retry=True)
    else:
        await _break(exchange, call, None)


async def _break(exchange: Exchange, call: Call, speed: float | None) -> None:
    """The end of an answer that is not whole. A time-out takes its time only where timing was asked for."""
    if speed and _TIMED_OUT.search(call.end.error_class or ""):
        await exchange.left()
    elif call.end.error_class == CUT:
        await exchange.break_off()
    else:
        await exchange.reset()


async def _whole(exchange: Exchange, body: bytes) -> None:
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await exchange.start(200, headers)
    await exchange.chunk(body)
    await exchange.finish()


def same_endpoint(one: str, other: str) -> bool:
    """Whether two paths differ only in the base URL: in what stands before the version, or in having one at all."""
    parts = [_VERSIONED.search(path) for path in (one, other)]
    if parts[0] and parts[1]:
        return parts[0][0] == parts[1][0]
    ends = [found[1] if found else path for found, path in zip(parts, (one, other), strict=True)]
    return ends[0].endswith(ends[1]) or ends[1].endswith(ends[0])
