"""Steps and their differences in lines of text: `-` gone, `+` new, `!` changed. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from harness.diff.compare import Change
from harness.diff.steps import Step
from harness.diff.words import Piece, is_prose, text_differences
from harness.differences import Difference
from harness.differences import shorten as shorten_value
from harness.report.figures import plural
from harness.report.text import columns, fold, shorten, visible_line
from harness.report.values import any_text

WIDTH = 100
SIGNS = {"removed": "-", "added": "+", "changed": "!", "same": " "}
_TEXT = 300
_VALUE = 120
_AROUND = 40
"""Characters that are shown before and after a difference."""


def step_lines(changes: Sequence[Change], *, full: bool = False) -> list[str]:
    """All steps: a run of those that are the same as one line."""
    lines: list[str] = []
    same = 0
    for change in changes:
        if change.status == "same":
            same += 1
            continue
        lines += _same(same)
        same = 0
        lines += change_lines(change, full=full)
    return lines + _same(same)


def _same(count: int) -> list[str]:
    return [f"  {plural(count, 'step')} the same"] if count else []


def change_lines(change: Change, *, full: bool = False) -> list[str]:
    """One step that is not the same."""
    sign = SIGNS[change.status]
    head = f"{change.number} {place(change.step)}: "
    if change.status != "changed":
        return [*_hung(sign, head + described(change.step, full=full), full=full)]
    return [
        *_hung(sign, head + _title(change), full=full),
        *difference_lines(change.differences, full=full, indent="  "),
    ]


def difference_lines(differences: Sequence[Difference], *, full: bool = False, indent: str = "") -> list[str]:
    """What differs, each in lines of its own."""
    sign = SIGNS["changed"]
    return [
        line
        for difference in differences
        for line in _hung(sign, indent + difference_text(difference, full=full), full=full)
    ]


def place(step: Step) -> str:
    """Where it is in its run."""
    parts = [f"{name} {number}" for name, number in (("turn", step.turn), ("call", step.call)) if number is not None]
    return ", ".join(parts) or "run"


def _title(change: Change) -> str:
    step = change.step
    return f"tool call {step.name}" if step.kind == "tool_call" else step.kind


def described(step: Step, *, full: bool = False) -> str:
    """A step in words."""
    text = _text(step.text, full)
    if step.kind == "tool_call":
        given = any_text(step.input) if full else shorten_value(step.input, _TEXT)
        how = "no result" if step.output is None else f"{'ok' if step.ok else 'failed'}: {_text(step.output, full)}"
        return f"tool call {step.name} {given} -> {how}"
    if step.kind == "error":
        return f"error {step.name}: {text}"
    return f"{step.kind}: {text}"


def _text(text: str, full: bool) -> str:
    return text if full else shorten(text, _TEXT)


def difference_text(difference: Difference, *, full: bool = False) -> str:
    """`input.path: "a" -> "b"`; of longer texts the words that differ."""
    one, other = difference.one, difference.other
    if isinstance(one, str) and isinstance(other, str) and (is_prose(one) or is_prose(other)):
        return f"{difference.path}: {marked(text_differences(one, other), full=full)}"
    limit = 10**9 if full else _VALUE
    return f"{difference.path}: {shorten_value(one, limit)} -> {shorten_value(other, limit)}"


def marked(pieces: Sequence[Piece], *, full: bool = False) -> str:
    """`[-gone-] {+new+}`; of what is the same only what is near."""
    found = []
    for at, (sign, text) in enumerate(pieces):
        if sign == "-":
            found.append(f"[-{_middle(text, _TEXT, full)}-]")
        elif sign == "+":
            found.append(f"{{+{_middle(text, _TEXT, full)}+}}")
        elif full:
            found.append(text)
        elif at == 0:
            found.append(text if len(text) <= _AROUND else f"...{text[-_AROUND:]}")
        elif at == len(pieces) - 1:
            found.append(text if len(text) <= _AROUND else f"{text[:_AROUND]}...")
        else:
            found.append(text if len(text) <= 2 * _AROUND else f"{text[:_AROUND]} ... {text[-_AROUND:]}")
    return "".join(found)


def _middle(text: str, limit: int, full: bool) -> str:
    return text if full or len(text) <= limit else f"{text[: limit // 2]} ... {text[-limit // 2 :]}"


def _hung(sign: str, text: str, *, full: bool) -> Iterator[str]:
    """Folded lines, each with the sign."""
    line = visible_line(text)
    if full or columns(line) <= WIDTH:
        yield f"{sign} {line}"
        return
    first, *rest = fold(line, WIDTH)
    yield f"{sign} {first}"
    for part in fold(" ".join(rest), WIDTH - 4):
        yield f"{sign}     {part}"
