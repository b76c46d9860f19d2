"""`harness decode`: a window on the adapters."""

from __future__ import annotations

import sys
from typing import Any, BinaryIO

import click

from agent.events import EOF, DecodeOptions, End, Event, to_dict
from agent.jsonio import dumps
from agent.providers import WIRES
from agent.response import Framer, ResponseDecoder
from agent.sse import Frame

ENDS = {
    "eof": EOF,
    "reset": End("error", "ReadError", "connection reset"),
    "timeout": End("error", "ReadTimeout", "no data in time"),
}


@click.command(name="decode")
@click.argument("file", type=click.File("rb"))
@click.option("--wire", required=True, type=click.Choice(list(WIRES)), help="Wire format of the response.")
@click.option("--status", default=200, show_default=True, type=click.IntRange(100, 599), help="HTTP status.")
@click.option("--content-type", help="Content type of the response; without it the first byte tells.")
@click.option("--chunk", type=click.IntRange(1), help="Feed the bytes in chunks of this size.")
@click.option("--end", type=click.Choice(list(ENDS)), default="eof", show_default=True, help="How the response ends.")
@click.option("--raw", is_flag=True, help="Print every SSE frame instead of the events.")
@click.option("--strict", is_flag=True, help="End of stream as the standard says: drop an unterminated frame.")
@click.option("--think-tags", is_flag=True, help="Split a leading <think>...</think> off the text as reasoning.")
def command(
    file: BinaryIO,
    wire: str,
    status: int,
    content_type: str | None,
    chunk: int | None,
    end: str,
    raw: bool,
    strict: bool,
    think_tags: bool,
) -> None:
    """Turn the raw bytes of a provider's response into events, one JSON object a line.

    FILE holds the body of the response, `-` is standard input. The exit status is 0 also when the events hold an error.

    \b
    curl -sN https://api.openai.com/v1/chat/completions ... | harness decode --wire openai-chat -
    harness decode --wire anthropic --raw stream.sse
    """
    body = file.read()
    framer = Framer(content_type, strict=strict)
    decoder = ResponseDecoder(wire, status=status, options=DecodeOptions(think_tags=think_tags))
    out = sys.stdout.buffer
    size = chunk or max(len(body), 1)

    def show(frames: list[Frame]) -> None:
        for frame in frames:
            events = decoder.frame(frame)
            lines = [frame_to_dict(frame)] if raw else [to_dict(event) for event in events]
            _write(out, lines)

    for start in range(0, len(body), size):
        piece = body[start : start + size]
        show(framer.feed(piece))
        rest = framer.body(piece)
        if framer.overflowed:
            show_events(out, decoder.overflow(), raw)
            break
        decoder.body(rest)
    show(framer.flush())
    show_events(out, decoder.finish(ENDS[end]), raw)
    if raw and not framer.is_stream:
        click.echo(
            "harness: the body is no event stream, so it has no frames (without --raw its events are shown)", err=True
        )


def show_events(out: BinaryIO, events: list[Event], raw: bool) -> None:
    if not raw:
        _write(out, [to_dict(event) for event in events])


def frame_to_dict(frame: Frame) -> dict[str, Any]:
    """What `--raw` prints of a frame."""
    data = None if frame.data is None else frame.data.decode("utf-8", "replace")
    return {"event": frame.event, "data": data, "id": frame.id, "unterminated": frame.unterminated}


def _write(out: BinaryIO, lines: list[dict[str, Any]]) -> None:
    for line in lines:
        out.write(dumps(line) + b"\n")
