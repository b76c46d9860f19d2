"""A network that holds the providers: every request of httpx and httpx2 is answered by a fixture, in this process.

For pages whose examples name the providers' own addresses. `install` exchanges the network transports' methods, as a
real network lies below whatever covers them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from harness.wire import FAMILIES
from tests.scripted import Answer, fixture

_ANSWERS = (
    (r"/chat/completions$", "openai-chat/tool-parallel.sse", "openai-chat/body.body"),
    (r"/responses$", "openai-responses/session-answer.sse", "openai-responses/body-text.body"),
    (r"/messages$", "anthropic/text.sse", "anthropic/body-text.body"),
    (r":streamGenerateContent$", "gemini/text.sse", "gemini/body-object.body"),
)

asked: list[str] = []
"""The hosts that were asked."""


def _answer(request: Any) -> Answer:
    asked.append(request.url.host)
    streams = re.search(rb'"stream": ?true', request.content) or "alt=sse" in str(request.url)
    for pattern, stream, body in _ANSWERS:
        if re.search(pattern, request.url.path):
            return fixture(stream if streams else body)
    raise AssertionError(f"no answer for {request.url}")


@contextmanager
def install() -> Iterator[list[str]]:
    """The network, until the context is left. Gives `asked`."""
    exchanged = []
    for name in FAMILIES:
        try:
            module = import_module(name)
        except ImportError:
            continue
        for owner, method in (
            (module.HTTPTransport, "handle_request"),
            (module.AsyncHTTPTransport, "handle_async_request"),
        ):
            exchanged.append((owner, method, getattr(owner, method)))
            setattr(owner, method, _method(module, is_async="async" in method))
    asked.clear()
    try:
        yield asked
    finally:
        for owner, method, original in exchanged:
            setattr(owner, method, original)


def _method(module: Any, *, is_async: bool) -> Any:
    def respond(request: Any) -> Any:
        answer = _answer(request)
        headers = [("content-type", answer.content_type)]
        return module.Response(answer.status, headers=headers, stream=module.ByteStream(answer.body))

    def handle_request(self: Any, request: Any) -> Any:
        request.read()
        return respond(request)

    async def handle_async_request(self: Any, request: Any) -> Any:
        await request.aread()
        return respond(request)

    return handle_async_request if is_async else handle_request
