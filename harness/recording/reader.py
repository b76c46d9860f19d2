"""Reads the records of a recording as a stream: line number and dict, with the faults met on the way.

The first record should be a header. Without one the rest is still read, as version 1, with a warning; a file whose
first record is none of a recording is refused. Old versions are upgraded here, newer ones refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike
from pathlib import Path

from harness.errors import BadLine, NewerVersion, UnreadableRecording
from harness.recording.lines import Choose, Fault, Faults, blocks_of, read_objects
from harness.recording.order import OrderChecker
from harness.recording.records import FORMAT, FORMAT_VERSION, KINDS, Record, upgrade, validate

_TODO = "check the path, or record again"
_TWO = "two files in one; split them before this line, or make them one with `harness recover`"


class RecordReader:
    """Iterate once: `(line number, record)`. `warnings` grows while reading and is whole at the end.

    `strict` refuses what is otherwise reported: it raises `BadLine` for a broken or torn line, for a missing header,
    and for a record that does not fit its kind or its place. `UnreadableRecording` and `NewerVersion` come both ways.
    """

    def __init__(
        self,
        path: str | PathLike[str],
        *,
        strict: bool = False,
        choose: Choose | None = None,
        block: int | None = None,
    ) -> None:
        """`choose` takes whole lines, without the LF of the last, and gives those that are worth parsing; line numbers
        count these then. `block`: bytes that are read at once.
        """
        self.path = Path(path)
        self.strict = strict
        self._choose = choose
        self._block = block
        self.header: Record | None = None
        self.version = FORMAT_VERSION
        self._faults = Faults(self.path, strict=strict)

    @property
    def warnings(self) -> list[Fault]:
        return self._faults.found

    def __iter__(self) -> Iterator[tuple[int, Record]]:
        faults = self._faults
        records = read_objects(blocks_of(self.path, faults, self._block), faults, self._choose)
        order = OrderChecker()
        last = None
        as_it_is = True
        for numbered in records:
            number, record = numbered
            if last is None:
                self._begin(number, record)
                as_it_is = self.version == FORMAT_VERSION and not self.strict
            if not as_it_is:
                record = upgrade(record, self.version)
                numbered = number, record
                if self.strict:
                    self._check(number, record, order)
            last = record
            if record.get("kind") == "header":
                if self.header is not None:
                    faults.add("second_header", number, f"a second recording begins here: {_TWO}")
                self.header = self.header or record
            yield numbered
        if last is None:
            raise UnreadableRecording("not a recording: no record in it", self.path, todo=_TODO)
        if last.get("kind") != "end":
            faults.note("not_closed", None, "the recording was not closed: the process that wrote it died")

    def _check(self, number: int, record: Record, order: OrderChecker) -> None:
        try:
            validate(record)
        except ValueError as error:
            raise BadLine(str(error), self.path, number) from None
        problem = order.feed(record)
        if problem is not None:
            raise BadLine(problem, self.path, number)

    def _begin(self, number: int, record: Record) -> None:
        """Look at the first record."""
        kind = record.get("kind")
        if kind != "header" or record.get("format") != FORMAT:
            if kind == "header" or kind not in [*KINDS]:  # a list, as what is no string may have no hash
                raise UnreadableRecording("not a recording: its first record is no header", self.path, number, _TODO)
            self._faults.add("missing_header", number, "the header is missing; read as version 1")
            return
        version = record.get("version")
        if type(version) is not int or version < 1:
            raise UnreadableRecording(f"the format version {version!r} does not exist", self.path, number, _TODO)
        if version > FORMAT_VERSION:
            raise NewerVersion(
                f"format version {version} is newer than {FORMAT_VERSION}, the newest this program reads",
                self.path, number, "pip install -U trajectory-harness",
            )  # fmt: skip
        self.version = version


def task_of(path: str | PathLike[str]) -> str | None:
    """The task that the header of a recording names; nothing else of it is read.

    Raises `UnreadableRecording` and `NewerVersion`.
    """
    _, first = next(iter(RecordReader(path)))
    task = first.get("task") if first.get("kind") == "header" else None
    return task if isinstance(task, str) and task else None


def read(path: str | PathLike[str], *, strict: bool = False) -> RecordReader:
    """A reader of the records at `path`."""
    return RecordReader(path, strict=strict)
