"""The texts of a recording in which a secret may stand: of one record, and of one call with its pieces joined."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

from agent.jsonio import NotJSON, loads_exact
from harness.recording.records import Record, raw_bytes
from harness.redaction.channels import channels
from harness.redaction.frame_data import data_of

Pieces: TypeAlias = list[tuple[int, bytes]]
"""Parts of one text, each with the line it stands in."""


def place_of(record: Record) -> str:
    """A record in words: `frame 3 of call 0`."""
    kind = str(record.get("kind"))
    number = f" {record['i']}" if isinstance(record.get("i"), int) else ""
    if kind == "turn":
        return f"turn {record.get('turn')}"
    for scope in ("call", "turn"):
        if isinstance(record.get(scope), int):
            return f"{kind}{number} of {scope} {record[scope]}"
    return kind


def texts_of(record: Record) -> Iterator[bytes]:
    """All strings and names of a record; of a frame those of its data, where this is JSON."""
    raw = _raw(record)
    value: Any = record
    if raw is not None:
        try:
            value = loads_exact((data_of(raw) or b"") if record["kind"] == "frame" else raw)
        except NotJSON:
            yield raw
            return
    for text in _texts(value):
        yield text.encode("utf-8", "surrogatepass")


class CallTexts:
    """What one call delivers in pieces."""

    def __init__(self) -> None:
        self._raw: Pieces = []
        self._frames: Pieces = []
        self._events: dict[str, Pieces] = {}

    def add(self, line: int, record: Record) -> None:
        """Take a `frame`, `body` or `event` record of the call."""
        raw = _raw(record)
        if raw is not None:
            self._raw.append((line, raw))
            if record["kind"] == "frame":
                self.add_frame(line, raw)
            return
        event = record.get("event")
        if (
            isinstance(event, dict)
            and event.get("type") in ("text", "reasoning")
            and isinstance(event.get("text"), str)
        ):
            self._events.setdefault(event["type"], []).append((line, event["text"].encode("utf-8", "surrogatepass")))

    def add_frame(self, line: int, raw: bytes) -> None:
        """Take a frame by its bytes."""
        data = data_of(raw)
        if data:
            self._frames.append((line, data))

    def joined(self) -> Iterator[tuple[str, Pieces]]:
        """Every text, with its name and its pieces."""
        if len(self._raw) > 1:
            yield "bytes", self._raw
        yield from self.streams()
        yield from _channels(self._frames, wide=True)

    def streams(self) -> Iterator[tuple[str, Pieces]]:
        """The texts whose pieces surely belong together."""
        yield from self._events.items()
        yield from _channels(self._frames, wide=False)


def _channels(frames: Pieces, *, wide: bool) -> Iterator[tuple[str, Pieces]]:
    for found in channels(frames, wide=wide):
        yield ".".join(map(str, found[0].place)) or "data", [(piece.frame, piece.text) for piece in found]


def _raw(record: Record) -> bytes | None:
    if record.get("kind") not in ("frame", "body"):
        return None
    try:
        return raw_bytes(record)
    except ValueError:
        return None


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, item in value.items():
            yield name
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
