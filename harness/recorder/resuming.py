"""What a recorder needs to know of the recording that it goes on with, taken from it in one pass."""

from __future__ import annotations

from pathlib import Path

from harness.recorder.totals import Totals
from harness.recording.bodies import BodyLog
from harness.recording.histories import HistoryLog
from harness.recording.reader import RecordReader
from harness.recording.records import Record
from harness.recording.tail import Tail
from harness.redaction.placeholders import MARK
from harness.redaction.redactor import Redactor


class Past:
    """`bodies` and `histories` that may be referred to, `totals` so far; the numbers of placeholders go on."""

    def __init__(self, redactor: Redactor) -> None:
        self.bodies = BodyLog()
        self.histories = HistoryLog()
        self.totals = Totals()
        self._redactor = redactor

    def read(self, path: Path) -> Tail:
        """Read a repaired recording; of an empty file there is nothing to know. Raises `RecordingError`."""
        tail = Tail()
        if path.stat().st_size:
            for line_and_record in RecordReader(path, choose=self._all):
                tail.add(line_and_record[1])
                self._add(line_and_record[1])
                self.totals.add_recorded((line_and_record,))
        return tail

    def _all(self, block: bytes) -> list[bytes]:
        """The lines as they are, once the placeholders in them are known."""
        lines = block.split(b"\n")
        for line in lines if MARK in block else ():
            if MARK in line:
                self._redactor.go_on(line)
        return lines

    def _add(self, record: Record) -> None:
        try:
            if record["kind"] == "request":
                self.bodies.add_recorded(record["call"], record.get("body"), record.get("same", {}))
            elif record["kind"] == "turn":
                self.histories.add_recorded(record)
        except (KeyError, TypeError):
            return  # a record of another form is never referred to
