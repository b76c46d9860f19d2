"""Looks for secrets in recordings and other files: the work of `harness scan`.

A recording is read line by line: each line as it stands and in its other forms (JSON escapes, percent-encoding,
base64), what a request carries at the places of keys, and the texts that the frames, bodies and events of a call give
when they are joined. Any other file is searched as a whole, an event stream also across its frames. No finding holds
the secret.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from agent.jsonio import NotJSON, loads
from agent.response import Framer
from harness.paths import SUFFIXES
from harness.recording.headers import header_secrets
from harness.recording.lines import Faults, blocks_of, salvage, split_lines
from harness.recording.records import FORMAT, KINDS, Record
from harness.redaction.channels import splits
from harness.redaction.finder import PLAIN, Finder, Hit
from harness.redaction.placeholders import PLACEHOLDER
from harness.redaction.scan_texts import CallTexts, place_of, texts_of

SPLIT = "split"
_MARK = re.compile(rb'"format" ?: ?"%s"' % FORMAT.encode())
_HEAD = 4096
_TEXT_BOMS = ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
"""How a text begins that is no UTF-8, and its encoding; so a shell of Windows redirects output into a file."""
_TEXT_MARKS = tuple(mark for mark, _ in _TEXT_BOMS)


@dataclass(slots=True, frozen=True)
class Finding:
    """A secret in a file. `line` counts from 1, `length` is that of the secret in bytes.

    `rule`: the key shape, `key` for a value that is known, or the name of a user's rule. `where`: the record it stands
    in; empty in other files. `form`: how it is written.
    """

    path: Path
    line: int
    rule: str
    where: str
    form: str
    length: int

    def __str__(self) -> str:
        form = "" if self.form == PLAIN else f", {self.form}"
        where = f" in {self.where}" if self.where else ""
        return f"{self.path}:{self.line}: {self.rule}{where} ({self.length} bytes{form})"

    def to_dict(self) -> dict[str, Any]:
        names = ("line", "rule", "where", "form", "length")
        return {"path": str(self.path), **{name: getattr(self, name) for name in names}}


@dataclass(slots=True)
class Scanned:
    """What was found in one file. `placeholders`: secrets that are redacted already. `unread`: what was not read."""

    path: Path
    findings: list[Finding] = field(default_factory=list)
    placeholders: int = 0
    unread: list[str] = field(default_factory=list)
    foreign: dict[str, str] = field(default_factory=dict, repr=False)
    """Secrets that only the further scanner knows, with its rule; for `harness.redaction.scrub`, never to be shown."""


class ForeignHit(Protocol):
    """What another scanner found. `start` counts in bytes."""

    @property
    def start(self) -> int: ...

    @property
    def rule(self) -> str: ...

    @property
    def secret(self) -> str: ...


class Foreign(Protocol):
    """Another scanner, such as `harness.redaction.kingfisher.Kingfisher`."""

    def find(self, data: bytes) -> Iterable[ForeignHit]: ...


def scan_file(path: Path, finder: Finder, foreign: Foreign | None = None) -> Scanned:
    """Search one file. What its requests carry at the places of keys is learned by `finder`.

    Raises `UnreadableRecording` for a file that cannot be read.
    """
    scan = _Scan(path, finder, foreign)
    if path.is_file() and path.stat().st_size == 0:
        return scan.result
    faults = Faults(path, strict=False)
    blocks = blocks_of(path, faults)
    first = next(blocks, b"")
    if (path.name.endswith(SUFFIXES) and not first.startswith(_TEXT_MARKS)) or _MARK.search(first, 0, _HEAD):
        for number, line in enumerate(split_lines(_chain(first, blocks)), 1):
            scan.line(number, line)
    else:
        scan.text(b"".join(_chain(first, blocks)))
    scan.close()
    scan.result.unread = [str(fault) for fault in faults.found]
    return scan.result


class _Scan:
    """One file while it is searched."""

    def __init__(self, path: Path, finder: Finder, foreign: Foreign | None) -> None:
        self.result = Scanned(path)
        self._finder = finder
        self._foreign = foreign
        self._seen: set[tuple[int, bytes]] = set()
        self._own: set[tuple[int, bytes]] = set()
        self._calls: dict[int, CallTexts] = {}
        self._doubtful: dict[int, list[tuple[int, str, Hit]]] = {}
        self._document = _Document()

    def line(self, number: int, line: bytes) -> None:
        """One line of a recording, be it whole or broken."""
        records = _records(line)
        for record in records:
            self._learn(record)
        self.result.placeholders += len(PLACEHOLDER.findall(line))
        where = place_of(records[0]) if len(records) == 1 else ""
        for hit in self._finder.find(line, user_rules=not records):
            if len(records) == 1 and _may_follow(records[0], line, hit):
                self._doubtful.setdefault(records[0]["call"], []).append((number, where, hit))
            else:
                self._add(number, where, hit)
        if not records:
            self._read(number, "", line)
        for record in records:
            if self._finder.has_user_rules or self._foreign is not None:
                where = place_of(record)
                for data in texts_of(record):
                    self._read(number, where, data)
                    for hit in self._finder.user_hits(data):
                        self._add(number, where, hit)
            self._collect(number, record)

    def text(self, data: bytes) -> None:
        """A whole file that is no recording."""
        for mark, encoding in _TEXT_BOMS:
            if data.startswith(mark):
                data = data.decode(encoding, "replace").encode()
        self.result.placeholders += len(PLACEHOLDER.findall(data))
        line, at = 1, 0
        for hit in self._finder.find(data):
            line += data.count(b"\n", at, hit.start)
            at = hit.start
            self._add(line, "", hit)
        for number, text in enumerate(data.split(b"\n"), 1):
            self._read(number, "", text)
        framer = Framer(None)
        frames = [*framer.feed(data), *framer.flush()]
        if len(frames) > 1:
            texts = self._calls[0] = CallTexts()
            line = 1
            for frame in frames:
                texts.add_frame(line, frame.raw)
                line += frame.raw.count(b"\n")

    def close(self) -> None:
        """Search what was collected, and ask the other scanner."""
        for call in list(self._calls):
            self._close_call(call)
        self._own = set(self._seen)
        if self._foreign is not None:
            for hit in self._foreign.find(self._document.data()):
                self._add_foreign(hit)
        self.result.findings.sort(key=lambda finding: finding.line)

    def _collect(self, number: int, record: Record) -> None:
        call = record.get("call")
        if not isinstance(call, int):
            return
        if record["kind"] in ("frame", "body", "event"):
            self._calls.setdefault(call, CallTexts()).add(number, record)
        elif record["kind"] == "call_end" and call in self._calls:
            self._close_call(call)

    def _close_call(self, call: int) -> None:
        texts = self._calls.pop(call)
        for line, where, hit in self._doubtful.pop(call, []):
            if not self._follows(texts, line, hit):
                self._add(line, where, hit)
        for name, pieces in texts.joined():
            for line, data in pieces:
                self._read(line, "", data, apart=False)
            self._read(pieces[-1][0], "", b"")
            for split in splits([data for _, data in pieces], self._finder):
                line = pieces[split.parts[0][0]][0]
                last = pieces[split.parts[-1][0]][0]
                self._add(line, f"{name}, lines {line} to {last}", split.hit, SPLIT)

    def _follows(self, texts: CallTexts, line: int, hit: Hit) -> bool:
        """Whether what begins a text of a line is the rest of a word or number that an earlier line began."""
        for _, pieces in texts.streams():
            at = 0
            for number, data in pieces:
                if number == line and data.startswith(hit.secret):
                    found = self._finder.find(b"".join(text for _, text in pieces))
                    if not any(one.start <= at < one.end for one in found):
                        return True
                at += len(data)
        return False

    def _learn(self, record: Record) -> None:
        """The secrets that a request or response carries where keys stand."""
        if record["kind"] not in ("request", "response"):
            return
        try:
            headers = [(str(name), str(value)) for name, value in record["headers"]]
            url = str(record.get("url", ""))
            secrets = header_secrets(headers, url)
        except (KeyError, TypeError, ValueError):
            return
        for secret in secrets:
            self._finder.learn(secret)

    def _add(self, line: int, where: str, hit: Hit, form: str | None = None) -> None:
        if (line, hit.secret) not in self._seen:
            self._seen.add((line, hit.secret))
            found = Finding(self.result.path, line, hit.rule, where, form or hit.form, len(hit.secret))
            self.result.findings.append(found)

    def _add_foreign(self, hit: ForeignHit) -> None:
        secret = hit.secret.encode("utf-8", "surrogatepass")
        line, where = self._document.place(hit.start)
        if not any(secret in known or known in secret for other, known in self._own if other == line):
            self._add(line, where, Hit(0, 0, hit.rule, secret))
            self.result.foreign[hit.secret] = hit.rule

    def _read(self, line: int, where: str, data: bytes, *, apart: bool = True) -> None:
        if self._foreign is not None:
            self._document.add(line, where, data + b"\n" if apart else data)


class _Document:
    """The texts of a file in plain form, for another scanner, with the places they come from."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._starts: list[int] = []
        self._places: list[tuple[int, str]] = []
        self._length = 0

    def add(self, line: int, where: str, data: bytes) -> None:
        self._parts.append(data)
        self._starts.append(self._length)
        self._places.append((line, where))
        self._length += len(data)

    def data(self) -> bytes:
        return b"".join(self._parts)

    def place(self, at: int) -> tuple[int, str]:
        return self._places[bisect_right(self._starts, at) - 1]


def _may_follow(record: Record, line: bytes, hit: Hit) -> bool:
    """Whether a hit begins a text of a stream: it is only known then with what stands before whether it is one."""
    is_part = record["kind"] in ("frame", "event") and isinstance(record.get("call"), int)
    return is_part and hit.form == PLAIN and line[hit.start - 1 : hit.start] == b'"'


def _records(line: bytes) -> list[Record]:
    """The records of a line: one, or what can be read of a broken one."""
    try:
        values = [loads(line)]
    except NotJSON:
        values = [*salvage(line)[0]]
    return [value for value in values if isinstance(value, dict) and str(value.get("kind")) in KINDS]


def _chain(first: bytes, rest: Iterable[bytes]) -> Iterable[bytes]:
    yield first
    yield from rest
