"""Suites as test items: a test for each recording that a case judges."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from harness.errors import HarnessError
from harness.pytest_plugin.foreign_agent import check_agent

if TYPE_CHECKING:
    from harness.suites.case import Case

SUFFIX = ".suite.toml"


class SuiteFile(pytest.File):
    """One suite."""

    def collect(self) -> Iterable[pytest.Item]:
        try:
            check_agent()
            from harness.suites.loading import load_suite
            from harness.suites.recordings import Recordings

            suite = load_suite(self.path)
        except HarnessError as error:
            raise self.CollectError(str(error)) from None
        recordings = Recordings()
        for case in suite.cases:
            try:
                paths = recordings.of(case)
            except HarnessError as error:
                yield CaseItem.from_parent(self, name=case.name, case=case, problem=str(error))
                continue
            for path in paths:
                place = path.relative_to(case.folder) if path.is_relative_to(case.folder) else path
                name = case.name if len(paths) == 1 else f"{case.name} [{place.as_posix()}]"
                yield CaseItem.from_parent(self, name=name, case=case, recording=path)


class CaseFailed(Exception):
    """A recording that did not pass a case."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        super().__init__("\n".join(lines))


class CaseItem(pytest.Item):
    """A case and one of its recordings. `problem`: why it has none."""

    def __init__(
        self, *, case: Case, recording: Path | None = None, problem: str | None = None, **options: Any
    ) -> None:
        super().__init__(**options)
        self.case = case
        self.recording = recording
        self.problem = problem

    def runtest(self) -> None:
        from harness.config import load
        from harness.costs.priced_by import configured
        from harness.suites.judging import judge
        from harness.suites.results import said

        if self.recording is None:
            raise CaseFailed([self.problem or "it has no recording"])
        result = judge(self.case, self.recording, price=configured(load(self.path.parent)), costs=False)
        if result.run.warnings:
            self.add_report_section("call", "recording", "\n".join(result.run.warnings))
        lines = [
            said(verdict) if verdict.status == "fail" else f"{said(verdict)} (the check cannot be made)"
            for verdict in result.verdicts
            if verdict.status != "pass"
        ]
        if lines:
            raise CaseFailed([*lines, f"in {self.recording}"])

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, CaseFailed):
            return "\n".join(excinfo.value.lines)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.path, None, f"{self.path.name} [{self.name}]"
