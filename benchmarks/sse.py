"""Rows of the SSE decoder: bytes in, frames out, against parsing the same payloads as JSON."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import orjson

from agent.sse import SSEDecoder
from benchmarks import data, peers
from benchmarks.race import Race, Row, Setting

_PEERS = ("httpx-sse", "openai", "anthropic")


def _rows() -> tuple[Row, ...]:
    limits = {"a frame a chunk": 0.8, "network-like chunks": 1.3, "7-byte chunks": 10.0}
    return (
        *(
            Row(
                f"SSE decode, chat, {how}",
                how,
                "floor",
                limit,
                peers=tuple((f"{peer}, {how}", peer) for peer in _PEERS),
            )
            for how, limit in limits.items()
        ),
        Row("SSE decode, chat with CRLF, a frame a chunk", "CRLF", "floor"),
        Row("SSE decode, Anthropic, a frame a chunk", "Anthropic", "floor Anthropic"),
        Row("SSE decode, 8 MB in one data line, 4 KB chunks", "one line", "floor 8 MB", 2),
        Row("SSE decode, 8 MB in 80,000 data lines, 4 KB chunks", "lines", "floor 8 MB", 20),
    )


ROWS = _rows()


def contestants(setting: Setting) -> Race:
    race = Race()
    chat = data.chat(setting.size(2000))
    anthropic = data.anthropic(setting.size(2000))
    chunkings = {
        "a frame a chunk": chat.frames,
        "network-like chunks": chat.network_chunks(),
        "7-byte chunks": data.pieces(chat.body, 7),
    }
    race.add("floor", floor(chat.payloads))
    for how, chunks in chunkings.items():
        race.add(how, decode(chunks))
        for peer in _PEERS:
            race.peer(f"{peer}, {how}", partial(peers.sse_decoder, peer, chunks))
    race.add("CRLF", decode(data.crlf(chat).frames))
    race.add("floor Anthropic", floor(anthropic.payloads))
    race.add("Anthropic", decode(anthropic.frames))
    # Where time grows with the square of the size, these take thousands of floors.
    size = setting.size(8 << 20)
    one = data.big_event(size)
    race.add("floor 8 MB", floor([one[6:-2]]))
    race.add("one line", decode(data.pieces(one, 4096)))
    race.add("lines", decode(data.pieces(data.big_event(size, line=100), 4096)))
    return race


def floor(payloads: Sequence[bytes]) -> Callable[[], None]:
    """Parse payloads that are split already: no decoder can be faster and still give JSON values."""

    def work() -> None:
        loads = orjson.loads
        for payload in payloads:
            loads(payload)

    return work


def decode(chunks: Sequence[bytes]) -> Callable[[], None]:
    def work() -> None:
        decoder = SSEDecoder()
        for chunk in chunks:
            decoder.feed(chunk)
        decoder.flush()

    return work
