"""What every check is made of, and what it is given to judge.

A check of another package is a subclass of `Check` with its own `type: Literal["name"]`, its keys as fields and a
`judge`; an entry point of the group `trajectory_harness.checks` makes it known under that name.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import BaseModel, ConfigDict

from harness.errors import CheckError, HarnessError
from harness.recording.opening import Recording
from harness.recording.opening import open as open_recording
from harness.report.facts import RecordingFacts
from harness.verdicts import Verdict

if TYPE_CHECKING:
    from agent.loop_types import Price


@dataclass(slots=True)
class Subject:
    """A run that is judged. `path`: its recording; `folder`: of the suite, to which paths in checks are relative;
    `workspace`: the files as a trial left them; `golden`: where its accepted events stand, be the file there or not.
    """

    facts: RecordingFacts
    folder: Path
    price: Price
    path: Path | None = None
    workspace: Path | None = None
    golden: Path | None = None
    _recording: Recording | None = field(default=None, repr=False)

    def recording(self) -> Recording:
        """The recording with frames and requests; it is read once. Raises `CheckError` without one, and
        `RecordingError` where it cannot be read."""
        if self._recording is None:
            if self.path is None:
                raise CheckError("there is no recording to read, only its facts")
            self._recording = open_recording(self.path)
        return self._recording


class Check(BaseModel):
    """One check with its keys. Unknown keys and values of another type are refused.

    `of`: what it looks at, the outcome of a run (its final text, its files), or the way there.
    `needs_frames`: whether it calls `Subject.recording`, which takes longer than the facts.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    of: ClassVar[Literal["outcome", "way"]] = "way"
    needs_frames: ClassVar[bool] = False

    type: str

    @abstractmethod
    def judge(self, subject: Subject) -> Verdict:
        """The verdict. A `HarnessError` that it raises says why there can be none; `judged` makes it an error."""
        raise NotImplementedError

    def passed(self, score: float | None = None, reason: str | None = None) -> Verdict:
        return Verdict(self.type, "pass", None if reason is None else _plain(reason), score)

    def failed(self, reason: str, score: float | None = None) -> Verdict:
        return Verdict(self.type, "fail", _plain(reason), score)

    def error(self, reason: str) -> Verdict:
        """The check cannot be made."""
        return Verdict(self.type, "error", _plain(reason))


def judged(check: Check, subject: Subject) -> Verdict:
    """The verdict of a check, whatever it raises: an exception is an error, never a pass."""
    try:
        return check.judge(subject)
    except HarnessError as error:
        return check.error(str(error))
    except Exception as error:
        text = f"{type(error).__name__}: {error}".removesuffix(": ")
        return check.error(f"the check failed: {text}")


def _plain(reason: str) -> str:
    """One line without control characters: what a model or provider wrote must not steer a terminal."""
    return "".join(char if char.isprintable() else "?" for char in " ".join(reason.split()))
