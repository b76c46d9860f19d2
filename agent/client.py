"""The httpx driver: one HTTP try with a provider, as a stream of events.

Retries are the loop's. A provider failure is an event, never an exception; the caller's cancellation and `aclose` pass
through and close the connection.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any, cast

import httpx

from agent.events import EOF, DecodeOptions, End, Event
from agent.jsonio import dumps
from agent.messages import Message, ToolSpec
from agent.providers import adapter
from agent.providers.base import Target
from agent.response import Framer, ResponseDecoder, no_response

EXTENSION = "trajectory"
"""The request extension that describes a call to a transport around the real one."""

_ERROR_BODY = 2**20
"""Bytes of an error response that are read; its message stands at the front."""

_NO_RESPONSE = (httpx.RequestError, httpx.InvalidURL, OSError, UnicodeError)
"""What httpx raises before a response; the last two come unwrapped from sockets and from odd host names."""


@dataclass(slots=True, frozen=True)
class Timeouts:
    """Seconds. `read` is the longest silence, not the length of an answer; models may think for minutes."""

    connect: float = 10.0
    read: float = 300.0
    write: float = 60.0


class Client:
    """Calls one target. Close it with `aclose` or use it as an async context manager.

    `transport` takes httpx's place on the wire (recording, replay, tests); without it proxy variables and certificate
    variables of the environment count, as httpx documents.
    """

    def __init__(
        self,
        target: Target,
        *,
        transport: httpx.AsyncBaseTransport | None = None,
        timeouts: Timeouts = Timeouts(),
    ) -> None:
        self.target = target
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
        target = self.target
        if options.key_variable is None:
            options = replace(options, key_variable=target.key_variable)
        shaped = adapter(target.wire).request(
            target, model=model, messages=messages, system=system, tools=tools, params=params
        )
        about = {
            "call": call,
            "retry_of": retry_of,
            "wire": target.wire,
            "provider": target.provider,
            "model": model,
            "decode": options.to_dict(),
        }
        try:
            http = self._client()
            request = http.build_request(
                shaped.method,
                shaped.url,
                headers=list(shaped.headers),
                content=dumps(shaped.body),
                extensions={EXTENSION: about},
            )
            response = await http.send(request, stream=True)
        except _NO_RESPONSE as error:
            for event in no_response(End("error", type(error).__name__, str(error)), shaped.url):
                yield event
            return
        try:
            async with aclosing(_events(response, target, call, options)) as events:
                async for event in events:
                    yield event
        finally:
            await response.aclose()

    def _client(self) -> httpx.AsyncClient:
        """Made on first use: reading certificates and proxy variables takes time and can fail."""
        if self._http is None:
            self._http = httpx.AsyncClient(
                transport=self._transport,
                timeout=self._timeout,
                follow_redirects=False,
                headers={"accept-encoding": "identity", "user-agent": "trajectory-harness"},
            )
        return self._http


async def _events(
    response: httpx.Response, target: Target, call: int, options: DecodeOptions
) -> AsyncGenerator[Event, None]:
    framer = Framer(response.headers.get("content-type"))
    decoder = ResponseDecoder(
        target.wire,
        status=response.status_code,
        headers=response.headers.multi_items(),
        call=call,
        options=options,
    )
    end = EOF
    left = _ERROR_BODY if response.is_error else None
    try:
        async with aclosing(_chunks(response)) as chunks:
            async for chunk in chunks:
                for frame in framer.feed(chunk):
                    for event in decoder.frame(frame):
                        yield event
                if framer.overflowed:
                    for event in decoder.overflow():
                        yield event
                    break
                if framer.is_stream is False:
                    decoder.body(framer.body(chunk))
                if left is not None:
                    left -= len(chunk)
                    if left <= 0:
                        break
    except (httpx.RequestError, OSError) as error:
        end = End("error", type(error).__name__, str(error))
    for frame in framer.flush():
        for event in decoder.frame(frame):
            yield event
    for event in decoder.finish(end):
        yield event


def _chunks(response: httpx.Response) -> AsyncGenerator[bytes, None]:
    """The body as it comes off the network; decoded only where the server compresses although asked not to."""
    encoding = response.headers.get("content-encoding", "").strip().lower()
    chunks = response.aiter_raw() if encoding in ("", "identity") else response.aiter_bytes()
    return cast(AsyncGenerator[bytes, None], chunks)
