"""The httpx driver: one HTTP try with a provider, as a stream of events.

Retries are the loop's. A provider failure is an event, never an exception; the caller's cancellation and `aclose` pass
through and close the connection.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any, cast

import httpx

from agent.events import EOF, DecodeOptions, End, Event
from agent.jsonio import dumps
from agent.messages import Message, ToolSpec
from agent.network import network_transport
from agent.providers import adapter
from agent.providers.base import Target, WireRequest
from agent.response import no_response
from agent.response_reader import ResponseReader

EXTENSION = "trajectory"
"""The request extension that describes a call to a transport around the real one."""

_ERROR_BODY = 2**20
"""Bytes of an error response that are read; its message stands at the front."""

_NO_RESPONSE = (httpx.RequestError, httpx.InvalidURL, OSError, UnicodeError)
"""What httpx raises before a response; the last two come unwrapped from sockets and from odd host names."""

_BROKEN = (httpx.RequestError, OSError)
"""What httpx raises while a body is read."""


@dataclass(slots=True, frozen=True)
class Timeouts:
    """Seconds. `read` is the longest silence, not the length of an answer; models may think for minutes."""

    connect: float = 10.0
    read: float = 300.0
    write: float = 60.0


class Client:
    """Calls one target. Close it with `aclose` or use it as an async context manager.

    `transport` takes the place of `network_transport` on the wire (recording, replay, tests); `reader` reads the
    responses.
    """

    def __init__(
        self,
        target: Target,
        *,
        transport: httpx.AsyncBaseTransport | None = None,
        timeouts: Timeouts = Timeouts(),
        reader: Callable[..., ResponseReader] = ResponseReader,
    ) -> None:
        self.target = target
        self._reader = reader
        self._transport = transport
        self._timeout = httpx.Timeout(
            connect=timeouts.connect, read=timeouts.read, write=timeouts.write, pool=timeouts.connect
        )
        self._http: httpx.AsyncClient | None = None

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close all connections."""
        if self._http is not None:
            await self._http.aclose()

    async def stream(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSpec] = (),
        *,
        model: str,
        system: str | None = None,
        params: Mapping[str, Any] | None = None,
        call: int = 0,
        retry_of: int | None = None,
        options: DecodeOptions = DecodeOptions(),
    ) -> AsyncGenerator[Event, None]:
        """The events of one call, as they arrive; one `usage` event closes it. `model` is the model's own id.

        Nothing is sent before the first pull. Closing the generator closes the HTTP stream.
        """
        if options.key_variable is None:
            options = replace(options, key_variable=self.target.key_variable)
        shaped = adapter(self.target.wire).request(
            self.target, model=model, messages=messages, system=system, tools=tools, params=params
        )
        about = {
            "call": call,
            "retry_of": retry_of,
            "wire": self.target.wire,
            "provider": self.target.provider,
            "model": model,
            "decode": options.to_dict(),
        }
        try:
            response = await self._send(shaped, about)
        except _NO_RESPONSE as error:
            for event in no_response(_end_of(error), shaped.url):
                yield event
            return
        reader = self._reader(
            self.target.wire,
            status=response.status_code,
            headers=response.headers.multi_items(),
            content_type=response.headers.get("content-type"),
            call=call,
            options=options,
        )
        left = None if response.is_success else _ERROR_BODY
        end = EOF
        try:
            async with aclosing(_chunks(response)) as chunks:
                async for chunk in chunks:
                    for _, event in reader.feed(chunk):
                        yield event
                    if left is not None:
                        left -= len(chunk)
                    if reader.overflowed or (left is not None and left <= 0):
                        break
        except _BROKEN as error:
            end = _end_of(error)
        finally:
            await response.aclose()
        for _, event in reader.finish(end):
            yield event

    async def _send(self, shaped: WireRequest, about: dict[str, Any]) -> httpx.Response:
        """Send a request and wait for the head of the response. Raises what stands in `_NO_RESPONSE`."""
        if self._http is None:
            self._http = httpx.AsyncClient(
                transport=self._transport or network_transport(self.target.base_url),
                timeout=self._timeout,
                follow_redirects=False,
                headers={"accept-encoding": "identity", "user-agent": "trajectory-harness"},
            )
        request = self._http.build_request(
            shaped.method,
            shaped.url,
            headers=list(shaped.headers),
            content=dumps(shaped.body),
            extensions={EXTENSION: about},
        )
        return await self._http.send(request, stream=True)


def _end_of(error: BaseException) -> End:
    return End("error", type(error).__name__, str(error))


def _chunks(response: httpx.Response) -> AsyncGenerator[bytes, None]:
    """The body as it comes off the network; decoded only where the server compresses although asked not to.

    A transport that makes responses itself may have read them already (`httpx.MockTransport` does).
    """
    encoding = response.headers.get("content-encoding", "").strip().lower()
    raw = encoding in ("", "identity") and not response.is_stream_consumed
    return cast(AsyncGenerator[bytes, None], response.aiter_raw() if raw else response.aiter_bytes())
