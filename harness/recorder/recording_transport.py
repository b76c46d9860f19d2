"""A transport that records what passes through it, for clients of `httpx` and `httpx2`, sync and async."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Any

from agent.events import EOF, End
from harness import wire

if TYPE_CHECKING:
    from harness.recorder.call_recorder import CallRecorder
    from harness.recorder.recorder import Recorder

CLOSED = End("closed")

REPLAYED = "trajectory"
"""The response extension in which a replay transport hands over what the recording says of the response's headers."""


class RecordingTransport(wire.Transport):  # type: ignore[misc]
    """Wraps a transport and records each call, without ever changing or delaying what the caller sees.

    `inner`: the transport that does the work (of either family, sync or async). It is asked for an answer without
    content coding, so that frames can be recorded as they come.
    """

    def __init__(self, recorder: Recorder, inner: Any) -> None:
        self._recorder = recorder
        self._inner = inner

    def handle_request(self, request: Any) -> Any:
        request.read()
        call = self._recorder.begin_call(request)
        try:
            response = self._inner.handle_request(_uncoded(request))
        except BaseException as error:
            self._fail(call, error)
            raise
        return self._wrap(call, request, response)

    async def handle_async_request(self, request: Any) -> Any:
        await request.aread()
        call = self._recorder.begin_call(request)
        try:
            response = await self._inner.handle_async_request(_uncoded(request))
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
            self._recorder.guard(call.end, end_of(error))

    def _wrap(self, call: CallRecorder | None, request: Any, response: Any) -> Any:
        """The response, its stream watched."""
        if call is None:
            return response
        guard = self._recorder.guard
        family = wire.family_of(request)
        headers = response.headers.multi_items()
        if response.is_stream_consumed:
            guard(_record_whole, call, family, response, headers)
            return response
        guard(call.response, response.status_code, headers, response.extensions.get(REPLAYED))
        stream = response.stream

        def iterate() -> Iterator[bytes]:
            try:
                for chunk in stream:
                    call.chunk(chunk)
                    yield chunk
            except BaseException as error:
                guard(call.end, end_of(error))
                raise
            guard(call.end, EOF)

        async def aiterate() -> AsyncIterator[bytes]:
            try:
                async for chunk in stream:
                    call.chunk(chunk)
                    yield chunk
            except BaseException as error:
                guard(call.end, end_of(error))
                raise
            guard(call.end, EOF)

        def close() -> None:
            guard(call.end, CLOSED)
            stream.close()

        async def aclose() -> None:
            guard(call.end, CLOSED)
            await stream.aclose()

        response.stream = wire.stream_class(family)(iterate, aiterate, close, aclose)
        return response


def _uncoded(request: Any) -> Any:
    """The request as it goes on: without the offer of content codings. The caller keeps its own."""
    headers = request.headers.copy()
    headers["accept-encoding"] = "identity"
    return wire.family_of(request).Request(
        request.method, request.url, headers=headers, stream=request.stream, extensions=request.extensions
    )


def _record_whole(call: CallRecorder, family: Any, response: Any, headers: list[tuple[str, str]]) -> None:
    """Record a response that was read before it got here, as mock transports make them: its stream is not read again.

    Bytes from memory are still as on the wire; of any other body only the decoded content is left.
    """
    body = b"".join(response.stream) if isinstance(response.stream, family.ByteStream) else None
    if body is None:
        headers = [pair for pair in headers if pair[0].lower() != "content-encoding"]
        body = getattr(response, "_content", b"")
    call.response(response.status_code, headers)
    call.chunk(body)
    call.end(EOF)


def end_of(error: BaseException) -> End:
    """How a call ended: cancellation and an iterator given up early are the client's doing."""
    if isinstance(error, Exception):
        return End("error", type(error).__name__, str(error))
    return CLOSED
