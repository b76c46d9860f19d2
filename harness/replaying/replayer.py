"""Replays one recording and judges it: the work of `harness replay`, and of the pytest plugin."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path

from agent.providers.base_url import TargetError
from harness.errors import HarnessError, RecordingError, raised
from harness.recording.lines import damage_in
from harness.recording.opening import Recording
from harness.recording.opening import open as open_recording
from harness.recording.order import OrderChecker
from harness.recording.reader import RecordReader
from harness.recording.records import validate
from harness.replaying.derive import first_difference
from harness.replaying.unchanged import unchanged
from harness.verdicts import Status, Verdict, worst


@dataclass(slots=True)
class Replayed:
    """What replaying one recording showed. `seconds` is the time it took."""

    path: Path
    calls: int = 0
    turns: int = 0
    verdicts: list[Verdict] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def status(self) -> Status:
        """The worst of the verdicts."""
        return worst(verdict.status for verdict in self.verdicts)

    @property
    def reason(self) -> str | None:
        """The reason of the first verdict that is no pass."""
        return next((verdict.reason for verdict in self.verdicts if verdict.status != "pass"), None)


def replay_recording(path: str | PathLike[str]) -> Replayed:
    """Derive the events of every call anew, run the loop again over every turn, compare. No file makes it raise."""
    started = time.perf_counter()
    found = Replayed(Path(path))
    recording = unchanged(path)
    if recording is None:
        _replay_whole(found)
    else:
        found.calls, found.turns = len(recording.calls), len(recording.turns)
        found.verdicts = [Verdict(check, "pass") for check in ("events", "loop")[: 1 + bool(recording.turns)]]
    found.seconds = time.perf_counter() - started
    return found


def _replay_whole(found: Replayed) -> None:
    """Read every record, and judge what they hold."""
    try:
        recording = open_recording(found.path)
    except RecordingError as error:
        found.verdicts.append(Verdict("read", "error", str(error)))
        return
    found.calls, found.turns = len(recording.calls), len(recording.turns)
    found.warnings = [str(warning) for warning in recording.warnings]
    damage = damage_in(recording.warnings)
    if damage is not None:
        found.verdicts.append(Verdict("read", "error", damage))
    found.verdicts.append(_judge("events", recording, _first_difference))
    if recording.turns:
        found.verdicts.append(_judge("loop", recording, _rerun))


def _judge(check: str, recording: Recording, compare: Callable[[Recording], str | None]) -> Verdict:
    """Compare, whatever the file holds. An exception is the file's fault where a record breaks the format."""
    try:
        difference = compare(recording)
    except (HarnessError, TargetError) as error:
        return Verdict(check, "error", str(error))
    except Exception as error:
        reason = _malformed(recording.path) or f"this program failed on it, please report it: {raised(error)}"
        return Verdict(check, "error", reason)
    return Verdict(check, "pass") if difference is None else Verdict(check, "fail", difference)


def _first_difference(recording: Recording) -> str | None:
    difference = next(filter(None, map(first_difference, recording.calls)), None)
    if difference is None and recording.end is not None and not recording.resumes:
        return next((f"call {call.number} has no end" for call in recording.calls if call.end_record is None), None)
    return difference


def _rerun(recording: Recording) -> str | None:
    from harness.replaying.rerun import rerun

    return asyncio.run(rerun(recording))


def _malformed(path: Path) -> str | None:
    """The first record that does not have the form of its kind, or stands in the wrong place."""
    order = OrderChecker()
    try:
        for line, record in RecordReader(path):
            try:
                validate(record)
                problem = order.feed(record)
            except ValueError as error:
                problem = str(error)
            if problem is not None:
                return f"line {line}: {problem}"
    except RecordingError as error:
        return str(error)
    return None
