"""A transport that answers from recordings, for clients of `httpx` and `httpx2`, sync and async, without network."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from harness import wire
from harness.errors import ReplayMismatch
from harness.recorder.recording_transport import REPLAYED
from harness.recording.contents import Call
from harness.recording.headers import header_secrets, recorded_url, url_secrets, url_without_keys
from harness.redaction.placeholders import MARK, unnumbered
from harness.replaying.matching import MatchRules, RequestKey, nearest, request_key

if TYPE_CHECKING:
    from harness.redaction.redactor import Redactor

_NOT_OF_THE_BODY = frozenset({"content-length", "transfer-encoding", "connection", "keep-alive"})
"""Headers of the recorded message that do not describe the replayed one (RFC 9110, 8.6; RFC 9112, 6.1 and 9.6)."""

RERECORD = "record it anew with `harness ask`"


class ReplayTransport(wire.Transport):  # type: ignore[misc]
    """Answers each request with the recorded call of the same key: same bytes, same chunk borders, same ending.

    `calls`: recorded calls, in order. Calls of one key answer first in, first out; different keys in any order. A
    request without a call raises `ReplayMismatch`. `speed`: None replays without waiting, 1.0 at the recorded pace,
    2.0 twice as fast. `on_closed` is asked where the client closed the recorded stream (or its process died) whether
    the replay is to wait there until it is closed too; else that place is the end where the end mark had come, and a
    read error where it had not. `rerecord` tells, in a miss, what to run to record the session anew; `explains` False
    leaves out which call is the nearest, which takes a look at each that is left.
    """

    def __init__(
        self,
        calls: Iterable[Call],
        *,
        rules: MatchRules = MatchRules(),
        redactor: Redactor | None = None,
        speed: float | None = None,
        on_closed: Callable[[Call], bool] | None = None,
        rerecord: str = RERECORD,
        explains: bool = True,
    ) -> None:
        if speed is not None and not speed > 0:
            raise ValueError(f"the speed must be above 0, not {speed}")
        self._rules = rules
        self._redactor = redactor
        self._redacted = False  # whether a placeholder stands in what was sent when it was recorded
        self._lock = Lock()
        self._speed = speed
        self._on_closed = on_closed
        self._rerecord = rerecord
        self._explains = explains
        self._waiting: dict[RequestKey, deque[Call]] = {}
        for call in calls:
            key = replace(self._recorded_key(call), value=None)
            self._waiting.setdefault(key, deque()).append(call)

    @property
    def unused(self) -> list[Call]:
        """The calls that no request has asked for, in recorded order."""
        with self._lock:
            waiting = [call for calls in self._waiting.values() for call in calls]
        return sorted(waiting, key=lambda call: call.number)

    def take(self, request: Any) -> Call:
        """The call that answers a request whose body is read. Raises `ReplayMismatch`."""
        with self._lock:
            sent = self._redacted_key(request) if self._redacted else self._key(request.method, *_plain(request))
            calls = self._waiting.get(sent)
            if calls:
                return calls.popleft()
        raise self._mismatch(request, sent)

    def handle_request(self, request: Any) -> Any:
        request.read()
        call = self.take(request)
        family = wire.family_of(request)
        self._refuse_connection(call, family, request)

        def iterate() -> Iterator[bytes]:
            for delay, chunk in self._paced(call):
                if delay:
                    time.sleep(delay)
                if chunk:
                    yield chunk
            self._end(call, family, request)

        return self._response(call, family, wire.stream_class(family)(iterate=iterate))

    async def handle_async_request(self, request: Any) -> Any:
        await request.aread()
        call = self.take(request)
        family = wire.family_of(request)
        if call.response is None and self._stops_here(call):
            await asyncio.Event().wait()
        self._refuse_connection(call, family, request)

        async def aiterate() -> AsyncIterator[bytes]:
            for delay, chunk in self._paced(call):
                if delay:
                    await asyncio.sleep(delay)
                if chunk:
                    yield chunk
            if self._stops_here(call):
                await asyncio.Event().wait()
            self._end(call, family, request)

        return self._response(call, family, wire.stream_class(family)(aiterate=aiterate))

    def close(self) -> None:
        """Nothing is open."""

    async def aclose(self) -> None:
        """Nothing is open."""

    def __enter__(self) -> ReplayTransport:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    async def __aenter__(self) -> ReplayTransport:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.aclose()

    def _redacted_key(self, request: Any) -> RequestKey:
        """The key of a request without its secrets, for a recording without them and for what is told of a miss."""
        redactor = self._redactor_of(request)
        body = unnumbered(redactor.bytes(request.content))
        return self._key(request.method, recorded_url(str(request.url), redactor), body)

    def _redactor_of(self, request: Any) -> Redactor:
        """The redactor, which knows the secrets of a request."""
        if self._redactor is None:
            from harness.redaction.redactor import Redactor  # most recordings never had a secret, and it takes long

            self._redactor = Redactor()
        for secret in (*header_secrets(request.headers.multi_items()), *url_secrets(str(request.url))):
            self._redactor.learn(secret)
        return self._redactor

    def _recorded_key(self, call: Call) -> RequestKey:
        content = call.content()
        redacted = MARK in content
        self._redacted = self._redacted or redacted or MARK.decode() in call.url
        return self._key(call.method, call.url, unnumbered(content) if redacted else call.request.body)

    def _key(self, method: str, url: str, body: Any) -> RequestKey:
        return request_key(method, _unnumbered(url), body, self._rules)

    def _mismatch(self, sent: Any, key: RequestKey) -> ReplayMismatch:
        """What is told of a request without a call. `key`: what it was looked for by, which may hold its secrets."""
        if not self._explains:
            path = urlsplit(_unnumbered(recorded_url(str(sent.url), self._redactor_of(sent)))).path
            return ReplayMismatch(f"{key.method} {path}", hint=self._rerecord)
        if not self._redacted:
            key = self._redacted_key(sent)
        request = f"{key.method} {key.path}"
        left = self.unused
        found = nearest([self._recorded_key(call) for call in left], key)
        if found is None:
            used = self._waiting.keys()
            reason = "all recorded calls are used" if used else "the recording holds no call"
            return ReplayMismatch(request, hint=f"{reason}; {self._rerecord}")
        index, places = found
        return ReplayMismatch(request, left[index].number, [place.say("sent") for place in places], self._rerecord)

    def _stops_here(self, call: Call) -> bool:
        """Whether the client left the recorded call (or its process died), and this replay leaves it there too."""
        if call.end_record is not None and call.end.kind != "closed":
            return False
        return self._on_closed is not None and self._on_closed(call)

    def _paced(self, call: Call) -> Iterator[tuple[float, bytes]]:
        """Each chunk with the seconds to wait before it; last an empty one, with those to wait before the end."""
        if self._speed is None:
            for chunk in call.chunks():
                yield 0.0, chunk
            return
        before = call.started
        for moment, chunk in call.timed_chunks():
            yield max(0.0, moment - before) / self._speed, chunk
            before = moment
        if call.end_record is not None:
            yield max(0.0, call.end_record["t"] - before) / self._speed, b""

    @staticmethod
    def _refuse_connection(call: Call, family: Any, request: Any) -> None:
        if call.response is None:
            raise _exception(call, family, request)

    @staticmethod
    def _end(call: Call, family: Any, request: Any) -> None:
        """What comes after the last byte: nothing at a clean end, else the recorded exception."""
        if call.end.kind == "error" or (call.end.kind == "closed" and not call.complete):
            raise _exception(call, family, request)

    @staticmethod
    def _response(call: Call, family: Any, stream: Any) -> Any:
        response = call.response
        assert response is not None
        headers = [pair for pair in response.headers if pair[0].lower() not in _NOT_OF_THE_BODY]
        recorded: dict[str, Any] = {"headers": [[*pair] for pair in response.headers]}
        if response.encoding is not None:
            recorded["encoding"] = response.encoding
        return family.Response(response.status, headers=headers, stream=stream, extensions={REPLAYED: recorded})


def _unnumbered(url: str) -> str:
    return unnumbered(url.encode("utf-8", "replace")).decode()


def _plain(request: Any) -> tuple[str, bytes]:
    """URL and body of a request as they are compared with those of a recording that never had a secret."""
    return url_without_keys(str(request.url)), request.content


def _exception(call: Call, family: Any, request: Any) -> Exception:
    if call.end.kind == "error":
        return wire.transport_error(family, call.end.error_class, call.end.message, request)
    message = "the client closed here" if call.end.kind == "closed" else "the recorded server sent no response"
    return wire.transport_error(family, "ReadError", message, request)
