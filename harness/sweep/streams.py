"""What is swept: one response, out of a recording or a raw fixture."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from agent.events import EOF, DecodeOptions, End
from agent.providers import WIRES
from agent.response import Framer
from harness.errors import HarnessError
from harness.files import find_files
from harness.paths import SUFFIXES as RECORDINGS
from harness.recorder.encodings import coding_of
from harness.recording.contents import Call
from harness.recording.headers import header_value

FIXTURES = (".sse", ".body")
EXPECTATION = ".expect.json"


@dataclass(frozen=True)
class Stream:
    """One response of a known wire format.

    `pieces`: the frames of an event stream (`framed`), or any other body as one piece; joined they are the body.
    `end`: how it ended. `expected`: the events that it gave, in their JSON form, where they are known.
    """

    wire: str
    pieces: tuple[bytes, ...]
    framed: bool
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    end: End = EOF
    options: DecodeOptions = field(default_factory=DecodeOptions)
    call: int = 0
    expected: tuple[dict[str, Any], ...] | None = None

    @cached_property
    def body(self) -> bytes:
        return b"".join(self.pieces)

    @property
    def content_type(self) -> str | None:
        return header_value(self.headers, "content-type")


def make_stream(wire: str, body: bytes, headers: Iterable[tuple[str, str]] = (), **more: Any) -> Stream:
    """A stream out of its body. `more`: the other fields of `Stream`."""
    headers = tuple(headers)
    framer = Framer(header_value(headers, "content-type"))
    frames = tuple(frame.raw for frame in [*framer.feed(body), *framer.flush()])
    # An HTTP error is read whole, whatever its form; and so is what follows a frame that is too large.
    framed = 200 <= more.get("status", 200) < 300 and bool(framer.is_stream) and not framer.overflowed
    return Stream(wire, frames if framed else (body,), framed, headers=headers, **more)


def stream_of_call(call: Call) -> Stream | str:
    """The response of a recorded call, or why it cannot be swept."""
    if call.response is None:
        return "no response came"
    if call.wire not in WIRES:
        return "the wire format is not known"
    coding = coding_of(call.response.headers)
    if coding:
        return f"the body is still encoded ({coding})"
    return make_stream(
        call.wire,
        call.body(),
        call.response.headers,
        status=call.response.status,
        end=call.end,
        options=DecodeOptions.from_dict(call.decode),
        call=call.number,
        expected=None if call.end_record is None else tuple(call.events),
    )


def read_fixture(path: Path) -> Stream:
    """A raw response with its expectation beside it. Raises `HarnessError` where one of them cannot be used."""
    beside = path.with_name(path.name.removesuffix(path.suffix) + EXPECTATION)
    try:
        body, text = path.read_bytes(), beside.read_bytes()
    except OSError as error:
        raise HarnessError(f"{error.filename}: cannot be read: {error.strerror}") from None
    try:
        expect = json.loads(text)
        wire = expect["wire"]
        if wire not in WIRES:
            raise ValueError(f"wire {wire!r} is none of {', '.join(WIRES)}")
        headers = [(name, value) for name, value in expect.get("headers", ())]
        if expect.get("content_type") is not None:
            headers.append(("content-type", expect["content_type"]))
        return make_stream(
            wire,
            body,
            headers,
            status=int(expect.get("status", 200)),
            end=End(**expect.get("end", {})),
            options=DecodeOptions.from_dict(expect.get("options", {})),
            expected=tuple(expect["events"]) if "events" in expect else None,
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        what = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise HarnessError(f"{beside}: {what}") from None


def find_inputs(paths: Iterable[str]) -> list[Path]:
    """The recordings and raw fixtures that `paths` name, each once. Raises `HarnessError` where one names none."""
    found: dict[Path, None] = {}
    for text in paths:
        inside = [file for file in find_files([text]) if file.name.endswith((*RECORDINGS, *FIXTURES))]
        if not inside:
            raise HarnessError(f"{text}: no recording (*.jsonl) and no raw fixture (*.sse, *.body) here")
        found |= dict.fromkeys(inside)
    return list(found)
