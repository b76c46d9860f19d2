"""What rewriting a recording takes: records numbered anew, events derived anew, files put in place in one step."""

from __future__ import annotations

import contextlib
import gzip
import os
import secrets
from collections.abc import Callable, Iterable
from pathlib import Path

from agent.jsonio import dumps
from harness.errors import HarnessError
from harness.paths import SUFFIXES, without_suffix
from harness.recording.records import Record, event_record
from harness.recording.writer import MODE, claim
from harness.replaying.derive import Derived


def beside(path: Path, word: str) -> Path:
    """The name of a new file beside `path`: `run.jsonl` and `scrubbed` give `run.scrubbed.jsonl`."""
    return path.with_name(f"{without_suffix(path.name)}.{word}{SUFFIXES[0]}")


def with_events(records: Iterable[Record], derived: dict[int, Derived]) -> list[Record]:
    """The records with other events for some calls: each after its frame, those of a call's end before its `call_end`.

    Inserted records have no `seq`; their `t` is that of the record they belong to.
    """
    found: list[Record] = []
    frames: dict[int, int] = {}
    last: dict[int, int] = {}
    for record in records:
        call, kind = record.get("call"), record["kind"]
        if not isinstance(call, int) or call not in derived:
            found.append(record)
            continue
        if kind == "event":
            continue
        if kind == "call_end":
            found += _events(call, None, derived[call], record)
        found.append(record)
        if kind == "frame":
            index = frames[call] = frames.get(call, -1) + 1
            found += _events(call, index, derived[call], record)
        if kind != "tool_result":
            last[call] = -1 if kind == "call_end" else len(found)
    for call, place in sorted(last.items(), key=lambda item: -item[1]):
        if place >= 0:  # the call has no end: what came where a frame was too large
            found[place:place] = _events(call, None, derived[call], found[place - 1])
    return found


def _events(call: int, frame: int | None, derived: Derived, record: Record) -> list[Record]:
    return [{"t": record["t"], **event_record(call, frame, event)} for index, event in derived if index == frame]


def renumbered(records: Iterable[Record], old: Iterable[Record] = ()) -> list[Record]:
    """The records with `seq` rising by one from 0; a gap among the `old` ones, where records were lost, stays."""
    lost_before = {record["seq"]: record["seq"] - index for index, record in enumerate(old)}
    found = []
    lost = 0
    for index, record in enumerate(records):
        lost = lost_before.get(record.get("seq"), lost)
        rest = {name: value for name, value in record.items() if name not in ("kind", "seq")}
        found.append({"kind": record["kind"], "seq": index + lost, **rest})
    return found


def write_file(path: Path, records: Iterable[Record], check: Callable[[Path], None], *, over: bool) -> None:
    """Write a recording: a temporary file beside it, `check`ed, takes its name once it is whole.

    `over`: an existing file is replaced; it keeps its permissions. Raises `HarnessError`.
    """
    if path.is_symlink():
        path = path.resolve()
    if path.is_dir():
        raise HarnessError(f"{path}: it is a folder; name a file")
    if path.exists() and not path.is_file():
        raise HarnessError(f"{path}: it is no regular file, and would be replaced by one; name a file")
    if path.exists() and not over:
        raise HarnessError(f"{path}: the file exists; pass --force to overwrite it, or name another")
    data = b"".join(dumps(record) + b"\n" for record in records)
    compressed = path.name.endswith(".gz")
    temporary = path.with_name(f".{secrets.token_hex(4)}{SUFFIXES[compressed]}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        mode = path.stat().st_mode & 0o777 if path.exists() else MODE
        _write(temporary, gzip.compress(data, mtime=0) if compressed else data, mode)
        check(temporary)
        _replace(temporary, path)
    except OSError as error:
        raise HarnessError(f"{path}: cannot write it: {error.strerror or error}") from None
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()


def _write(path: Path, data: bytes, mode: int) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(descriptor)


def _replace(temporary: Path, path: Path) -> None:
    """Put the file in place, unless the old one is being written to."""
    if path.exists():
        with path.open("rb") as old:
            claim(old.fileno(), path)
            temporary.replace(path)
    else:
        temporary.replace(path)
