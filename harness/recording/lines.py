"""JSON Lines, read tolerantly: bytes in blocks, lines split on LF only, each decoded by itself, each fault one line.

Time is linear and memory flat: a block and the line it ends in. `.gz` is recognised by its first bytes. Every readable
part is read: a broken line is skipped, objects glued into one line are taken apart, NUL bytes around a record (a file
system's mark of a crash) are dropped.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from agent.jsonio import NotJSON, loads_exact
from harness.errors import BadLine, UnreadableRecording

BLOCK = 1 << 16
MAX_FAULTS = 50
"""Faults reported one by one; the rest is counted."""

GZIP = b"\x1f\x8b"
"""How a compressed file begins (RFC 1952, 2.3.1)."""
_BOM = b"\xef\xbb\xbf"
_BLANK = b" \t\r\n\0"
_LONG_INTEGER = re.compile(rb"\d{19}")
_RECORD_START = re.compile(r'\{"kind":"[a-z_]+","seq":\d')


Choose = Callable[[bytes], list[bytes]]
"""Takes the lines of a block, without their ends, and gives those that are to be parsed."""


@dataclass(slots=True, frozen=True)
class Fault:
    """Something wrong with a recording that did not stop the reading. `line` counts from 1."""

    what: str
    """`truncated_tail`, `truncated_gzip`, `bad_line`, `glued_records`, `nul_bytes`, `more_faults`; the reader of
    recordings adds `missing_header`, `second_header`, `not_closed`, `bad_record` and `unresolved_body`."""
    line: int | None
    message: str

    def __str__(self) -> str:
        return self.message if self.line is None else f"line {self.line}: {self.message}"


HARMLESS = frozenset({"not_closed", "truncated_tail", "glued_records"})
"""What a killed process leaves, and whole records in one line: all that was read is good. Any other fault means that
something is lost inside, and nobody can vouch for what it was."""


def damage_in(faults: Iterable[Fault]) -> str | None:
    """The first fault that is not harmless, as a line; None for none."""
    return next((str(fault) for fault in faults if fault.what not in HARMLESS), None)


class Faults:
    """Collects faults, or, in strict reading, raises `BadLine` on the first."""

    def __init__(self, path: Path | None, *, strict: bool) -> None:
        self.path = path
        self.strict = strict
        self.found: list[Fault] = []
        self._more = 0

    def add(self, what: str, line: int | None, message: str) -> None:
        if self.strict:
            raise BadLine(message, self.path, line, "read it without strict to skip what is broken")
        if len(self.found) < MAX_FAULTS:
            self.found.append(Fault(what, line, message))
        else:
            self._more += 1

    def note(self, what: str, line: int | None, message: str) -> None:
        """A fault that strict reading allows as well."""
        self.found.append(Fault(what, line, message))

    def close(self) -> None:
        if self._more:
            self.found.append(Fault("more_faults", None, f"{self._more} more broken lines"))
            self._more = 0


def read_objects(
    blocks: Iterable[bytes], faults: Faults, choose: Choose | None = None
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Every JSON object of the lines, with its line number; with `choose` of those that it gives, and numbers of these.

    A broken line is a `truncated_tail` when nothing but blanks and NULs follows it, else a `bad_line`.
    """
    broken: tuple[int, str] | None = None
    loads, long_integer = orjson.loads, _LONG_INTEGER.search
    for number, line in enumerate(chain.from_iterable(_lines_of(blocks, choose)), 1):
        try:
            value = loads(line)
            if type(value) is dict:
                if value.get("kind") != "frame" and not _holds_strings(value) and long_integer(line):
                    value = loads_exact(line)
                if broken is None:
                    yield number, value
                    continue
                found, reason = [value], None
            else:
                found, reason = [], "not a JSON object"
        except orjson.JSONDecodeError:
            if number == 1:
                line = line.removeprefix(_BOM)
            if not line.strip(_BLANK):
                if broken is None and b"\0" in line:
                    broken = (number, "NUL bytes")
                continue
            found, reason = salvage(line)
            if found:
                if len(found) > 1 or reason is not None or b"\0" in line:
                    _report_salvage(len(found), reason, number, faults)
                reason = None
        if broken is not None:
            faults.add("bad_line", broken[0], f"{broken[1]}; skipped")
            broken = None
        if reason is not None:
            broken = (number, reason)
        for value in found:
            yield number, value
    if broken is not None:
        faults.add("truncated_tail", broken[0], f"the last line is torn ({broken[1]}); left out")
    faults.close()


def _holds_strings(record: dict[str, Any]) -> bool:
    """Whether a record that is no frame has no place for integers that could be too long for `orjson`."""
    if record.get("kind") == "body":
        return True
    event = record.get("event")
    return type(event) is dict and len(event) == 2 and type(event.get("text")) is str


def blocks_of(path: Path, faults: Faults, size: int | None = None) -> Iterator[bytes]:
    """The bytes of a file in blocks of at most `size` (`BLOCK` where None), decompressed where it is gzip.

    Raises `UnreadableRecording` for what cannot be opened or read.
    """
    size = size or BLOCK
    try:
        with path.open("rb", buffering=0) as file:
            first = file.read(size) or b""
            if not first:
                raise UnreadableRecording("the file is empty", path, todo="record again")
            if first.startswith(GZIP):
                yield from _inflate(_chunks(first, file, size), faults, size)
            else:
                yield from _chunks(first, file, size)
    except OSError as error:
        todo = "name a file in it" if path.is_dir() else None
        raise UnreadableRecording(f"cannot read it: {error.strerror or error}", path, todo=todo) from None


def _chunks(first: bytes, file: BinaryIO, size: int) -> Iterator[bytes]:
    while first:
        yield first
        first = file.read(size)


def _inflate(blocks: Iterable[bytes], faults: Faults, size: int) -> Iterator[bytes]:
    """Undo gzip (several members too); what came before a fault is kept."""
    decoder = zlib.decompressobj(wbits=31)
    for data in blocks:
        while data:
            if decoder.eof:
                decoder = zlib.decompressobj(wbits=31)
            before = decoder.copy()
            try:
                block = decoder.decompress(data, size)
            except zlib.error as error:
                yield from _up_to_fault(before, data)
                faults.add("truncated_gzip", None, f"the compressed data is damaged: {error}")
                return
            data = decoder.unused_data.lstrip(b"\0") if decoder.eof else decoder.unconsumed_tail
            if block:
                yield block
    block = decoder.flush()
    if block:
        yield block
    if not decoder.eof:
        faults.add("truncated_gzip", None, "the compressed data ends early")


def _up_to_fault(decoder: zlib._Decompress, data: bytes) -> Iterator[bytes]:
    """What can be decompressed of damaged data; a call that fails gives nothing, so it is done byte by byte."""
    for at in range(len(data)):
        try:
            block = decoder.decompress(data[at : at + 1])
        except zlib.error:
            return
        if block:
            yield block


def split_lines(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Lines without their LF; the last one too where its LF is missing."""
    return chain.from_iterable(_lines_of(blocks))


def _lines_of(blocks: Iterable[bytes], choose: Choose | None = None) -> Iterator[list[bytes]]:
    """The same, a block's at a time. A last line without LF is always given."""
    pending: list[bytes] = []
    for block in blocks:
        head, line_end, rest = block.rpartition(b"\n")
        if not line_end:
            pending.append(block)
            continue
        if pending:
            head = b"".join((*pending, head))
        pending = [rest] if rest else []
        yield head.split(b"\n") if choose is None else choose(head)
    if pending:
        yield [b"".join(pending)]


def salvage(line: bytes) -> tuple[list[dict[str, Any]], str | None]:
    """The JSON objects that can be read from a broken line, and why the rest cannot (None: nothing else is in it).

    Objects stand one behind another from the start of the line; behind a broken part, records are found by how they
    begin (`{"kind":"...","seq":` cannot stand inside a JSON string).
    """
    text = line.strip(_BLANK).decode("utf-8", "surrogateescape")
    found: list[dict[str, Any]] = []
    reason: str | None = None
    decode: Callable[[str, int], tuple[Any, int]] = json.JSONDecoder(parse_constant=_refuse).raw_decode
    at = 0
    while at < len(text):
        try:
            value, end = decode(text, at)
            if type(value) is not dict:
                raise NotJSON("not a JSON object")
            text[at:end].encode()
        except UnicodeEncodeError:
            reason = reason or "not UTF-8"
        except (ValueError, RecursionError) as error:
            reason = reason or str(error).partition(":")[0]
        else:
            found.append(value)
            while end < len(text) and text[end] in " \t\r\0":
                end += 1
            at = end
            continue
        start = _RECORD_START.search(text, at + 1)
        if start is None:
            break
        at = start.start()
    return found, reason


def _report_salvage(found: int, reason: str | None, line: int, faults: Faults) -> None:
    if reason is not None:
        what = f"{found} record{'' if found == 1 else 's'} read from a broken line"
        faults.add("bad_line", line, f"{what} ({reason}); the rest skipped")
    elif found > 1:
        faults.add("glued_records", line, f"{found} records read from one line")
    else:
        faults.add("nul_bytes", line, "NUL bytes around the record; dropped")


def _refuse(name: str) -> Any:
    raise NotJSON(f"{name} is not JSON")
