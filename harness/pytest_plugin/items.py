"""Recordings as test items: `pytest recordings/` replays each of them, offline."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from harness.errors import HarnessError
from harness.pytest_plugin.foreign_agent import check_agent

if TYPE_CHECKING:
    from harness.replaying.replayer import Replayed

SUFFIXES = (".jsonl", ".jsonl.gz")
FOLDER = "recordings"
"""Beside a test module: the folder with the recordings of its tests."""

_HEAD = 4096
"""Bytes of a file in which its header begins."""

_GZIP = b"\x1f\x8b"
"""How a compressed file begins. What reads recordings is not loaded before it is known whose `agent` there is."""


def is_asked_for(path: Path, asked: Sequence[Path]) -> bool:
    """Whether a file is to be collected where `asked` are the paths of the command line.

    A recording that belongs to a test is replayed by that test. By itself it is collected only where it, or a folder
    inside the folder of recordings, is named.
    """
    for place in asked:
        if place == path:
            return True
        if place in path.parents:
            home = _home(path)
            if home is None or place == home or home in place.parents:
                return True
    return False


def _home(path: Path) -> Path | None:
    """The folder of recordings of a test module (`recordings/MODULE/TEST.jsonl` beside MODULE.py); else None."""
    folder = path.parent.parent
    return folder if folder.name == FOLDER and folder.with_name(f"{path.parent.name}.py").is_file() else None


def is_recording(path: Path) -> bool:
    """Whether the file begins as a recording does; other JSON Lines are no business of ours. What is packed and so
    damaged that nothing of it can be read is taken for one, which fails then."""
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except OSError:
        return False
    if head.startswith(_GZIP):
        try:
            head = zlib.decompressobj(wbits=31).decompress(head, _HEAD)
        except zlib.error:
            return True
        if not head:
            return True
    return b'"trajectory"' in head or (b'"kind"' in head and b'"seq"' in head)


class RecordingFile(pytest.File):
    """One recording."""

    def collect(self) -> Iterable[pytest.Item]:
        try:
            check_agent()
        except HarnessError as error:
            raise self.CollectError(str(error)) from None
        yield RecordingItem.from_parent(self, name="replay")


class RecordingFailed(Exception):
    """A recording that did not replay as recorded."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        super().__init__("\n".join(lines))


class RecordingItem(pytest.Item):
    """The replay of a recording: events derived anew, the loop run again."""

    def runtest(self) -> None:
        from harness.replaying.replayer import replay_recording

        found = replay_recording(self.path)
        if found.warnings:
            self.add_report_section("call", "recording", "\n".join(found.warnings))
        lines = list(_lines(found))
        if lines:
            raise RecordingFailed(lines)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, RecordingFailed):
            return "\n".join(excinfo.value.lines)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.path, None, f"{self.path.name} [{self.name}]"


def _lines(found: Replayed) -> Iterator[str]:
    """What did not pass, one line a check."""
    for verdict in found.verdicts:
        if verdict.status == "fail":
            yield f"{verdict.check} differ from the recording: {verdict.reason}"
        elif verdict.status == "error":
            yield f"{verdict.check}: {verdict.reason}"
