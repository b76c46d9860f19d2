"""The bytes of one response that are no frames, turned into records."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from harness.recorder.outlet import Outlet
from harness.recording.records import Records, body_record
from harness.redaction.held_body import HeldBody


class BodyRecorder:
    """Chunks of a plain body in, records out; one that may end inside a secret is held until it is decided.

    `take` is given the redacted bytes of every record. `bytes` counts those that came out, and those that were lost
    where deciding failed.
    """

    def __init__(self, call: int, outlet: Outlet, take: Callable[[bytes], None]) -> None:
        self.bytes = 0
        self._call = call
        self._outlet = outlet
        self._take = take
        self._held = HeldBody(outlet.redactor)
        self._records = 0

    def feed(self, t: float, data: bytes) -> Records:
        """The records of the chunks that are decided by this one."""
        return self._written(self._held.feed, t, data)

    def flush(self) -> Records:
        """The records of what was held back."""
        return self._written(self._held.flush)

    def _written(self, decide: Callable[..., list[tuple[float, bytes]]], *arguments: Any) -> Records:
        try:
            chunks = decide(*arguments)
        except Exception as error:
            self._outlet.fault(error)
            self.bytes += self._held.drop()
            return []
        records: Records = []
        for t, data in chunks:
            self.bytes += len(data)
            self._take(data)
            records.append({"t": t, **body_record(self._call, self._records, data)})
            self._records += 1
        return records
