"""The history of a turn in a recording: what an earlier turn was given too is named in `same`, as in request bodies.

A session that goes on for many turns would otherwise grow with their square. Pure.
"""

from __future__ import annotations

from typing import Any

from harness.recording.bodies import BodyLog, BodyReader
from harness.recording.records import Record

_NAME = "history"


class HistoryLog:
    """The histories of one recording, while it is written."""

    def __init__(self) -> None:
        self._log = BodyLog()

    def compressed(self, record: Record) -> Record:
        """A `turn` record as it is written, with `same` in the place of `history` where that is shorter."""
        found = self._log.compressed(record["turn"], {_NAME: record[_NAME]})
        if "same" not in found:
            return record
        return _replaced(record, _NAME, "same", found["same"])

    def add_recorded(self, record: Record) -> None:
        """Take a `turn` record of the recording that is gone on with."""
        self._log.add_recorded(record["turn"], _given(record), record.get("same", {}))


class HistoryReader:
    """The histories of one recording, while it is read: `whole` once for every `turn` record, in file order."""

    def __init__(self) -> None:
        self._reader = BodyReader()

    def whole(self, record: Record) -> Record:
        """A `turn` record with its whole history. Raises `KeyError`, `TypeError` or `ValueError` where it has none."""
        found = self._reader.whole(record["turn"], _given(record), record.get("same", {}))
        if "same" not in record:
            return record
        return _replaced(record, "same", _NAME, found[_NAME])


def _given(record: Record) -> Record:
    return {_NAME: record[_NAME]} if _NAME in record else {}


def _replaced(record: Record, old: str, new: str, value: Any) -> Record:
    """The record with another member in the place of one."""
    return dict((new, value) if name == old else (name, item) for name, item in record.items())
