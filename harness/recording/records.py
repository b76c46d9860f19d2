"""The records of a recording, format version 1: their kinds and order, and what old versions become.

A record is a plain dict, on writing and on reading. What enters from files can be checked with `validate`, against the
models of `harness.recording.models` (loaded on first use). `docs/format.md` describes every field.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

FORMAT = "trajectory"
FORMAT_VERSION = 1

Record: TypeAlias = dict[str, Any]
Ready: TypeAlias = tuple[int, Callable[[int, Any], bytes], Any]
"""Records whose JSON is known: how many, and what makes their lines of the `seq` of the first and the last item."""
Records: TypeAlias = list[Record | Ready]
"""What is written at once."""


@dataclass(slots=True, frozen=True)
class Kind:
    """One kind of record. `after`: a record of one of these kinds stands earlier, for the same `scope`."""

    meaning: str
    scope: Literal["recording", "turn", "call"]
    after: tuple[str, ...] = ()


KINDS: Mapping[str, Kind] = {
    "header": Kind("what recorded it, when and how; the first line", "recording"),
    "turn": Kind("what one turn of the agent loop was given", "turn", ("header",)),
    "request": Kind("a request to a provider, before it was sent", "call", ("header",)),
    "response": Kind("status and headers of the answer", "call", ("request",)),
    "frame": Kind("one block of an event stream, byte for byte", "call", ("response",)),
    "body": Kind("one chunk of an answer that is no event stream", "call", ("response",)),
    "event": Kind("a normalized event", "call", ("request",)),
    "call_end": Kind("how the call ended; the last record of the call", "call", ("request",)),
    "tool_result": Kind("what a tool gave back", "turn", ("turn",)),
    "loop": Kind("a loop event that is not repeated from the events", "turn", ("turn",)),
    "resume": Kind("the recording was appended to from here on", "recording", ("header",)),
    "end": Kind("the recording was closed; totals", "recording", ("header",)),
}
"""Every kind in the order in which a session meets them. `harness.recording.order` checks a recording against it."""

UPGRADES: dict[int, Callable[[Record], Record]] = {}
"""Version n -> how one of its records becomes a record of version n + 1. Empty while version 1 is the only one."""


def upgrade(record: Record, version: int) -> Record:
    """A record of an older version as a record of `FORMAT_VERSION`."""
    for step in range(version, FORMAT_VERSION):
        record = UPGRADES[step](record)
    return record


def validate(record: Record) -> None:
    """Check one record against its kind. Unknown fields are allowed, unknown kinds are not.

    Raises `ValueError` with one line that names the first wrong field.
    """
    from harness.recording.models import check

    check(record)


def bytes_fields(raw: bytes) -> dict[str, str]:
    """How bytes stand in a `frame` or `body` record: `raw` where they are UTF-8, else `raw_b64`."""
    try:
        return {"raw": raw.decode()}
    except UnicodeDecodeError:
        return {"raw_b64": b64encode(raw).decode()}


def frame_record(
    call: int,
    i: int,
    raw: bytes,
    cuts: Sequence[int] | None = None,
    cut_t: Sequence[float] | None = None,
    unterminated: bool = False,
    t: float | None = None,
) -> Record:
    """The record of one frame; `cuts` and `cut_t` as in `harness.recording.cuts`.

    Given `t`, it is made ready for the writer, which puts `seq` in.
    """
    record: Record = {"kind": "frame"} if t is None else {"kind": "frame", "seq": None, "t": t}
    record["call"] = call
    record["i"] = i
    try:
        record["raw"] = raw.decode()
    except UnicodeDecodeError:
        record |= bytes_fields(raw)
    if cuts is not None:
        record["cuts"] = cuts
        if cut_t:
            record["cut_t"] = cut_t
    if unterminated:
        record["unterminated"] = True
    return record


def body_record(call: int, i: int, raw: bytes) -> Record:
    """The record of one chunk of a response that is no event stream."""
    return {"kind": "body", "call": call, "i": i, **bytes_fields(raw)}


def event_record(call: int, frame: int | None, event: Mapping[str, Any], t: float | None = None) -> Record:
    """The record of one normalized event; `frame` is None for what the decoder's `finish` gave. `t` as above."""
    if t is None:
        return {"kind": "event", "call": call, "frame": frame, "event": event}
    return {"kind": "event", "seq": None, "t": t, "call": call, "frame": frame, "event": event}


def call_end_record(
    call: int,
    end: Literal["eof", "closed", "error"],
    size: int,
    *,
    error: tuple[str, str] | None = None,
    malformed: int = 0,
    unknown: Mapping[str, int] | None = None,
) -> Record:
    """How a call ended. `size` is the number of body bytes; `error` is class name and message of the exception."""
    record: Record = {"kind": "call_end", "call": call, "end": end}
    if error is not None:
        record["error"] = {"class": error[0], "message": error[1]}
    record["bytes"] = size
    if malformed:
        record["malformed"] = malformed
    if unknown:
        record["unknown"] = dict(unknown)
    return record


def is_cut_notice(event: str, data: Mapping[str, Any]) -> bool:
    """Whether a loop event is the notice that a tool result was cut to its limit."""
    return event == "notice" and data.get("what") == "trim" and data.get("of") == "result"


def raw_bytes(record: Record) -> bytes:
    """The bytes of a `frame` or `body` record. Raises `ValueError` where it holds none."""
    raw = record.get("raw")
    if isinstance(raw, str):
        return raw.encode()
    encoded = record.get("raw_b64")
    if not isinstance(encoded, str):
        raise ValueError(f"a {record.get('kind')} record without raw or raw_b64")
    return b64decode(encoded, validate=True)
