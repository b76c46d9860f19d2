"""The peers, each driven as its own documentation does it. All are optional: what is absent raises `Missing`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.race import Missing

Work = Callable[[], object]
_MESSAGES = [{"role": "user", "content": "Say something."}]


def module(name: str, package: str) -> Any:
    """A module of a peer. Raises `Missing`."""
    try:
        return import_module(name)
    except ImportError as error:
        raise Missing(f"{package} is not installed") from error


def sse_decoder(peer: str, chunks: Sequence[bytes]) -> Work:
    """Chunks of bytes to server-sent events."""
    if peer == "httpx-sse":
        event_source, httpx = module("httpx_sse", peer).EventSource, module("httpx", "httpx")
        headers = {"content-type": "text/event-stream"}

        def by_httpx_sse() -> None:
            response = httpx.Response(200, headers=headers, stream=_stream(httpx, chunks))
            for _ in event_source(response).iter_sse():
                pass

        return by_httpx_sse
    decoder = module(f"{peer}._streaming", peer).SSEDecoder

    def by_sdk() -> None:
        for _ in decoder().iter_bytes(iter(chunks)):
            pass

    return by_sdk


def sdk(name: str, chunks: Sequence[bytes]) -> Work:
    """One streamed answer through an official SDK, over a mock transport."""
    return _SDKS[name](chunks)


def _openai(chunks: Sequence[bytes]) -> Work:
    openai, httpx = module("openai", "openai"), module("httpx2", "openai")
    client = openai.OpenAI(api_key="bench", base_url="http://bench.invalid/v1", http_client=_client(httpx, chunks))

    def work() -> None:
        for _ in client.chat.completions.create(model="bench", messages=_MESSAGES, stream=True):
            pass

    return work


def _anthropic(chunks: Sequence[bytes]) -> Work:
    anthropic, httpx = module("anthropic", "anthropic"), module("httpx2", "anthropic")
    client = anthropic.Anthropic(api_key="bench", base_url="http://bench.invalid", http_client=_client(httpx, chunks))

    def work() -> None:
        for _ in client.messages.create(model="bench", max_tokens=9999, messages=_MESSAGES, stream=True):
            pass

    return work


def _google(chunks: Sequence[bytes]) -> Work:
    genai, httpx = module("google.genai", "google-genai"), module("httpx2", "google-genai")
    client = genai.Client(
        api_key="bench",
        http_options={"base_url": "http://bench.invalid", "httpx_client": _client(httpx, chunks)},
    )

    def work() -> None:
        for _ in client.models.generate_content_stream(model="bench", contents="Say something."):
            pass

    return work


_SDKS: dict[str, Callable[[Sequence[bytes]], Work]] = {
    "openai": _openai, "anthropic": _anthropic, "google-genai": _google,
}  # fmt: skip


def vcr_replay(chunks: Sequence[bytes], folder: Path) -> Work:
    """Record one stream with vcrpy and the openai SDK; the work is to replay it."""
    vcr = module("vcr", "vcrpy")
    ask = _openai(chunks)
    cassette = str(folder / "cassette.yaml")
    with vcr.use_cassette(cassette, record_mode="once"):
        ask()

    def work() -> None:
        with vcr.use_cassette(cassette, record_mode="none"):
            ask()

    return work


def _client(httpx: Any, chunks: Sequence[bytes]) -> Any:
    def answer(request: Any) -> Any:
        return httpx.Response(200, headers={"content-type": "text/event-stream"}, stream=_stream(httpx, chunks))

    return httpx.Client(transport=httpx.MockTransport(answer))


def _stream(httpx: Any, chunks: Sequence[bytes]) -> Any:
    class Chunks(httpx.SyncByteStream):  # type: ignore[misc]
        def __iter__(self) -> Iterator[bytes]:
            return iter(chunks)

    return Chunks()
