"""The folder of trials: its plan, what of it is done, and what was put aside.

DIR/trials.json                             the plan
DIR/MODEL/TASK.N.jsonl, TASK.N.workspace    a trial: its recording, and the files as it left them
DIR/MODEL/TASK.N.jsonl.set-aside-K          the recording of a trial that was run again
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from harness.costs.reading import cost_facts
from harness.errors import HarnessError, RecordingError
from harness.paths import WORKSPACE
from harness.recording.writer import claim
from harness.report.facts import RecordingFacts
from harness.suites.workspaces import remove_tree
from harness.trials.plan import Plan, Trial
from harness.writing import write_whole

_PLAN, _LOCK = "trials.json", ".lock"
_SCRATCH = "harness-run-"
_ASIDE = ".set-aside-"
_RECORDINGS = f"*.jsonl{_ASIDE}*", "*.jsonl", f"*{WORKSPACE}"


@contextmanager
def opened(folder: Path) -> Iterator[Path]:
    """Make `folder` and hold it for this process; gives a folder for what is needed only meanwhile, outside of it.

    Raises `HarnessError` where another process holds it, or it holds what is not of trials; nothing is put into a
    folder that is somebody's own.
    """
    try:
        strange = sorted({*os.listdir(folder)} - {_LOCK}) if folder.is_dir() else []
        if strange and not (folder / _PLAN).is_file():
            raise HarnessError(f"{folder}: it holds {strange[0]} but no trials; name a new or empty folder")
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError as error:
        raise HarnessError(f"{folder}: cannot be written: {error.strerror}") from None
    try:
        try:
            claim(descriptor, folder)
        except RecordingError:
            raise HarnessError(f"{folder}: another `harness run` works in it; wait for it to end") from None
        scratch = _scratch(descriptor, folder)
        try:
            yield scratch
        finally:
            with suppress(OSError):  # what stays is noted: the next run removes it
                remove_tree(scratch)
                os.ftruncate(descriptor, 0)
    finally:
        os.close(descriptor)


def read_plan(folder: Path) -> Plan | None:
    """None where there is none yet. Raises `HarnessError`."""
    path = folder / _PLAN
    try:
        return Plan.from_dict(json.loads(path.read_bytes()))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise HarnessError(f"{path}: cannot be read: {error.strerror}") from None
    except (KeyError, TypeError, ValueError):
        raise HarnessError(f"{path}: it is no plan of trials of this version; take another --out") from None


def write_plan(folder: Path, plan: Plan) -> None:
    """In one step, so that it is always whole. Raises `HarnessError`."""
    text = json.dumps(plan.to_dict(), indent=2, ensure_ascii=False) + "\n"
    write_whole(folder / _PLAN, text.encode())


def start_over(folder: Path, plan: Plan) -> None:
    """Remove all trials of `plan`, and the plan; nothing else. Raises `HarnessError`."""
    with _told(folder):
        for model in plan.models:
            for pattern in _RECORDINGS:
                for path in (folder / model.folder).glob(pattern):
                    remove_tree(path)
        (folder / _PLAN).unlink()


def result_of(trial: Trial) -> RecordingFacts | None:
    """The facts of a trial that came to its end; None where it is to be run (again).

    An interrupted one has no end record, or one that says so. Its workspace need not be there any more: paying for
    the trial again would not be what its owner expects.
    """
    facts = _facts(trial.path) if trial.path.exists() else None
    return facts if facts is not None and facts.status in ("ok", "error") else None


def set_aside(trial: Trial) -> None:
    """Make room for another run. A recording with calls is kept under another name, as they may have cost money.

    Raises `HarnessError`.
    """
    facts = _facts(trial.path)
    with _told(trial.path):
        if facts is None or not facts.calls:
            trial.path.unlink(missing_ok=True)
        else:
            number = len(aside(trial)) + 1
            trial.path.rename(f"{trial.path}{_ASIDE}{number}")
        remove_tree(trial.workspace)


def aside(trial: Trial) -> list[Path]:
    """The recordings that were put aside for a trial, the oldest first."""
    found = trial.path.parent.glob(f"{trial.path.name}{_ASIDE}*")
    return sorted(found, key=lambda path: (len(path.name), path.name))


def facts_aside(trial: Trial) -> list[RecordingFacts]:
    return [facts for path in aside(trial) if (facts := _facts(path)) is not None]


def _facts(path: Path) -> RecordingFacts | None:
    try:
        return cost_facts(path)
    except RecordingError:
        return None


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """What the system refuses, as one line."""
    try:
        yield
    except OSError as error:
        raise HarnessError(f"{error.filename or path}: cannot be moved or removed: {error.strerror or error}") from None


def _scratch(descriptor: int, folder: Path) -> Path:
    """A new folder below the one for temporary files, noted in the lock so that the next run can remove it. Raises
    `HarnessError`."""
    found = None
    try:
        _remove_left(os.fsdecode(os.read(descriptor, 4096)))
        found = Path(tempfile.mkdtemp(prefix=_SCRATCH))
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, os.fsencode(found), 0)
    except OSError as error:
        if found is not None:
            found.rmdir()
        raise HarnessError(f"{error.filename or folder}: cannot be written: {error.strerror or error}") from None
    return found


def _remove_left(noted: str) -> None:
    """What a killed run left in the folder for temporary files."""
    path = Path(noted)
    if path.name.startswith(_SCRATCH) and path.parent == Path(tempfile.gettempdir()) and path.is_dir():
        remove_tree(path)
