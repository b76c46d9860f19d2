"""The errors of the harness. Each message is one line: what is wrong, where (`file:line`), what to do.

    HarnessError
    ├── RecordingError          a recording cannot be read, written or appended to
    │   ├── UnreadableRecording it is missing, empty, a folder, or no recording at all
    │   ├── NewerVersion        it was written by a newer version of this program
    │   └── BadLine             one of its lines is broken (strict reading)
    ├── CheckError              a check is not known, cannot be loaded, or cannot be made
    ├── ConfigError             `[tool.harness]` in a pyproject.toml is wrong
    ├── SuiteError              a suite file is wrong, or names what is not there
    ├── ReplayMismatch          a request that no recorded call answers
    ├── UnusedCalls             recorded calls that a strict replay left unused
    ├── LiveMismatch            a live answer that is not as recorded
    └── NetworkRefused          a connection that was tried while the network is closed

Errors of lower layers (`OSError`, `zlib.error`, pydantic's) do not leak. All can be pickled, so that worker processes
can hand them over.
"""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

_SHOWN = 20


class HarnessError(Exception):
    """Base class of all errors that this package raises on purpose."""


class RecordingError(HarnessError):
    """A recording cannot be read, written or appended to. `line` counts from 1; `todo` is the next step."""

    def __init__(
        self, what: str, path: str | PathLike[str] | None = None, line: int | None = None, todo: str | None = None
    ) -> None:
        self.what = what
        self.path = path
        self.line = line
        self.todo = todo
        place = "" if path is None else f"{path}: " if line is None else f"{path}:{line}: "
        super().__init__(_one_line(place + what + (f" ({todo})" if todo else "")))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.what, self.path, self.line, self.todo)


class UnreadableRecording(RecordingError):
    """Not a recording, or nothing can be read from it."""


class NewerVersion(RecordingError):
    """The recording's format version is newer than `harness.recording.records.FORMAT_VERSION`."""


class BadLine(RecordingError):
    """A broken line, in strict reading."""


class CheckError(HarnessError):
    """A check is not known, cannot be loaded, or cannot be made."""

    def __init__(self, what: str) -> None:
        super().__init__(_one_line(what))


class ConfigError(HarnessError):
    """`[tool.harness]` is wrong. `key` is the full name of the wrong key, None where the file cannot be read."""

    def __init__(self, path: str | PathLike[str], key: str | None, problem: str) -> None:
        self.path = path
        self.key = key
        self.problem = problem
        super().__init__(_one_line(f"{path}: {problem}" if key is None else f"{path}: {key}: {problem}"))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.path, self.key, self.problem)


class SuiteError(HarnessError):
    """A `*.suite.toml` is wrong. `key`: the full name of the wrong key, as in `case[2].check[0].contains`. `case`: the
    name of the case it is in."""

    def __init__(self, path: str | PathLike[str], key: str | None, problem: str, case: str | None = None) -> None:
        self.path = path
        self.key = key
        self.problem = problem
        self.case = case
        place = "" if key is None else key if case is None else f'{key} (case "{case}")'
        super().__init__(_one_line(f"{path}: {place}: {problem}" if place else f"{path}: {problem}"))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.path, self.key, self.problem, self.case)


class ReplayMismatch(HarnessError):
    """A request that no recorded call answers.

    `request`: method and path. `nearest`: the recorded call that differs least, or None without any left.
    `differences`: one line each, most telling first. `hint`: how to record it anew.
    """

    def __init__(
        self, request: str, nearest: int | None = None, differences: Sequence[str] = (), hint: str | None = None
    ) -> None:
        self.request = request
        self.nearest = nearest
        self.differences = tuple(differences)
        self.hint = hint
        text = f"no recorded call answers {request}"
        if nearest is not None:
            text += f"; the nearest is call {nearest}"
            if self.differences:
                more = len(self.differences) - 1
                text += f", which differs in {self.differences[0]}" + (f" and {more} more" if more else "")
        super().__init__(_one_line(text + (f" ({hint})" if hint else "")))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.request, self.nearest, self.differences, self.hint)

    def report(self) -> str:
        """All of it, a line for each difference (the first 20)."""
        lines = [f"no recorded call answers {self.request}"]
        if self.nearest is not None:
            lines[0] += f"; the nearest is call {self.nearest}, which differs in"
            lines += [f"  {difference}" for difference in self.differences[:_SHOWN]]
            more = len(self.differences) - _SHOWN
            lines += [f"  and {more} more"] if more > 0 else []
        return "\n".join([*lines, *([self.hint] if self.hint else [])])


class UnusedCalls(HarnessError):
    """A strict replay is over, and not all recorded calls were asked for. `calls`: their numbers."""

    def __init__(self, path: str | PathLike[str], calls: Sequence[int], first: str) -> None:
        self.path = path
        self.calls = tuple(calls)
        self.first = first
        more = f" and {len(self.calls) - 1} more" if len(self.calls) > 1 else ""
        super().__init__(_one_line(f"{path}: recorded calls were not asked for: call {self.calls[0]}, {first}{more}"))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.path, self.calls, self.first)


class LiveMismatch(HarnessError):
    """A live answer is not as recorded. `call`: the number of the recorded call; `difference`: the first one."""

    def __init__(self, path: str | PathLike[str], call: int, difference: str, hint: str | None = None) -> None:
        self.path = path
        self.call = call
        self.difference = difference
        self.hint = hint
        text = f"{path}: call {call} is answered otherwise today: {difference}"
        super().__init__(_one_line(text + (f" ({hint})" if hint else "")))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.path, self.call, self.difference, self.hint)


class NetworkRefused(HarnessError):
    """A connection was tried while the network is closed. `host`: where to."""

    def __init__(self, host: str, hint: str | None = None) -> None:
        self.host = host
        self.hint = hint
        super().__init__(_one_line(f"the network is closed: {host} was asked for" + (f" ({hint})" if hint else "")))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.host, self.hint)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def raised(error: BaseException) -> str:
    """An exception of any class as one line: its class, and its message where it has one."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}".removesuffix(": ")
