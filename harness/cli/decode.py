"""`harness decode`: a window on the adapters."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any, BinaryIO

import click

from agent.events import EOF, DecodeOptions, End, to_dict
from agent.jsonio import dumps
from agent.providers import WIRES
from agent.response import Framer, ResponseDecoder
from agent.sse import Frame
from harness.cli.saying import say

ENDS = {
    "eof": EOF,
    "reset": End("error", "ReadError", "connection reset"),
    "timeout": End("error", "ReadTimeout", "no data in time"),
}
_READ = 1 << 16


@click.command(name="decode")
@click.argument("file", type=click.File("rb"))
@click.option("--wire", type=click.Choice(list(WIRES)), help="Wire format of the response; --raw needs none.")
@click.option("--status", default=200, show_default=True, type=click.IntRange(100, 599), help="HTTP status.")
@click.option("--content-type", help="Content type of the response; without it the first byte tells.")
@click.option("--chunk", type=click.IntRange(1), help="Feed the bytes in chunks of this size.")
@click.option("--end", type=click.Choice(list(ENDS)), default="eof", show_default=True, help="How the response ends.")
@click.option("--raw", is_flag=True, help="Print every SSE frame instead of the events.")
@click.option("--strict", is_flag=True, help="End of stream as the standard says: drop an unterminated frame.")
@click.option("--think-tags", is_flag=True, help="Split a leading <think>...</think> off the text as reasoning.")
def command(
    file: BinaryIO,
    wire: str | None,
    status: int,
    content_type: str | None,
    chunk: int | None,
    end: str,
    raw: bool,
    strict: bool,
    think_tags: bool,
) -> None:
    """Turn the raw bytes of a provider's response into events, one JSON object a line, as they come.

    FILE holds the body of the response, `-` is standard input. The exit status is 0 also when the events hold an error.

    \b
    curl -sN https://api.openai.com/v1/chat/completions ... | harness decode --wire openai-chat -
    harness decode --wire anthropic stream.sse
    harness decode --raw stream.sse
    """
    framer = Framer(content_type, strict=strict)
    chunks = _chunks(file, chunk)
    if raw:
        _print_frames(framer, chunks)
    elif wire is None:
        raise click.UsageError(f"no wire format: name one with --wire ({', '.join(WIRES)}), or ask for --raw frames")
    else:
        decoder = ResponseDecoder(wire, status=status, options=DecodeOptions(think_tags=think_tags))
        _print_events(framer, decoder, chunks, ENDS[end])


def frame_to_dict(frame: Frame) -> dict[str, Any]:
    """What `--raw` prints of a frame."""
    data = None if frame.data is None else frame.data.decode("utf-8", "replace")
    return {"event": frame.event, "data": data, "id": frame.id, "unterminated": frame.unterminated}


def _chunks(file: BinaryIO, size: int | None) -> Iterator[bytes]:
    """The bytes as they come, or in chunks of `size` with the rest as the last one."""
    read = getattr(file, "read1", file.read)
    pending = bytearray()
    while data := read(_READ):
        if size is None:
            yield data
            continue
        pending += data
        whole = len(pending) - len(pending) % size
        for start in range(0, whole, size):
            yield bytes(pending[start : start + size])
        del pending[:whole]
    if pending:
        yield bytes(pending)


def _print_events(framer: Framer, decoder: ResponseDecoder, chunks: Iterator[bytes], end: End) -> None:
    for chunk in chunks:
        events = [event for frame in framer.feed(chunk) for event in decoder.frame(frame)]
        rest = framer.body(chunk)
        if framer.overflowed:
            _write([to_dict(event) for event in [*events, *decoder.overflow()]])
            break
        decoder.body(rest)
        _write([to_dict(event) for event in events])
    events = [event for frame in framer.flush() for event in decoder.frame(frame)]
    events += decoder.finish(end)
    _write([to_dict(event) for event in events])
    _tell_left_out(decoder)


def _print_frames(framer: Framer, chunks: Iterator[bytes]) -> None:
    for chunk in chunks:
        _write([frame_to_dict(frame) for frame in framer.feed(chunk)])
        if framer.overflowed:
            say("a frame is longer than 32 MiB; it and what follows are left out")
            return
    _write([frame_to_dict(frame) for frame in framer.flush()])
    if not framer.is_stream:
        say("the body is no event stream, so it has no frames (with --wire instead of --raw its events are shown)")


def _tell_left_out(decoder: ResponseDecoder) -> None:
    """What gave no event, for those who look for a fault in a stream."""
    if decoder.malformed:
        say(f"data blocks that are no JSON object, skipped: {decoder.malformed}")
    if decoder.unknown:
        say(f"unknown to the adapter: {', '.join(f'{name} ({count})' for name, count in decoder.unknown.items())}")


def _write(lines: list[dict[str, Any]]) -> None:
    out = sys.stdout.buffer
    for line in lines:
        out.write(dumps(line) + b"\n")
    if lines:
        out.flush()
