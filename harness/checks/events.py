"""`events`: today's adapters derive from the frames what was accepted as golden."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar, Literal

from agent.jsonio import NotJSON, loads_exact
from harness.checks.base import Check, Subject
from harness.checks.golden import differences, golden_of
from harness.errors import CheckError
from harness.report.figures import first_of
from harness.verdicts import Verdict

_ACCEPT = "`harness suite accept` writes it"


class Events(Check):
    """The events of every call, derived anew and put together, equal the golden file of the case."""

    needs_frames: ClassVar[bool] = True

    type: Literal["events"]

    def judge(self, subject: Subject) -> Verdict:
        if subject.golden is None:
            return self.error(f"there is no golden file; {_ACCEPT}")
        accepted = _read(subject.golden)
        try:
            found = differences(accepted, golden_of(subject.recording()))
        except CheckError as error:
            return self.error(str(error))
        if not found:
            return self.passed()
        text = "; ".join(first_of(found, noun="difference"))
        return self.failed(f"{text} (`harness suite accept` takes what is derived now)")


def _read(path: Path) -> Any:
    try:
        return loads_exact(path.read_bytes())
    except FileNotFoundError:
        raise CheckError(f"there is no golden file {path}; {_ACCEPT}") from None
    except OSError as error:
        raise CheckError(f"{path}: cannot read the golden file: {error.strerror or error}") from None
    except NotJSON as error:
        raise CheckError(f"{path}: the golden file is no JSON: {error}; {_ACCEPT} anew") from None
