"""Removes secrets from a recording that is written already: the work of `harness scrub`.

What `harness.redaction.finder` finds is replaced everywhere. Frames stay frames, chunk borders stay where they were as
far as a frame goes, events are derived anew from the scrubbed frames, sizes and digests are those of what is there now.
So the recording stays valid, and replays as before.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agent.jsonio import canonical, dumps
from agent.trim import cap
from harness.errors import HarnessError, RecordingError
from harness.recording.bodies import BodyReader, body_digest
from harness.recording.headers import header_secrets, recorded_headers, recorded_url
from harness.recording.opening import assemble
from harness.recording.reader import RecordReader
from harness.recording.records import Record, bytes_fields, raw_bytes
from harness.redaction.cleaner import Cleaner, Placeholders
from harness.redaction.finder import Finder
from harness.redaction.redactor import Redactor
from harness.redaction.scan import Foreign, scan_file
from harness.redaction.scrub_call import clean_bodies, clean_frames
from harness.replaying.derive import Derived, derive
from harness.replaying.rewriting import renumbered, with_events


@dataclass(slots=True)
class Scrubbed:
    """A recording without its secrets. `secrets`: how many different ones were replaced, in `changed` records."""

    path: Path
    records: list[Record]
    secrets: int
    changed: int


def scrub(path: Path, finder: Finder, foreign: Foreign | None = None) -> Scrubbed:
    """Read a recording and remove what `finder` and `foreign` find in it; nothing is written.

    Raises `RecordingError` where it cannot be read, or is damaged: then `harness recover` comes first.
    """
    old = _read(path)
    if foreign is not None:
        for secret, rule in scan_file(path, finder, foreign).foreign.items():
            finder.learn(secret, rule)
    work = _Scrub(path, finder)
    records = work.records(old)
    return Scrubbed(path, records, len(work.placeholders), work.changed)


def check_clean(path: Path, finder: Finder, foreign: Foreign | None = None) -> None:
    """Raises `HarnessError` where a scrubbed file still holds a secret, or is no valid recording."""
    findings = scan_file(path, finder, foreign).findings
    if findings:
        first = findings[0]
        raise HarnessError(
            f"{first.rule} in {first.where or f'line {first.line}'} cannot be removed; nothing was written. Delete the "
            "recording, and record it again"
        )
    try:
        for _ in RecordReader(path, strict=True):
            pass
    except RecordingError as error:
        raise HarnessError(f"nothing was written, as the result would be no valid recording: {error.what}") from None


def _read(path: Path) -> list[Record]:
    reader = RecordReader(path)
    records = [record for _, record in reader]
    recording = assemble(enumerate(records, 1), path)
    damage = [fault for fault in (*reader.warnings, *recording.warnings) if fault.what != "not_closed"]
    if damage:
        raise RecordingError(f"it is damaged: {damage[0]}", path, todo="repair it with `harness recover` first")
    return records


class _Scrub:
    """One recording at work."""

    def __init__(self, path: Path, finder: Finder) -> None:
        self.placeholders = Placeholders()
        self.changed = 0
        self._path = path
        self._cleaner = Cleaner(finder, self.placeholders)
        self._caps: dict[int, Any] = {}

    def records(self, old: list[Record]) -> list[Record]:
        for record in old:
            self.placeholders.reserve(dumps(record))
            if record["kind"] == "turn":
                self._caps[record["turn"]] = record["limits"].get("max_result_chars")
            if record["kind"] in ("request", "response"):
                for secret in header_secrets(_pairs(record["headers"]), record.get("url", "")):
                    self._cleaner.finder.learn(secret)
        new = self._with_streams(old, [self._clean(record) for record in old])
        self._fix_bodies(old, new)
        changed = {
            record["call"]
            for before, record in zip(old, new, strict=True)
            if record is not before and record["kind"] in ("response", "frame", "body", "call_end", "event")
        }
        self.changed = sum(record is not before for before, record in zip(old, new, strict=True))
        if not self.changed:
            return old
        rules = new[0]["redaction"]["rules"]
        added = [rule for rule in self.placeholders.rules if rule not in rules]
        new[0] = {**new[0], "redaction": {**new[0]["redaction"], "rules": [*rules, *added]}}
        derived = self._derived(new, changed)
        return renumbered(_with_errors(with_events(new, derived), old, derived), old)

    def _clean(self, record: Record) -> Record:
        """A record without secrets; frames and bodies are left to `_with_streams`."""
        if record["kind"] in ("frame", "body"):
            return record
        if record["kind"] == "tool_result":
            return self._tool_result(record)
        own = {name: record[name] for name in ("text", "b64") if record["kind"] == "request" and name in record}
        rest = {name: value for name, value in record.items() if name not in own} if own else record
        cleaned: Record = self._cleaner.value(rest)
        for name, body in own.items():
            cleaned = {**cleaned, name: self._body(name, body)}
        if own and cleaned == record:
            return record
        if record["kind"] in ("request", "response"):
            headers = recorded_headers(_pairs(cleaned["headers"]), Redactor())
            if headers != cleaned["headers"]:
                cleaned = {**cleaned, "headers": headers}
            if "url" in cleaned and (url := recorded_url(cleaned["url"], Redactor())) != cleaned["url"]:
                cleaned = {**cleaned, "url": url}
        return cleaned

    def _tool_result(self, record: Record) -> Record:
        """What the loop cut off an output is kept as it was: without its secrets it would be cut elsewhere."""
        cleaned: Record = self._cleaner.value(record)
        limit = self._caps.get(record["turn"])
        if cleaned is not record and "given" not in record and isinstance(limit, int):
            given = cap(record["output"], limit)
            if given != record["output"]:
                cleaned = {**cleaned, "given": self._cleaner.text(given)}
        return cleaned

    def _body(self, name: str, body: str) -> str:
        """A request body that is kept as `text` or `b64`."""
        if name == "text":
            return self._cleaner.document(body.encode()).decode()
        return b64encode(self._cleaner.document(b64decode(body))).decode()

    def _with_streams(self, old: list[Record], new: list[Record]) -> list[Record]:
        """The records with the frames and bodies of every call cleaned, and its `bytes` counted anew."""
        streams: dict[tuple[int, str], list[int]] = {}
        for index, record in enumerate(old):
            if record["kind"] in ("frame", "body"):
                streams.setdefault((record["call"], record["kind"]), []).append(index)
        gained: dict[int, int] = {}
        for (call, kind), places in streams.items():
            parts = [raw_bytes(old[index]) for index in places]
            clean = clean_frames if kind == "frame" else clean_bodies
            for index, before, after in zip(places, parts, clean(parts, self._cleaner), strict=True):
                if after != before:
                    new[index] = _with_raw(old[index], after)
                    gained[call] = gained.get(call, 0) + len(after) - len(before)
        for index, record in enumerate(new):
            if record["kind"] == "call_end" and gained.get(record["call"]):
                new[index] = {**record, "bytes": record["bytes"] + gained[record["call"]]}
        return new

    def _fix_bodies(self, old: list[Record], new: list[Record]) -> None:
        """Digest and size of request bodies that have changed."""
        before, after = BodyReader(), BodyReader()
        for index, record in enumerate(old):
            if record["kind"] == "request":
                one, other = before.body(record), after.body(new[index])
                if one is not other and one != other:
                    gained = len(_content(other)) - len(_content(one))
                    new[index] = {**new[index], "sha256": body_digest(other), "size": record["size"] + gained}

    def _derived(self, records: list[Record], calls: set[int]) -> dict[int, Derived]:
        """The events of the calls that changed, where their wire format is known."""
        recording = assemble(enumerate(records, 1), self._path)
        return {call.number: derive(call) for call in recording.calls if call.number in calls and call.wire is not None}


def _with_errors(records: list[Record], old: list[Record], derived: dict[int, Derived]) -> list[Record]:
    """The records, with what the loop said of a call's errors as it is derived now."""
    said: dict[bytes, dict[str, Any]] = {}
    for call, events in derived.items():
        before = [record["event"] for record in old if record["kind"] == "event" and record["call"] == call]
        pair = ([event for event in found if event["type"] == "error"] for found in (before, [e for _, e in events]))
        said |= {canonical(one): other for one, other in zip(*pair, strict=False)}
    spoken = {record["seq"]: canonical(record["data"]) for record in old if _tells_error(record)}
    return [
        {**record, "data": said[spoken[record["seq"]]]}
        if _tells_error(record) and spoken[record["seq"]] in said
        else record
        for record in records
    ]


def _tells_error(record: Record) -> bool:
    return (record["kind"], record.get("event")) == ("loop", "error")


def _with_raw(record: Record, raw: bytes) -> Record:
    """A frame or body record with other bytes."""
    again: Record = {}
    for name, value in record.items():
        if name in ("raw", "raw_b64"):
            again |= bytes_fields(raw)
        elif name == "cuts":
            again[name] = [min(cut, len(raw)) for cut in value]
        else:
            again[name] = value
    return again


def _pairs(headers: Any) -> list[tuple[str, str]]:
    return [(name, value) for name, value in headers]


def _content(body: Any) -> bytes:
    return body if isinstance(body, bytes) else dumps(body)
