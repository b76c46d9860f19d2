"""A provider that plays a script: each request gets the next of the given answers, over real HTTP on loopback.

    python -m tests.scripted fixtures/gemini/session-parallel.sse fixtures/gemini/session-answer.sse --port 18090

serves fixtures of this repository until it is stopped. Status, headers and content type come from the
`.expect.json` beside a fixture. `PATH:ENDING` says how the answer ends: `eof` (the default), `cut` (closed in the
middle of the body), `reset`, `stall` (nothing more comes until the client leaves).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests.loopback import SSE, Exchange, Server, serve
from tests.threads import in_thread

ROOT = Path(__file__).resolve().parents[1]
FIXTURES = ROOT / "fixtures"
ENDINGS = ("eof", "cut", "reset", "stall")
_OVER = json.dumps(
    {"error": {"message": "the script of this server is over", "type": "invalid_request_error"}}
).encode()
_PAUSE = 0.002
"""Seconds between two pieces, so that they are read one by one."""


@dataclass(frozen=True)
class Answer:
    """One response. `size`: bytes of a piece; None sends an event stream frame by frame, another body whole."""

    body: bytes
    status: int = 200
    content_type: str = SSE
    headers: tuple[tuple[str, str], ...] = ()
    ending: str = "eof"
    size: int | None = None

    def pieces(self) -> Iterator[bytes]:
        if self.size is not None:
            yield from (self.body[at : at + self.size] for at in range(0, len(self.body), self.size))
        elif self.content_type == SSE:
            yield from (piece for piece in re.split(rb"(?<=\n\n)", self.body) if piece)
        elif self.body:
            yield self.body


def fixture(name: str, *, ending: str = "eof", size: int | None = None) -> Answer:
    """The answer that a file under `fixtures/` (`wire/name.sse`), or anywhere else, holds."""
    path = FIXTURES / name if (FIXTURES / name).exists() else Path(name)
    expectation = path.with_name(f"{path.stem}.expect.json")
    expect = json.loads(expectation.read_text("utf-8")) if expectation.exists() else {}
    return Answer(
        path.read_bytes(),
        status=expect.get("status", 200),
        content_type=expect.get("content_type", SSE if path.suffix == ".sse" else "application/json"),
        headers=tuple((pair[0], pair[1]) for pair in expect.get("headers", ())),
        ending=ending,
        size=size,
    )


def error(status: int, message: str, **more: object) -> Answer:
    """An error response as most providers shape it."""
    return Answer(json.dumps({"error": {"message": message, **more}}).encode(), status, "application/json")


def scripted(answers: Sequence[Answer], port: int = 0) -> AbstractContextManager[Server]:
    """The server, in a thread. What it was asked stands in `exchanges`."""
    return in_thread(serve(_handler(answers), port))


def _handler(answers: Sequence[Answer]):
    waiting = list(answers)

    async def handle(exchange: Exchange) -> None:
        if not waiting:
            await exchange.whole(_OVER, 400, "application/json")
            return
        answer = waiting.pop(0)
        await exchange.head(
            answer.status, answer.content_type, **{"transfer-encoding": "chunked", **dict(answer.headers)}
        )
        for piece in answer.pieces():
            await exchange.chunk(piece)
            await asyncio.sleep(_PAUSE)
        if answer.ending == "eof":
            await exchange.chunk(b"")
        elif answer.ending == "reset":
            await asyncio.sleep(0.05)  # let the client read what it was sent
            exchange.reset()
        elif answer.ending == "stall":
            await exchange.until_closed()

    return handle


async def _run(answers: Sequence[Answer], port: int) -> None:
    async with serve(_handler(answers), port) as server:
        print(f"serving {len(answers)} answers at {server.url}", flush=True)
        await asyncio.Event().wait()


def main() -> None:
    parser = argparse.ArgumentParser(description="Serve fixtures on loopback, one a request, in order.")
    parser.add_argument("fixtures", nargs="+", metavar="PATH[:ENDING]")
    parser.add_argument("--port", type=int, default=18090)
    parser.add_argument("--size", type=int, help="send pieces of this many bytes instead of whole frames")
    args = parser.parse_args()
    answers = []
    for text in args.fixtures:
        path, _, ending = text.partition(":")
        if ending not in ("", *ENDINGS):
            parser.error(f"{text}: the ending is one of {', '.join(ENDINGS)}")
        answers.append(fixture(path, ending=ending or "eof", size=args.size))
    with suppress(KeyboardInterrupt):
        asyncio.run(_run(answers, args.port))


if __name__ == "__main__":
    main()
