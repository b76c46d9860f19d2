"""A transport that records what passes through it, for clients of `httpx` and `httpx2`, sync and async."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Any

from agent.events import EOF, End
from harness import wire
from harness.call_recorder import CallRecorder

if TYPE_CHECKING:
    from harness.recorder import Recorder

_CLOSED = End("closed")


class RecordingTransport:
    """Wraps a transport and records each call, without ever changing or delaying what the caller sees.

    `inner`: the transport that does the work (of either family, sync or async).
    """

    def __init__(self, recorder: Recorder, inner: Any) -> None:
        self._recorder = recorder
        self._inner = inner

    def handle_request(self, request: Any) -> Any:
        request.read()
        call = self._recorder.begin_call(request)
        try:
            response = self._inner.handle_request(request)
        except BaseException as error:
            self._fail(call, error)
            raise
        return self._wrap(call, request, response)

    async def handle_async_request(self, request: Any) -> Any:
        await request.aread()
        call = self._recorder.begin_call(request)
        try:
            response = await self._inner.handle_async_request(request)
        except BaseException as error:
            self._fail(call, error)
            raise
        return self._wrap(call, request, response)

    def close(self) -> None:
        self._inner.close()

    async def aclose(self) -> None:
        await self._inner.aclose()

    def __enter__(self) -> RecordingTransport:
        self._inner.__enter__()
        return self

    def __exit__(self, *exc: Any) -> None:
        self._inner.__exit__(*exc)

    async def __aenter__(self) -> RecordingTransport:
        await self._inner.__aenter__()
        return self

    async def __aexit__(self, *exc: Any) -> None:
        await self._inner.__aexit__(*exc)

    def _fail(self, call: CallRecorder | None, error: BaseException) -> None:
        if call is not None:
            self._recorder.guard(call.end, _end_of(error))

    def _wrap(self, call: CallRecorder | None, request: Any, response: Any) -> Any:
        if call is None:
            return response
        guard = self._recorder.guard
        guard(call.response, response.status_code, response.headers.multi_items())
        stream = response.stream

        def iterate() -> Iterator[bytes]:
            try:
                for chunk in stream:
                    guard(call.chunk, chunk)
                    yield chunk
            except BaseException as error:
                guard(call.end, _end_of(error))
                raise
            guard(call.end, EOF)

        async def aiterate() -> AsyncIterator[bytes]:
            try:
                async for chunk in stream:
                    guard(call.chunk, chunk)
                    yield chunk
            except BaseException as error:
                guard(call.end, _end_of(error))
                raise
            guard(call.end, EOF)

        def close() -> None:
            guard(call.end, _CLOSED)
            stream.close()

        async def aclose() -> None:
            guard(call.end, _CLOSED)
            await stream.aclose()

        response.stream = wire.stream_class(wire.family_of(request))(iterate, aiterate, close, aclose)
        return response


def _end_of(error: BaseException) -> End:
    """How a call ended: cancellation and an iterator given up early are the client's doing."""
    if isinstance(error, Exception):
        return End("error", type(error).__name__, str(error))
    return _CLOSED
