"""Makes the official SDKs ask one question, and gives all that they made of the answer.

Each function takes a client, and gives everything that came (the parsed chunks, then the final object of the SDK's own
helper) in plain values. An exception of the SDK is a result like any other.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

KEY = "sk-test-0000000000000000000000"
PROMPT = "hi"
SDKS = {
    "openai-chat": "openai",
    "openai-responses": "openai",
    "anthropic": "anthropic",
    "gemini": "google.genai",
}
MESSAGES: Any = [{"role": "user", "content": PROMPT}]


def sdk(wire: str) -> Any:
    """The SDK that speaks a wire format; the test is skipped where it is not installed."""
    return pytest.importorskip(SDKS[wire], reason=f"the SDK {SDKS[wire]} is not installed")


def client_of(wire: str, url: str, http: Any, *, is_async: bool = False, retries: int = 0) -> Any:
    """A client of the SDK over a client of httpx or httpx2; None leaves the SDK to build its own."""
    module = sdk(wire)
    if wire == "gemini":
        given: dict[str, Any] = {"httpx_async_client" if is_async else "httpx_client": http} if http else {}
        return module.Client(api_key=KEY, http_options=module.types.HttpOptions(base_url=url, **given))
    name = ("Async" if is_async else "") + ("OpenAI" if module.__name__ == "openai" else "Anthropic")
    base = f"{url}/v1" if module.__name__ == "openai" else url
    return getattr(module, name)(api_key=KEY, base_url=base, http_client=http, max_retries=retries)


@asynccontextmanager
async def aopened(wire: str, url: str) -> AsyncIterator[Any]:
    """An async client that builds its own HTTP client; it is closed here, or it would close itself in a later loop."""
    client = client_of(wire, url, None, is_async=True)
    try:
        yield client
    finally:
        await (client.aio.aclose() if wire == "gemini" else client.close())


def ask(wire: str, client: Any, prompt: str = PROMPT, *, helper: bool = True) -> list[Any]:
    """Two calls: one read chunk by chunk, one by the SDK's helper for streams (Gemini has none)."""
    messages: Any = [{"role": "user", "content": prompt}]

    def chunks() -> Any:
        if wire == "openai-chat":
            return _plain(client.chat.completions.create(model="m", messages=messages, stream=True))
        if wire == "openai-responses":
            return _plain(client.responses.create(model="m", input=prompt, stream=True))
        if wire == "anthropic":
            return _plain(client.messages.create(model="m", max_tokens=9, messages=messages, stream=True))
        return _plain(client.models.generate_content_stream(model="m", contents=prompt))

    def final() -> Any:
        if wire == "openai-chat":
            with client.chat.completions.stream(model="m", messages=messages) as stream:
                return _plain(stream), stream.get_final_completion().to_dict()
        if wire == "openai-responses":
            with client.responses.stream(model="m", input=prompt) as stream:
                return _plain(stream), stream.get_final_response().to_dict()
        with client.messages.stream(model="m", max_tokens=9, messages=messages) as stream:
            return stream.get_final_message().to_dict()

    return [_outcome(run) for run in ((chunks,) if wire == "gemini" or not helper else (chunks, final))]


async def aask(wire: str, client: Any, prompt: str = PROMPT) -> list[Any]:
    """The same with an async client."""
    messages: Any = [{"role": "user", "content": prompt}]

    async def chunks() -> Any:
        if wire == "openai-chat":
            return await _aplain(await client.chat.completions.create(model="m", messages=messages, stream=True))
        if wire == "openai-responses":
            return await _aplain(await client.responses.create(model="m", input=prompt, stream=True))
        if wire == "anthropic":
            return await _aplain(await client.messages.create(model="m", max_tokens=9, messages=messages, stream=True))
        return await _aplain(await client.aio.models.generate_content_stream(model="m", contents=prompt))

    async def final() -> Any:
        if wire == "openai-chat":
            async with client.chat.completions.stream(model="m", messages=messages) as stream:
                return await _aplain(stream), (await stream.get_final_completion()).to_dict()
        if wire == "openai-responses":
            async with client.responses.stream(model="m", input=prompt) as stream:
                return await _aplain(stream), (await stream.get_final_response()).to_dict()
        async with client.messages.stream(model="m", max_tokens=9, messages=messages) as stream:
            return (await stream.get_final_message()).to_dict()

    return [await _aoutcome(run) for run in ((chunks,) if wire == "gemini" else (chunks, final))]


def _plain(stream: Any) -> list[str]:
    return [chunk.model_dump_json(exclude={"sdk_http_response"}) for chunk in stream]


async def _aplain(stream: Any) -> list[str]:
    return [chunk.model_dump_json(exclude={"sdk_http_response"}) async for chunk in stream]


def _outcome(run: Callable[[], Any]) -> Any:
    try:
        return run()
    except Exception as error:
        return type(error).__name__, str(error)


async def _aoutcome(run: Callable[[], Awaitable[Any]]) -> Any:
    try:
        return await run()
    except Exception as error:
        return type(error).__name__, str(error)
