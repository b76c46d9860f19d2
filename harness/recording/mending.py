"""Makes of the records of a damaged recording a list that strict reading accepts, and says what is lost. Pure.

Each function takes records with their lines, and adds a sentence to `lost` for everything it changes. What is missing
between records is put in where that invents nothing but the form, marked `"assumed": true`; a record that nothing can
be made of is left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, TypeAlias

from agent.jsonio import dumps
from harness.recording.bodies import BodyReader, body_digest
from harness.recording.contents import STOPPED
from harness.recording.histories import HistoryReader
from harness.recording.order import record_of
from harness.recording.records import KINDS, Record, call_end_record, raw_bytes, validate

Numbered: TypeAlias = list[tuple[int, Record]]
"""Records, each with the line it was read from; 0 for one that was put in."""

_CONTENT_TYPES = {"frame": "text/event-stream", "body": "application/json"}
_NO_BODY: Record = {"text": "", "sha256": body_digest(b""), "size": 0}


def mend(records: Numbered, lost: list[str]) -> Numbered:
    """All of it, in order. The first record is the header, where there is one."""
    for step in (whole, without_copies, with_one_header, with_turns, with_calls, without_gaps, with_ends, with_bodies):
        records = step(records, lost)
    return records


def whole(records: Numbered, lost: list[str]) -> Numbered:
    """Only records that fit their kind. `seq` is given anew later; a missing `t` is that of the record before."""
    found: Numbered = []
    t = 0.0
    before, seq = 0, -1
    for line, record in records:
        number = record.get("seq")
        if isinstance(number, int) and number > seq:
            gone = number - seq - 1
            if gone > max(0, line - before - 1):
                lost.append(
                    f"line {line}: before it {gone} record{' is' if gone == 1 else 's are'} missing (by their seq)"
                )
            seq = number
        before = line
        kind = record.get("kind")
        if not isinstance(kind, str) or kind not in KINDS:
            lost.append(f"line {line}: no record (its kind is {_short(kind)}); left out")
            continue
        time = record.get("t")
        if not isinstance(time, int | float) or isinstance(time, bool) or not time >= 0:
            time = t
        mended = {**record, "seq": 0, "t": time}
        try:
            validate(mended)
            if kind in _CONTENT_TYPES:
                raw_bytes(mended)
        except ValueError as error:
            lost.append(f"line {line}: {record_of(kind)} that is not whole ({error}); left out")
            continue
        t = time
        found.append((line, mended))
    return found


def without_copies(records: Numbered, lost: list[str]) -> Numbered:
    """Where the header comes again, as in a file joined with a copy of itself: from there on, each record that stands
    above already is left out, once for each time that it stands there."""
    found: Numbered = []
    header: Record | None = None
    above: Counter[bytes] = Counter()
    for line, record in records:
        if record["kind"] == "header":
            if header is not None and record["id"] == header["id"]:
                above = Counter(dumps(before) for _, before in found)
                lost.append(f"line {line}: the same recording begins again; what stands above already is left out")
            header = header or record
        key = dumps(record) if above else b""
        if above[key]:
            above[key] -= 1
        else:
            found.append((line, record))
    return found


def with_one_header(records: Numbered, lost: list[str]) -> Numbered:
    """The header first. Where a second recording begins, it is gone on with: numbers and times follow the first."""
    first = next((record for _, record in records if record["kind"] == "header"), None)
    found: Numbered = []
    call = turn = -1
    t = 0.0
    calls = turns = 0
    shift = 0.0
    for line, record in records:
        if record["kind"] == "header":
            if record is first:
                found.insert(0, (line, record))
            elif first is not None and record["id"] == first["id"]:
                lost.append(f"line {line}: the header again; left out")
            else:
                lost.append(f"line {line}: a second recording begins here; it is numbered on")
                calls, turns, shift = call + 1, turn + 1, t
                found.append((line, {"kind": "resume", "t": t, "started_at": record["started_at"]}))
            continue
        record = _shifted(record, calls, turns, shift)
        call, turn, t = max(call, record.get("call", -1)), max(turn, record.get("turn", -1)), max(t, record["t"])
        found.append((line, record))
    return found


def with_turns(records: Numbered, lost: list[str]) -> Numbered:
    """Each turn once, and nothing of a turn whose record is lost; its calls are kept for themselves."""
    turns: set[int] = set()
    histories = HistoryReader()
    found: Numbered = []
    for line, record in records:
        kind, turn = record["kind"], record.get("turn")
        if kind == "turn":
            if turn in turns:
                lost.append(f"line {line}: turn {turn} again; left out")
                continue
            turns.add(record["turn"])
            if not _resolves(histories.whole, record):
                lost.append(f"line {line}: the history of turn {turn} stood in a lost one; left out")
                record = {name: value for name, value in record.items() if name != "same"} | {"history": []}
        elif turn is not None and turn not in turns:
            if kind != "request":
                lost.append(f"line {line}: {record_of(kind)} of turn {turn}, whose own record is lost; left out")
                continue
            lost.append(f"line {line}: the record of turn {turn} is lost; call {record['call']} is kept without it")
            record = {name: value for name, value in record.items() if name != "turn"}
        found.append((line, record))
    return found


def with_calls(records: Numbered, lost: list[str]) -> Numbered:
    """The records of each call in order: none twice, none after its end; a lost request or response is put in."""
    seen: dict[int, set[Any]] = {}
    found: Numbered = []
    for line, record in records:
        kind = record["kind"]
        if KINDS[kind].scope != "call":
            found.append((line, record))
            continue
        call = record["call"]
        mark = (kind, record["i"]) if kind in _CONTENT_TYPES else kind
        of_call = seen.setdefault(call, set())
        if "call_end" in of_call:
            lost.append(f"line {line}: {record_of(kind)} of call {call} after its end; left out")
            continue
        if kind != "event" and mark in of_call:
            lost.append(f"line {line}: {_named(record)} again; left out")
            continue
        for missing in _missing(kind, of_call):
            lost.append(f"line {line}: the {missing} record of call {call} is lost; an empty one is put in")
            found.append((0, _assumed(missing, call, kind, record["t"])))
            of_call.add(missing)
        of_call.add(mark)
        found.append((line, record))
    return found


def without_gaps(records: Numbered, lost: list[str]) -> Numbered:
    """Frames and bodies numbered from 0, and `bytes` of the call's end as many as there are."""
    places: dict[tuple[int, str], dict[int, int]] = {}
    sizes: dict[int, int] = {}
    found: Numbered = []
    for line, record in records:
        kind, call = record["kind"], record.get("call", -1)
        if kind in _CONTENT_TYPES:
            numbers = places.setdefault((call, kind), {})
            expected = max(numbers, default=-1) + 1
            if record["i"] > expected:
                missing = f"{kind} {expected}" + (f" to {record['i'] - 1}" if record["i"] > expected + 1 else "")
                lost.append(f"line {line}: before it {missing} of call {call} is lost")
            numbers[record["i"]] = len(numbers)
            sizes[call] = sizes.get(call, 0) + len(raw_bytes(record))
            record = {**record, "i": numbers[record["i"]]}
        elif kind == "event" and record["frame"] is not None:
            number = places.get((call, "frame"), {}).get(record["frame"])
            if number is None:
                lost.append(f"line {line}: an event of frame {record['frame']} of call {call}, which is lost; left out")
                continue
            record = {**record, "frame": number}
        elif kind == "call_end" and record["bytes"] != sizes.get(call, 0):
            lost.append(f"line {line}: {record['bytes']} bytes of call {call} came, {sizes.get(call, 0)} are kept")
            record = {**record, "bytes": sizes.get(call, 0)}
        found.append((line, record))
    return found


def with_ends(records: Numbered, lost: list[str]) -> Numbered:
    """A `call_end` for every call: at its end mark where that was seen, else as a read error."""
    last: dict[int, int] = {}
    size: dict[int, int] = {}
    complete: set[int] = set()
    for index, (_, record) in enumerate(records):
        if KINDS[record["kind"]].scope == "call":
            call = record["call"]
            last[call] = -1 if record["kind"] == "call_end" else index
            if record["kind"] in _CONTENT_TYPES:
                size[call] = size.get(call, 0) + len(raw_bytes(record))
            elif record["kind"] == "event" and record["event"].get("complete") is True:
                complete.add(call)
    found = list(records)
    for call, index in sorted(last.items(), key=lambda item: -item[1]):
        if index < 0:
            continue
        t = records[index][1]["t"]
        if call in complete:
            end = call_end_record(call, "eof", size.get(call, 0))
        else:
            end = call_end_record(call, "error", size.get(call, 0), error=(STOPPED.error_class or "", STOPPED.message))
        lost.append(f"call {call}: its end is lost; taken as {'whole' if call in complete else 'cut off'}")
        found.insert(index + 1, (0, {**end, "t": t, "assumed": True}))
    return found


def with_bodies(records: Numbered, lost: list[str]) -> Numbered:
    """Request bodies without what they take from a call that is lost."""
    reader = BodyReader()
    found: Numbered = []
    for line, record in records:
        if record["kind"] == "request":
            gone = []
            for name in list(record.get("same", {})):
                one = {**record, "body": {}, "same": {name: record["same"][name]}}
                if not _resolves(reader.body, one):
                    gone.append(name)
            if gone:
                lost.append(
                    f"line {line}: {', '.join(gone)} of the request of call {record['call']} stood in a lost one"
                )
                record = _without(record, gone)
            body = reader.body(record)
            if gone:
                record |= {"sha256": body_digest(body), "size": len(dumps(body))}
        found.append((line, record))
    return found


def _resolves(read: Callable[[Record], Any], record: Record) -> bool:
    try:
        read(record)
    except (KeyError, TypeError, ValueError):
        return False
    return True


def _without(record: Record, names: list[str]) -> Record:
    same = {name: value for name, value in record["same"].items() if name not in names}
    rest = {name: value for name, value in record.items() if name != "same"}
    return {**rest, "same": same} if same else rest


def _shifted(record: Record, calls: int, turns: int, t: float) -> Record:
    """A record of a second recording, numbered on behind the first."""
    if not (calls or turns or t):
        return record
    record = {**record, "t": record["t"] + t}
    for name, by in (("call", calls), ("retry_of", calls), ("turn", turns)):
        if isinstance(record.get(name), int):
            record[name] += by
    if "same" in record:
        by = turns if record["kind"] == "turn" else calls
        record["same"] = {name: _shifted_source(source, by) for name, source in record["same"].items()}
    return record


def _shifted_source(source: Any, calls: int) -> Any:
    if isinstance(source, int):
        return source + calls
    if not isinstance(source, list):
        return source
    return [[part[0] + calls, *part[1:]] if isinstance(part, list) and part else part for part in source]


def _missing(kind: str, of_call: set[Any]) -> list[str]:
    """The kinds that must stand before this one and do not."""
    if kind in ("request", "event", "call_end", "response"):
        return [] if kind == "request" or "request" in of_call else ["request"]
    return [name for name in ("request", "response") if name not in of_call]


def _assumed(kind: str, call: int, before: str, t: float) -> Record:
    if kind == "response":
        headers = [["content-type", _CONTENT_TYPES[before]]]
        return {"kind": kind, "t": t, "call": call, "status": 200, "headers": headers, "assumed": True}
    return {
        "kind": kind, "t": t, "call": call, "wire": None, "decode": {}, "method": "POST", "url": "", "headers": [],
        **_NO_BODY, "assumed": True,
    }  # fmt: skip


def _named(record: Record) -> str:
    number = f" {record['i']}" if record["kind"] in _CONTENT_TYPES else ""
    return f"{record['kind']}{number} of call {record['call']}"


def _short(value: Any) -> str:
    return dumps(value)[:40].decode("utf-8", "ignore")
