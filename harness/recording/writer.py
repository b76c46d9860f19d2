"""Writes records: whole lines, all records of one `write` in one system call, on an append-only descriptor.

A killed process loses nothing that was written. A power cut may, unless `fsync` is on: then the file is synced when it
is made, after every `call_end` and at the end. A write that failed half-way (disk full) is taken back, so that the file
keeps ending with a whole line; its records are lost, which the gap in `seq` shows.

A recording holds prompts and tool output, so a new file is readable by its owner only (mode 0600).
"""

from __future__ import annotations

import contextlib
import errno
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from stat import S_ISREG
from threading import Lock
from types import TracebackType

from agent.jsonio import dumps
from harness.errors import RecordingError
from harness.recording.records import Ready, Record
from harness.recording.tail import Tail, check_appendable, repair, scan

MODE = 0o600
_FLAGS = os.O_APPEND | getattr(os, "O_BINARY", 0)
_SYNC_AFTER = frozenset({"header", "call_end", "end"})


class Writer:
    """An open recording. Safe to call from several threads; one process at a time writes a file (it is locked)."""

    def __init__(
        self, path: Path, descriptor: int, tail: Tail, *, fsync: bool, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.path = path
        self.tail = tail
        """What stood in the file before: where `seq`, `t`, `call` and `turn` go on."""
        self.seq = tail.seq
        """The `seq` of the next record."""
        self._descriptor: int | None = descriptor
        self._fsync = fsync
        self._clock = clock
        self._start = clock() - tail.t
        self._lock = Lock()
        self._torn = False
        self._size = os.fstat(descriptor).st_size

    @classmethod
    def create(
        cls,
        path: str | os.PathLike[str],
        *,
        force: bool = False,
        fsync: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> Writer:
        """Make a new file, and the folders above it. An existing file is refused unless `force`, which empties it.

        Raises `RecordingError`.
        """
        path = Path(path)
        _refuse_compressed(path, "write")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise _cannot("create the folder of", path, error) from None
        try:
            descriptor = os.open(path, os.O_WRONLY | _FLAGS | os.O_CREAT | (0 if force else os.O_EXCL), MODE)
        except FileExistsError:
            raise RecordingError(
                "the file exists", path, todo="pass --force to overwrite it, or name another"
            ) from None
        except OSError as error:
            raise _cannot("create", path, error) from None
        try:
            claim(descriptor, path)
            if force:
                with contextlib.suppress(OSError):  # a pipe or a device has no length
                    os.ftruncate(descriptor, 0)
            if fsync:
                _sync_folder(path.parent)
        except BaseException:
            os.close(descriptor)
            raise
        return cls(path, descriptor, Tail(), fsync=fsync, clock=clock)

    @classmethod
    def append(
        cls,
        path: str | os.PathLike[str],
        *,
        fsync: bool = False,
        clock: Callable[[], float] = time.monotonic,
        read: Callable[[Path], Tail] = scan,
    ) -> Writer:
        """Open a recording to go on with it: a torn tail is repaired first, nothing before it is touched.

        `tail` of the writer says where to go on; `read` finds it. Raises `RecordingError` (`NewerVersion` for a newer
        file).
        """
        path = Path(path)
        _refuse_compressed(path, "append to")
        try:
            descriptor = os.open(path, os.O_RDWR | _FLAGS)
        except OSError as error:
            raise _cannot("append to", path, error) from None
        try:
            claim(descriptor, path)
            check_appendable(path)
            repair(descriptor)
            tail = read(path)
        except OSError as error:
            os.close(descriptor)
            raise _cannot("append to", path, error) from None
        except BaseException:
            os.close(descriptor)
            raise
        return cls(path, descriptor, tail, fsync=fsync, clock=clock)

    def now(self) -> float:
        """Seconds since the recording began; a resumed recording goes on after its last record."""
        clock = self._clock
        return (clock() - self._start) * 1e6 // 1 / 1e6  # far cheaper than `round`

    def write(self, records: Sequence[Record | Ready]) -> None:
        """Append records in one write. `seq` is given here (put into a record whose `seq` is None), `t` where none is.

        Raises `RecordingError` when the file cannot be written; it still ends with a whole line then.
        """
        with self._lock:
            data = self._lines(records)
            if data:
                self._append(data)
            if self._fsync and any(type(record) is dict and record["kind"] in _SYNC_AFTER for record in records):
                self._sync()

    def write_one(self, ready: Ready) -> None:
        """What `write` does with nothing but this, as most chunks of a stream need it. Raises `RecordingError`."""
        count, lines_of, what = ready
        self._lock.acquire()  # half the time of `with`
        try:
            data = lines_of(self.seq, what)
            self.seq += count
            self._append(data)
        finally:
            self._lock.release()

    def _lines(self, records: Sequence[Record | Ready]) -> bytes:
        """The lines of records, which are numbered by it."""
        now: float | None = None
        seq = self.seq
        lines = []
        for record in records:
            if isinstance(record, tuple):
                count, lines_of, what = record
                lines.append(lines_of(seq, what))
                seq += count
                continue
            if record.get("seq", seq) is None:
                record["seq"] = seq
                lines.append(dumps(record) + b"\n")
            else:
                now = self.now() if now is None else now
                lines.append(dumps({"kind": None, "seq": seq, "t": now, **record}) + b"\n")
            seq += 1
        self.seq = seq
        return b"".join(lines)

    def check(self) -> None:
        """Raises `RecordingError` where what was written is not in the file any more, or something else is too."""
        with self._lock:
            if self._descriptor is None:
                return
            found = os.fstat(self._descriptor)
        if not S_ISREG(found.st_mode):
            return
        if found.st_nlink == 0:
            raise RecordingError("the file was deleted while it was written", self.path)
        if found.st_size != self._size:
            raise RecordingError("another program changed the file while it was written", self.path)

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        with self._lock:
            if self._descriptor is None:
                return
            try:
                if self._fsync:
                    self._sync()
            finally:
                descriptor, self._descriptor = self._descriptor, None
                os.close(descriptor)

    def __enter__(self) -> Writer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _append(self, data: bytes) -> None:
        descriptor = self._descriptor
        if descriptor is None:
            raise RecordingError("the recording is closed", self.path)
        if self._torn:
            data = b"\n" + data
        size = len(data)
        written = 0
        try:
            while (written := written + os.write(descriptor, data)) < size:
                data = data[written - size :]
        except OSError as error:
            self._take_back(descriptor, written)
            raise _cannot("write", self.path, error) from None
        self._size += size
        self._torn = False

    def _take_back(self, descriptor: int, written: int) -> None:
        """Cut a half-written record off again; where that fails, the next write closes its line first."""
        if not written:
            return
        try:
            os.ftruncate(descriptor, os.fstat(descriptor).st_size - written)
        except OSError:
            self._torn = True
            self._size += written

    def _sync(self) -> None:
        assert self._descriptor is not None
        try:
            os.fsync(self._descriptor)
        except OSError as error:
            if error.errno != errno.EINVAL:  # a pipe or a device: nothing to sync
                raise _cannot("sync", self.path, error) from None


def _cannot(what: str, path: Path, error: OSError) -> RecordingError:
    return RecordingError(f"cannot {what} the recording: {error.strerror or error}", path)


def _refuse_compressed(path: Path, what: str) -> None:
    if path.suffix == ".gz":
        raise RecordingError(
            f"cannot {what} a compressed recording", path, todo="use a plain .jsonl; gzip it afterwards"
        )


def claim(descriptor: int, path: Path) -> None:
    """Lock the file for this process, where the system has such locks."""
    try:
        import fcntl
    except ImportError:
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EAGAIN, errno.EACCES):
            raise RecordingError(
                "it is being written to already", path, todo="wait for it to end, or name another file"
            ) from None


def _sync_folder(folder: Path) -> None:
    """Make the new file's name survive a power cut too."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
