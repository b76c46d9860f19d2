"""What a run of suites did not exercise. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from harness.report.figures import listed, plural
from harness.suites.results import CaseResult

if TYPE_CHECKING:
    from harness.suites.running import Plan

_SHOWN = 10


@dataclass(slots=True, frozen=True)
class Unexercised:
    """What a run did not show anything of.

    `filtered`, `skipped`: checks that the filter left out, and that `--fail-fast` did not come to. `tools`: those that
    recorded turns offered and no judged recording called, by suite. `unnamed`: see `Plan`.
    """

    unnamed: tuple[Path, ...] = ()
    tools: tuple[tuple[str, tuple[str, ...]], ...] = ()
    filtered: int = 0
    skipped: int = 0

    def lines(self) -> list[str]:
        """One line each; none where all was exercised."""
        found = []
        if self.unnamed:
            names = listed([path.as_posix() for path in self.unnamed], _SHOWN)
            found.append(f"{plural(len(self.unnamed), 'recording')} that no case names: {names}")
        found += [f"{suite}: tools offered but never called: {', '.join(names)}" for suite, names in self.tools]
        for number, why in ((self.filtered, "left out by the filter"), (self.skipped, "not run after the failure")):
            if number:
                found.append(f"{plural(number, 'check')} {why}")
        return found


def unexercised(plan: Plan, results: Sequence[CaseResult]) -> Unexercised:
    """`results`: those of the first jobs of the plan, in order."""
    names: dict[Path, str] = {}
    offered: dict[Path, dict[str, None]] = {}
    called: dict[Path, set[str]] = {}
    for result in results:
        names[result.file] = result.suite
        offered.setdefault(result.file, {}).update(dict.fromkeys(result.run.offered))
        called.setdefault(result.file, set()).update(result.run.called)
    idle = {file: tuple(tool for tool in tools if tool not in called[file]) for file, tools in offered.items()}
    return Unexercised(
        tuple(plan.unnamed),
        tuple((names[file], tools) for file, tools in idle.items() if tools),
        sum(len(job.case.checks) for job in plan.left_out),
        sum(len(job.case.checks) for job in plan.jobs[len(results) :]),
    )
