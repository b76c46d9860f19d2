"""The documented reader: a recording with its calls, their bodies and chunks as they were.

    import harness

    recording = harness.open("recordings/answer.jsonl")
    for call in recording.calls:
        print(call.method, call.url, call.response, call.end)
        for event in call.events:
            ...

The whole file is read. For one pass over the records with flat memory see `harness.recording.reader`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

from agent.events import End
from harness.recording.bodies import BodyReader
from harness.recording.contents import Call, Headers, Part, Request, Response, Turn
from harness.recording.histories import HistoryReader
from harness.recording.lines import Fault, Faults
from harness.recording.order import record_of
from harness.recording.reader import RecordReader
from harness.recording.records import Record, raw_bytes

__all__ = ["Call", "Part", "Recording", "Request", "Response", "Turn", "open"]

_T = TypeVar("_T")


@dataclass(slots=True)
class Recording:
    """A recording that was read. `end` is the record with the totals; None where the process died."""

    path: Path
    header: Record | None = None
    turns: list[Turn] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    """In the order in which the requests were sent."""
    resumes: list[Record] = field(default_factory=list)
    end: Record | None = None
    warnings: list[Fault] = field(default_factory=list)

    def __iter__(self) -> Iterator[Call]:
        return iter(self.calls)


def open(path: str | PathLike[str], *, strict: bool = False) -> Recording:
    """Read a recording. What is broken is left out and stands in `warnings`; with `strict` it raises `BadLine`.

    Raises `UnreadableRecording` and `NewerVersion`.
    """
    reader = RecordReader(path, strict=strict)
    recording = assemble(reader, reader.path, strict=strict)
    recording.header = reader.header
    recording.warnings = [*reader.warnings, *recording.warnings]
    return recording


def assemble(records: Iterable[tuple[int, Record]], path: Path, *, strict: bool = False) -> Recording:
    """A recording of records that are read already, each with its line number. Raises `BadLine` with `strict`."""
    builder = _Builder(path, strict=strict)
    for line, record in records:
        builder.add(line, record)
    builder.recording.warnings = builder.faults.found
    return builder.recording


class _Builder:
    """Records in, one by one; a recording out."""

    def __init__(self, path: Path, *, strict: bool) -> None:
        self.recording = Recording(path)
        self.faults = Faults(path, strict=strict)
        self._bodies = BodyReader()
        self._histories = HistoryReader()
        self._calls: dict[int, Call] = {}
        self._turns: dict[int, Turn] = {}

    def add(self, line: int, record: Record) -> None:
        kind = record.get("kind")
        try:
            if kind == "frame" or kind == "event":
                call = self._calls.get(record["call"]) or _known(self._calls, "call", record)
                if kind == "frame":
                    call.frames.append(_part(record))
                elif type(record["event"]) is dict:
                    call.event_records.append(record)
                else:
                    raise TypeError("its event is no object")
            elif type(kind) is not str:
                raise TypeError("its kind is no string")
            elif kind in _OF_CALL:
                _OF_CALL[kind](_known(self._calls, "call", record), record)
            elif kind == "request":
                self._request(line, record)
            elif kind == "turn":
                turn = self._turns[record["turn"]] = _turn(self._histories.whole(record))
                self.recording.turns.append(turn)
            elif kind in _OF_TURN:
                _OF_TURN[kind](_known(self._turns, "turn", record), record)
            elif kind == "resume":
                self.recording.resumes.append(record)
                self.recording.end = None
            elif kind == "end":
                self.recording.end = record
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            reason = f"{error} is missing" if isinstance(error, KeyError) else str(error)
            name = kind if type(kind) is str else "nameless"
            self.faults.add("bad_record", line, f"{record_of(name)} that does not fit: {reason}; left out")

    def _request(self, line: int, record: Record) -> None:
        number = record["call"]
        try:
            body = self._bodies.body(record)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            body = None
            self.faults.add("unresolved_body", line, f"the body of call {number} is not whole: {error}")
        request = Request(record["method"], record["url"], _pairs(record["headers"]), body, record)
        call = self._calls[number] = Call(number, request, record["t"])
        self.recording.calls.append(call)
        if call.turn in self._turns:
            self._turns[call.turn].calls.append(call)


def _known(found: dict[int, _T], what: str, record: Record) -> _T:
    number = record[what]
    if number not in found:
        raise ValueError(f"{what} {number} has no {'request' if what == 'call' else 'turn'} record")
    return found[number]


def _turn(record: Record) -> Turn:
    return Turn(
        record["turn"],
        record,
        input=record["input"],
        history=record["history"],
        mode=record["mode"],
        provider=record["provider"],
        model=record["model"],
        base_url=record.get("base_url"),
        system=record["system"],
        tools=record["tools"],
        params=record["params"],
        limits=record["limits"],
    )


def _response(call: Call, record: Record) -> None:
    call.response = Response(record["status"], _pairs(record["headers"]), record.get("encoding"))
    call.responded = record["t"]


def _call_end(call: Call, record: Record) -> None:
    error = record.get("error") or {}
    if record["end"] not in ("eof", "closed", "error"):
        raise ValueError(f"there is no end {record['end']!r}")
    call.end = End(record["end"], error.get("class"), error.get("message", ""))
    call.end_record = record


def _body(call: Call, record: Record) -> None:
    call.bodies.append(_part(record))


def _part(record: Record) -> Part:
    get = record.get
    raw, cut_t = get("raw"), get("cut_t")
    return Part(
        raw.encode() if type(raw) is str else raw_bytes(record),
        record["i"], record["t"], get("cuts"), () if cut_t is None else tuple(cut_t), get("unterminated", False),
    )  # fmt: skip


def _tool_result(turn: Turn, record: Record) -> None:
    turn.tool_results.append(record)
    data = {name: record[name] for name in ("id", "name", "ok", "output")}
    turn.course.append({"event": "tool_result", "data": data})


def _loop(turn: Turn, record: Record) -> None:
    turn.loop.append(record)
    if record["event"] != "cancelled":
        turn.course.append({"event": record["event"], "data": record["data"]})


_OF_CALL = {
    "response": _response,
    "body": _body,
    "call_end": _call_end,
}
_OF_TURN = {"tool_result": _tool_result, "loop": _loop}


def _pairs(headers: Any) -> Headers:
    pairs = [(name, value) for name, value in headers]
    if not all(type(part) is str for pair in pairs for part in pair):
        raise TypeError("a header is no pair of strings")
    return pairs
