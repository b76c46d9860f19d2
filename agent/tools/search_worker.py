"""Searches the workspace. A program of its own, because Python's `re` can take exponential time, holds the interpreter
meanwhile, and can only be stopped with its process. It is run by path.

Argument: a JSON object with `root`, `path`, `pattern`, `regex`, `ignore_case`, `glob`, `max_results`, `seconds`.
Output, one JSON object a line: `{"file", "line", "text"}` for each match as it is found, then `{"end": {...}}`, or
`{"error": "..."}`. Ends itself after `seconds`, in the middle of a match too (alarm(2)).
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from agent.tools.globs import matcher
from agent.tools.text import SNIFFED, decode, is_binary
from agent.tools.tool import ToolError
from agent.tools.walk import Entry, show, walk
from agent.tools.workspace import Parts, Workspace, read_file

MOST_BYTES = 16 * 2**20
"""Files above this size are skipped and counted."""
MOST_DEPTH = 64
LINE_CHARACTERS = 300
"""Of a longer line, the part around the match is shown."""


class Search:
    """One search; what was skipped is counted."""

    def __init__(self, request: dict[str, Any]) -> None:
        self.workspace = Workspace(request["root"])
        self.start = self.workspace.locate(request["path"])
        self.wanted = matcher(request["glob"]) if request["glob"] else None
        self.find = _finder(request)
        self.end_time = time.monotonic() + request["seconds"]
        self.counts = {"files": 0, "binary": 0, "big": 0, "unreadable": 0, "out_of_time": 0}

    def matches(self) -> Iterator[dict[str, Any]]:
        """Every match, a line at a time, until the time is up."""
        for parts in self._files():
            if time.monotonic() > self.end_time:
                self.counts["out_of_time"] = 1
                return
            data = self._read(parts)
            if data is not None:
                yield from self._lines(show(parts), data)

    def _files(self) -> Iterator[Parts]:
        entries = walk(self.workspace, self.start, MOST_DEPTH)
        try:
            yield from (entry.parts for entry in entries if self._wants(entry))
        except ToolError:
            # No folder: a file then, or reading it says what it is.
            yield self.start

    def _wants(self, entry: Entry) -> bool:
        if entry.kind != "file":
            return False
        return self.wanted is None or self.wanted("/".join(entry.parts[len(self.start) :]))

    def _read(self, parts: Parts) -> bytes | None:
        path = "/".join(parts)
        try:
            with self.workspace.folder(parts[:-1]) as folder:
                data, size = read_file(folder, parts[-1], path, SNIFFED)
                if is_binary(data):
                    self.counts["binary"] += 1
                    return None
                if size > MOST_BYTES:
                    self.counts["big"] += 1
                    return None
                if size > len(data):
                    data, _ = read_file(folder, parts[-1], path, MOST_BYTES)
        except (OSError, ToolError):
            if parts == self.start:
                raise
            self.counts["unreadable"] += 1
            return None
        self.counts["files"] += 1
        return data

    def _lines(self, file: str, data: bytes) -> Iterator[dict[str, Any]]:
        for number, line in enumerate(decode(data).split("\n"), 1):
            at = self.find(line)
            if at >= 0:
                yield {"file": file, "line": number, "text": _around(line.rstrip("\r"), at)}


def _finder(request: dict[str, Any]) -> Callable[[str], int]:
    """A function of a line: where it matches first, -1 for nowhere."""
    pattern: str = request["pattern"]
    if not request["regex"]:
        if not request["ignore_case"]:
            return lambda line: line.find(pattern)
        pattern = re.escape(pattern)
    try:
        search = re.compile(pattern, re.IGNORECASE if request["ignore_case"] else 0).search
    except (re.error, OverflowError, RecursionError) as error:
        raise ToolError(f"{pattern!r} is no regular expression: {error}; set regex to false for plain text") from None

    def find(line: str) -> int:
        found = search(line)
        return -1 if found is None else found.start()

    return find


def _around(line: str, at: int) -> str:
    if len(line) <= LINE_CHARACTERS:
        return line
    start = max(0, min(at - LINE_CHARACTERS // 3, len(line) - LINE_CHARACTERS))
    stop = start + LINE_CHARACTERS
    return f"{'...' if start else ''}{line[start:stop]}{'...' if stop < len(line) else ''}"


def _write(value: dict[str, Any]) -> None:
    os.write(1, json.dumps(value).encode() + b"\n")


def main(argument: str) -> None:
    request = json.loads(argument)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, request["seconds"] + 1)
    try:
        search = Search(request)
        more = False
        for shown, match in enumerate(search.matches()):
            more = shown == request["max_results"]
            if more:
                break
            _write(match)
        _write({"end": {**search.counts, "more": more}})
    except ToolError as error:
        _write({"error": str(error)})
    except OSError as error:
        _write({"error": f"{request['path']!r}: {error.strerror}"})


if __name__ == "__main__":
    main(sys.argv[1])
