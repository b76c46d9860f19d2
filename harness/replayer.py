"""Replays one recording and judges it: the work of `harness replay`, and of the pytest plugin."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Literal

from harness.derive import first_difference
from harness.errors import RecordingError
from harness.recording import open as open_recording


@dataclass(slots=True, frozen=True)
class Verdict:
    """The outcome of one check. `reason` says where it failed; `error` is a check that could not be made."""

    check: str
    status: Literal["pass", "fail", "error"]
    reason: str | None = None


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
    def status(self) -> Literal["pass", "fail", "error"]:
        """The worst of the verdicts."""
        found = {verdict.status for verdict in self.verdicts}
        return "error" if "error" in found else "fail" if "fail" in found else "pass"

    @property
    def reason(self) -> str | None:
        """The reason of the first verdict that is no pass."""
        return next((verdict.reason for verdict in self.verdicts if verdict.status != "pass"), None)


def replay_recording(path: str | PathLike[str]) -> Replayed:
    """Derive the events of every call anew, run the loop again over every turn, compare. No file makes it raise."""
    started = time.perf_counter()
    found = Replayed(Path(path))
    try:
        recording = open_recording(path)
    except RecordingError as error:
        found.verdicts.append(Verdict("read", "error", str(error)))
    else:
        found.calls, found.turns = len(recording.calls), len(recording.turns)
        found.warnings = [str(warning) for warning in recording.warnings]
        difference = next(filter(None, map(first_difference, recording.calls)), None)
        found.verdicts.append(_verdict("events", difference))
        if recording.turns:
            from harness.rerun import rerun

            found.verdicts.append(_verdict("loop", asyncio.run(rerun(recording))))
    found.seconds = time.perf_counter() - started
    return found


def _verdict(check: str, difference: str | None) -> Verdict:
    return Verdict(check, "pass") if difference is None else Verdict(check, "fail", difference)
