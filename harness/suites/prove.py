"""Whether the checks of a case can fail, and can pass: what they say of a run in which nothing was done, and of the
reference solution.

A task whose checks an agent passes that does nothing measures nothing: tau-bench, for one, was found to count
empty answers as successes (Zhu et al., "Establishing Best Practices for Building Rigorous Agentic Benchmarks", 2025).
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from harness.checks.base import Check, Subject, judged
from harness.errors import SuiteError
from harness.report.reading import read_facts
from harness.suites.case import Case
from harness.suites.judging import judge
from harness.suites.made_run import write_made_run
from harness.suites.recordings import Recordings
from harness.suites.results import said
from harness.suites.workspaces import copy_tree
from harness.verdicts import Verdict

if TYPE_CHECKING:
    from harness.costs.priced_by import PricedBy

Proof = Literal["pass", "fail", "error", "open"]
"""`open`: it cannot be proved either way."""
_NEEDS = {"text": "answer", "file": "solution"}
"""What a reference has to give for a check of this type; other checks of the outcome need both."""


@dataclass(slots=True, frozen=True)
class Half:
    """One of the two things to prove. `by`: how it was proved, or why not."""

    status: Proof
    by: str


@dataclass(slots=True, frozen=True)
class Proved:
    """`idle`: checks of the outcome that pass although nothing was done; they say nothing by themselves."""

    case: Case
    can_fail: Half
    can_pass: Half
    idle: tuple[str, ...] = ()

    @property
    def status(self) -> Proof:
        found = {self.can_fail.status, self.can_pass.status}
        order: tuple[Proof, ...] = ("error", "fail", "open")
        return next((status for status in order if status in found), "pass")


def prove(case: Case, recordings: Recordings, price: PricedBy) -> Proved:
    """Of a case with a prompt the checks of the outcome are proved, of one without all of them.

    Raises `SuiteError` where a case without a prompt has no recording, or a folder cannot be copied.
    """
    paths = _recordings(case, recordings)
    outcome = [check for check in case.checks if check.of == "outcome"]
    checks = list(case.checks) if case.prompt is None else outcome
    can_fail, idle = _can_fail(case, checks, price)
    if case.solution is not None or case.answer is not None:
        can_pass = _by_reference(case, outcome, price)
    else:
        can_pass = _by_recordings(case, paths, price)
    return Proved(case, can_fail, can_pass, idle)


def _recordings(case: Case, recordings: Recordings) -> list[Path]:
    try:
        return recordings.of(case)
    except SuiteError:
        if case.prompt is None or case.recordings:
            raise
        return []


def _can_fail(case: Case, checks: Sequence[Check], price: PricedBy) -> tuple[Half, tuple[str, ...]]:
    if not checks:
        return Half("open", "it has no check of the outcome (text, file)"), ()
    with _run(case, "", None, price) as subject:
        verdicts = [judged(check, subject) for check in checks]
    idle = tuple(one.check for one in verdicts if one.status == "pass") if case.prompt is not None else ()
    failed = next((one for one in verdicts if one.status == "fail"), None)
    if failed is not None:
        return Half("pass", f"nothing done: {said(failed)}"), idle
    unmade = next((one for one in verdicts if one.status == "error"), None)
    if unmade is not None:
        return Half("open", f"nothing done: {said(unmade)}"), idle
    return Half("fail", "nothing done, and all checks pass"), ()


def _by_reference(case: Case, checks: Sequence[Check], price: PricedBy) -> Half:
    if not checks:
        return Half("open", "it has no check of the outcome (text, file)")
    with _run(case, case.answer or "", case.solution, price) as subject:
        verdicts = [judged(check, subject) for check in checks]
    wrong = [one for one in verdicts if one.status != "pass"]
    if not wrong:
        return Half("pass", "the reference solution passes")
    for status in ("error", "fail"):
        found = next((one for one in wrong if one.status == status and not _missing(case, one)), None)
        if found is not None:
            return Half("error" if status == "error" else "fail", f"the reference solution: {said(found)}")
    return Half("open", f"{wrong[0].check}: the case gives no `{_missing(case, wrong[0])}`")


def _missing(case: Case, verdict: Verdict) -> str | None:
    """What the reference lacks that this check looks at."""
    given = {"answer": case.answer is not None, "solution": case.solution is not None}
    needs = [_NEEDS[verdict.check]] if verdict.check in _NEEDS else [*given]
    return next((name for name in needs if not given[name]), None)


def _by_recordings(case: Case, paths: Sequence[Path], price: PricedBy) -> Half:
    """The recordings of a case without a prompt are its solution: all have to pass. Of another, one has to."""
    if not paths:
        return Half("open", "it gives no `solution` and no `answer`, and nothing is recorded")
    results = [judge(case, path, price=price, costs=False) for path in paths]
    passed = next((result for result in results if result.status == "pass"), None)
    wrong = next((result for result in results if result.status != "pass"), None)
    if wrong is None or (passed is not None and case.prompt is not None):
        path = results[0].path if passed is None else passed.path
        return Half("pass", f"{path} passes" if len(paths) == 1 or wrong else f"all {len(paths)} recordings pass")
    why = f"{wrong.path}: {wrong.reason}"
    if case.prompt is not None:
        return Half("open", f"it gives no `solution` and no `answer`, and no recording passes: {why}")
    return Half("error" if wrong.status == "error" else "fail", why)


@contextmanager
def _run(case: Case, answer: str, solution: Path | None, price: PricedBy) -> Iterator[Subject]:
    """A run that answered at once; its workspace is a copy of the case's with the files of `solution` laid over it."""
    with tempfile.TemporaryDirectory(prefix="harness-") as folder:
        workspace, path = Path(folder, "workspace"), Path(folder, "run.jsonl")
        try:
            if case.workspace is None:
                workspace.mkdir()
            else:
                copy_tree(case.workspace, workspace)
            if solution is not None:
                shutil.copytree(solution, workspace, symlinks=True, dirs_exist_ok=True)
        except OSError as error:
            problem = f"no copy can be made of its workspace and solution: {_why(error)}"
            raise SuiteError(case.file, f"case[{case.number}]", problem, case.name) from None
        write_made_run(path, case, answer)
        yield Subject(read_facts(path), case.folder, price, path, workspace, case.golden)


def _why(error: OSError) -> str:
    """The reason in one line; of a tree that was copied in part, that of the first file."""
    if isinstance(error, shutil.Error) and error.args and isinstance(error.args[0], list):
        source, _, reason = error.args[0][0]
        return f"{source}: {reason}"
    return error.strerror or str(error)
