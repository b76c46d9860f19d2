"""Text for a terminal: nothing in it can steer the terminal, long lines are folded, columns are counted as shown."""

from __future__ import annotations

import re
from unicodedata import combining, east_asian_width

_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
"""C0 and C1 controls, line separators, marks that turn the direction of writing, halves of surrogate pairs."""

_LINE_END = re.compile(r"\r\n?")


def visible(text: str) -> str:
    """`text` with unsafe characters written as escapes; line feeds stay, tabs become spaces."""
    return _UNSAFE.sub(_escape, _LINE_END.sub("\n", text).replace("\t", "    "))


def harmless(text: str) -> str:
    """`text` with unsafe characters written as escapes; line feeds and tabs stay."""
    return _UNSAFE.sub(_escape, text)


def visible_line(text: str) -> str:
    """`text` in one line in which every character still shows: line feeds as `⏎`."""
    return _UNSAFE.sub(_escape, text.replace("\t", "\\t").replace("\n", "⏎"))


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    return {"\r": "\\r"}.get(match[0]) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")


def shorten(text: str, limit: int) -> str:
    """`text` with blanks run together, in one line of at most `limit` characters; what is cut is said."""
    line = " ".join(text[: 4 * limit].split())
    if len(line) <= limit and len(text) <= 4 * limit:
        return line
    return f"{line[:limit].rstrip()}... ({len(text):,} characters)"


def columns(text: str) -> int:
    """The columns that `text` takes on a terminal."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def _columns(character: str) -> int:
    if character in "\u200b\u200c\u200d\ufe0e\ufe0f" or combining(character):
        return 0
    return 2 if east_asian_width(character) in "WF" else 1


def _fitting(text: str, at: int, width: int) -> int:
    """The end of what fits into `width` columns from `at` on; at least one character."""
    end = min(at + width, len(text))
    if not text[at:end].isascii():
        end, used = at, 0
        while end < len(text) and (used := used + _columns(text[end])) <= width:
            end += 1
        end = max(end, at + 1)
    while end < len(text) and not _columns(text[end]):
        end += 1
    return end


def clip(text: str, width: int | None) -> str:
    """`text` cut to `width` columns, with `...` where something is missing; None is without a limit."""
    if width is None or _fitting(text, 0, width) >= len(text):
        return text
    return text[: _fitting(text, 0, max(width - 3, 1))] + "..."


def fold(text: str, width: int | None, marks: str = "") -> list[str]:
    """The lines of `text`, each of at most `width` columns, broken at blanks if there are any, else behind `marks`."""
    found = []
    for line in text.split("\n"):
        at = 0
        while width is not None and (end := _fitting(line, at, width)) < len(line):
            blank = end if line[end] == " " else line.rfind(" ", at, end) + 1
            if blank <= at or not line[at:blank].strip():
                blank = max((line.rfind(mark, at, end) + 1 for mark in marks), default=end)
            if blank <= at:
                blank = end
            found.append(line[at:blank].rstrip())
            at = blank + 1 if line[blank] == " " else blank
        found.append(line[at:])
    return found
