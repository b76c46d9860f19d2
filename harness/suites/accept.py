"""Golden events: what is derived today from the recordings of the cases that check them, and what that changes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from agent.jsonio import NotJSON, loads_exact
from harness.checks.golden import differences, golden_of
from harness.errors import HarnessError
from harness.recording.opening import open as open_recording
from harness.suites.case import Case
from harness.suites.recordings import Recordings
from harness.writing import write_whole

CHECK = "events"
What = Literal["added", "changed", "unchanged", "removed", "error"]


@dataclass(slots=True, frozen=True)
class Golden:
    """One golden file. `lines`: the differences, or why there is an error. `data`: what is to stand in it."""

    path: Path
    what: What
    suite: str
    case: str | None = None
    lines: tuple[str, ...] = ()
    data: bytes | None = None


def goldens(cases: Iterable[Case], recordings: Recordings) -> list[Golden]:
    """Of every case that checks its events. Raises `SuiteError` for one that has no recording."""
    return [_golden(case, recordings.of(case)) for case in cases if checks_events(case)]


def checks_events(case: Case) -> bool:
    return any(check.type == CHECK for check in case.checks)


def stale(cases: Sequence[Case]) -> list[Golden]:
    """Golden files of suites that no case of theirs has any more. `cases`: all of these suites."""
    wanted = {case.golden for case in cases if checks_events(case)}
    folders = {case.goldens: case.suite for case in cases}
    return [
        Golden(path, "removed", suite)
        for folder, suite in folders.items()
        for path in sorted(folder.glob("*.json"))
        if path not in wanted
    ]


def write(golden: Golden) -> None:
    """Make the file what it is to be. Raises `HarnessError`."""
    try:
        if golden.what == "removed":
            golden.path.unlink()
    except OSError as error:
        raise HarnessError(f"{golden.path}: cannot be removed: {error.strerror}") from None
    if golden.data is not None and golden.what in ("added", "changed"):
        write_whole(golden.path, golden.data)


def _golden(case: Case, paths: Sequence[Path]) -> Golden:
    found: Any = None
    for index, path in enumerate(paths):
        try:
            recording = open_recording(path)
            damage = next((str(fault) for fault in recording.warnings if fault.what != "not_closed"), None)
            if damage is not None:
                return _error(case, f"{path}: {damage}")
            derived = golden_of(recording)
        except HarnessError as error:
            return _error(case, str(error) if str(path) in str(error) else f"{path}: {error}")
        except Exception as error:  # whatever a file holds, it is not accepted
            return _error(case, f"{path}: {type(error).__name__}: {error}")
        if index and derived != found:
            differs = differences(found, derived)[0]
            return _error(case, f"{path} differs from {paths[0]}, and a case has one golden: {differs}")
        found = derived
    data = _text(found)
    try:
        before = case.golden.read_bytes()
    except FileNotFoundError:
        return Golden(case.golden, "added", case.suite, case.name, data=data)
    except OSError as error:
        return _error(case, f"cannot be read: {error.strerror}")
    if before == data:
        return Golden(case.golden, "unchanged", case.suite, case.name)
    return Golden(case.golden, "changed", case.suite, case.name, _changes(before, found), data)


def _error(case: Case, reason: str) -> Golden:
    return Golden(case.golden, "error", case.suite, case.name, (reason,))


def _changes(before: bytes, found: Any) -> tuple[str, ...]:
    try:
        return tuple(differences(loads_exact(before), found)) or ("only its layout",)
    except (NotJSON, HarnessError):
        return ("what was there is no golden file",)


def _text(golden: Any) -> bytes:
    """The same for the same golden: keys sorted, two blanks a level."""
    return json.dumps(golden, indent=2, sort_keys=True, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"
