"""A first suite from what recordings show. Every check in it passes on them; what would not is left out, and said."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any, TypeAlias

from pydantic import ValidationError

from harness.checks.base import Subject, judged
from harness.checks.registry import check_class
from harness.errors import HarnessError
from harness.model_errors import first_problem
from harness.paths import without_suffix
from harness.report.facts import RecordingFacts
from harness.report.figures import plural
from harness.report.reading import read_facts
from harness.report.text import shorten, visible_line
from harness.suites.candidates import Table, candidates
from harness.suites.case import slug
from harness.suites.judging import damage
from harness.suites.recordings import final_workspace
from harness.suites.toml import can_say, table_lines

if TYPE_CHECKING:
    from harness.costs.priced_by import PricedBy

_WIDTH = 120
_HEAD = (
    "Written by `harness suite init`: what the recordings show. All of it passes; change what should be otherwise. "
    "docs/checks.md describes every check."
)
_SAID = {
    "no_secret": "no_secret: nothing in the recording looks like a key.",
    "no_error": "no_error: no call and no turn ended in an error that no retry made good.",
    "complete": "complete: every answer came to its own end.",
    "stop_reason": "stop_reason: why the last turn stopped.",
    "tools": 'tools: these calls with these arguments, in this order, and no others. To loosen it: order = "in-order",'
    ' "any-order", "subset" or "superset"; arguments = "subset", "ignore" or "regex".',
    "text": "text: the final answer has these words. Shorten them to what matters, or write a regex.",
    "requests": "requests: the agent loop, run again, sends what it sent. It fails when a prompt or a tool changes.",
    "budget": "budget: half as much again as was used.",
}
"""What the head of the file says of each check in it."""


_NO_SECRET: Table = {"type": "no_secret"}
_REPEATS = frozenset({"tools", "text"})
"""Checks that say again what was recorded."""

Watch: TypeAlias = Callable[[Iterable[Any], int], Iterable[Any]]


@dataclass(slots=True)
class FirstSuite:
    """`text`: the file. `left_out`: checks that do not pass on the recordings, one line each."""

    text: str
    cases: int
    left_out: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Seen:
    """A recording that was read. `name`: as the suite writes it."""

    name: str
    subject: Subject

    @property
    def facts(self) -> RecordingFacts:
        return self.subject.facts


def first_suite(paths: Iterable[Path], out: Path, price: PricedBy, *, watch: Watch | None = None) -> FirstSuite:
    """A suite that is to be written to `out`. Recordings of one task make one case.

    `watch`: takes what is to be done and how much it is, and shows how far it has come.

    Raises `HarnessError` where no recording can be read whole, or nothing can be checked.
    """
    groups: dict[tuple[str, str], list[_Seen]] = {}
    left_out: list[str] = []
    for path in paths:
        name = Path(os.path.relpath(path, out.parent)).as_posix()
        try:
            facts = _whole(path, name)
        except HarnessError as error:
            left_out.append(f"left out: {error}")
            continue
        task = facts.task if facts.task and facts.task.strip() and can_say(facts.task) else None
        subject = Subject(facts, out.parent, price, path, final_workspace(path))
        groups.setdefault(("recording", name) if task is None else ("task", task), []).append(_Seen(name, subject))
    if left_out and not groups:
        raise HarnessError(left_out[0].removeprefix("left out: "))
    taken: set[str] = set()
    keys: Iterable[tuple[str, str]] = [*groups]
    cases = [
        _case(kind, name, groups.pop((kind, name)), taken, left_out)
        for kind, name in (watch(keys, len(groups)) if watch else keys)
    ]
    shared = [_NO_SECRET] if all(_NO_SECRET in case.checks for case in cases) else []
    for case in cases if shared else ():
        case.checks.remove(_NO_SECRET)
    cases = [case for case in cases if case.checks or shared]
    if not cases:
        raise HarnessError("there is nothing in these recordings that a check could hold")
    return FirstSuite(_written(shared, cases), len(cases), left_out)


def _whole(path: Path, name: str) -> RecordingFacts:
    """Raises `HarnessError` for a recording that no suite passes, or that none can name."""
    if not can_say(name):
        raise HarnessError(f"{visible_line(str(path))}: its name is not UTF-8, as TOML has to be: rename it")
    facts = read_facts(path)
    fault = damage(path, facts)
    if fault is not None:
        raise HarnessError(f"{path}: {fault}")
    return facts


@dataclass(slots=True)
class _Case:
    said: str
    table: Table
    checks: list[Table]
    left_out: list[str]


def _case(kind: str, name: str, group: list[_Seen], taken: set[str], left_out: list[str]) -> _Case:
    title = _free(name if kind == "task" else without_suffix(Path(name).name), taken)
    table: Table = {"name": title}
    if kind == "task" and title != name:
        table["task"] = name
    names = [seen.name for seen in group]
    table["recording"] = names[0] if len(names) == 1 else names
    own: list[str] = []
    checks = _passing([_NO_SECRET], group, own)
    clean = bool(checks)
    if not clean:
        own.append("tools and text are left out, as they might repeat the secret: `harness scrub` it first")
    shown = (one for one in candidates([seen.subject for seen in group]) if clean or one["type"] not in _REPEATS)
    checks += _passing(shown, group, own)
    left_out += [f"{title}: {line}" for line in own]
    return _Case(_about(group, prompt=clean), table, checks, own)


def _free(name: str, taken: set[str]) -> str:
    """A name that no other case has, nor its golden."""
    names = (name if number == 1 else f"{name} {number}" for number in count(1))
    found = next(one for one in names if slug(one) not in taken)
    taken.add(slug(found))
    return found


def _passing(candidates: Iterable[Table], group: Sequence[_Seen], left_out: list[str]) -> list[Table]:
    """Those that pass on every recording of the group."""
    found = []
    for table in candidates:
        try:
            check = check_class(table["type"]).model_validate(table)
        except ValidationError as error:
            left_out.append(f"{table['type']} is left out: {first_problem(error, check_class(table['type']))[1]}")
            continue
        verdicts = ((seen, judged(check, seen.subject)) for seen in group)
        wrong = next(((seen, verdict) for seen, verdict in verdicts if verdict.status != "pass"), None)
        if wrong is None:
            found.append(table)
        else:
            left_out.append(f"{table['type']} is left out, as it does not pass on {wrong[0].name}: {wrong[1].reason}")
    return found


def _about(group: Sequence[_Seen], *, prompt: bool) -> str:
    """What a case is about, in one line: models, calls, and with `prompt` the first prompt."""
    models = dict.fromkeys(call.answered_by for seen in group for call in seen.facts.calls if call.answered_by)
    first = group[0].facts
    asked = shorten(first.turns[0].input, 80) if prompt and first.turns else ""
    calls = plural(sum(len(seen.facts.calls) for seen in group), "call")
    said = f"{calls}, answered by {', '.join(models) or 'no model'}"
    return f"{asked} ({said})" if asked else said


def _written(shared: Sequence[Table], cases: Sequence[_Case]) -> str:
    types = {table["type"] for table in (*shared, *(check for case in cases for check in case.checks))}
    lines = [*_comment(_HEAD), "#"]
    for kind, text in _SAID.items():
        lines += _comment(text) if kind in types else []
    for table in shared:
        lines += ["", "# For every case.", "[[check]]", *table_lines(table)]
    for case in cases:
        lines += ["", *_comment(case.said), "[[case]]", *table_lines(case.table)]
        for table in case.checks:
            lines += ["", "  [[case.check]]", *table_lines(table, "  ")]
        lines += [""] if case.left_out else []
        for text in case.left_out:
            lines += _comment(text, "  ")
    return "\n".join([*lines, ""])


def _comment(text: str, indent: str = "") -> list[str]:
    start = f"{indent}# "
    return wrap(
        visible_line(text), _WIDTH, initial_indent=start, subsequent_indent=f"{start}  ", break_on_hyphens=False
    )
