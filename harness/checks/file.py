"""`file`: a file in the workspace as a trial left it."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Literal

from pydantic import field_validator, model_validator

from agent.tools import ToolError
from agent.tools.workspace import Workspace
from harness.checks.base import Subject
from harness.checks.fields import Piece
from harness.checks.texts import Texts, share
from harness.errors import CheckError
from harness.report.figures import known
from harness.verdicts import Verdict

LIMIT = 32 << 20
"""Bytes of a file that are judged; a larger one cannot be."""


class File(Texts):
    """One file of the workspace: that it is there (the default) or not, and what is in it.

    `same_as`: a file beside the suite with the same bytes. Symlinks that lead outside are not followed: what is behind
    them is not in the workspace.
    """

    of: ClassVar[Literal["outcome", "way"]] = "outcome"

    type: Literal["file"]
    path: Piece
    exists: bool = True
    same_as: Piece | None = None

    @field_validator("path")
    @classmethod
    def _is_inside(cls, path: str) -> str:
        if Path(path).is_absolute() or ".." in Path(path).parts or "\0" in path:
            raise ValueError(f"{path!r} should be a path inside the workspace")
        return path

    @model_validator(mode="after")
    def _makes_sense(self) -> File:
        if not self.exists and (self.expects() or self.same_as is not None):
            raise ValueError("exists = false stands alone: nothing can be in a file that is not there")
        return self

    def judge(self, subject: Subject) -> Verdict:
        if subject.workspace is None:
            return self.error("there is no workspace: a recording alone has none, `harness run` keeps that of a trial")
        try:
            workspace = Workspace(subject.workspace)
        except ValueError as error:
            return self.error(str(error))
        if not self.exists:
            return self._absent(workspace)
        try:
            data, size = workspace.read(self.path, LIMIT)
        except FileNotFoundError:
            return self.failed(f"{self.path} is not there{_nearest(workspace, self.path)}", 0.0)
        except NotADirectoryError:
            return self.failed(f"{self.path} is not there: a part of its path is a file", 0.0)
        except ToolError as error:
            if self._is_folder(workspace) and not self.expects() and self.same_as is None:
                return self.passed(1.0)
            return self.failed(str(error), 0.0)
        except OSError as error:
            return self.error(f"{self.path} cannot be read: {error.strerror or error}")
        if size > LIMIT:
            return self.error(f"{self.path} is too large to be judged: {known(size)} bytes, the most is {known(LIMIT)}")
        return self._content(data, subject.folder)

    def _absent(self, workspace: Workspace) -> Verdict:
        try:
            there = Path(workspace.root, *workspace.locate(self.path)).exists()
        except ToolError:
            there = True
        return self.failed(f"{self.path} is there", 0.0) if there else self.passed(1.0)

    def _is_folder(self, workspace: Workspace) -> bool:
        try:
            return Path(workspace.root, *workspace.locate(self.path)).is_dir()
        except ToolError:
            return False

    def _content(self, data: bytes, folder: Path) -> Verdict:
        problems: list[str | None] = []
        if self.same_as is not None:
            problems.append(_same(data, folder / self.same_as))
        if self.expects():
            try:
                problems += self.problems(data.decode(), folder)
            except UnicodeDecodeError:
                return self.failed(f"{self.path} is no UTF-8 text", 0.0)
        told = [problem for problem in problems if problem is not None]
        if told:
            return self.failed(f"{self.path}: {'; '.join(told)}", share(problems))
        return self.passed(1.0)


def _same(data: bytes, other: Path) -> str | None:
    try:
        expected = other.read_bytes()
    except OSError as error:
        raise CheckError(f"same_as: {other}: cannot read it: {error.strerror or error}") from None
    if expected == data:
        return None
    pairs = zip(expected, data, strict=False)
    at = next((index for index, (one, two) in enumerate(pairs) if one != two), min(len(expected), len(data)))
    line = expected[:at].count(b"\n") + 1
    return f"it differs from {other} at byte {at} (line {line}); {len(data)} bytes, not {len(expected)}"


def _nearest(workspace: Workspace, path: str) -> str:
    """The file of the nearest name in the same folder."""
    from difflib import get_close_matches

    name = Path(path)
    try:
        there = [item.name for item in Path(workspace.root, *workspace.locate(str(name.parent))).iterdir()]
    except (OSError, ToolError):
        return ""
    near = get_close_matches(name.name, there, n=1)
    return f"; the nearest is {(name.parent / near[0]).as_posix()}" if near else ""
