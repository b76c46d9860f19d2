"""A page of labelled lines, folded and coloured: what the accounts are written on."""

from __future__ import annotations

from dataclasses import dataclass

from harness.report.text import clip, columns, fold, visible, visible_line

BOLD, DIM, RED, CYAN = "\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[36m"
_PLAIN = "\x1b[0m"
_LABEL = 11
_NARROWEST = 20


@dataclass(slots=True, frozen=True)
class Style:
    """`width` in columns. `full`: nothing is shortened or folded, whatever the width. `colour`: ANSI colours."""

    width: int = 100
    full: bool = False
    colour: bool = False


class Page:
    """Collects lines. No control character of what is written gets into them."""

    def __init__(self, style: Style) -> None:
        self.style = style
        self._lines: list[str] = []
        self._blank = True
        """The last line was blank, or there is none."""

    def take(self) -> list[str]:
        """The lines since the last time."""
        lines, self._lines = self._lines, []
        return lines

    def blank(self) -> None:
        """A blank line, unless there is one already."""
        if not self._blank:
            self._add("")

    def _add(self, line: str) -> None:
        self._lines.append(line)
        self._blank = not line

    def heading(self, text: str) -> None:
        self.line(text, style=BOLD)

    def line(self, text: str, *, indent: int = 0, style: str = "") -> None:
        """A text of its own."""
        self._put("", text, indent, indent, style)

    def field(self, label: str, text: str, *, indent: int = 2, style: str = "") -> None:
        """A label and its text, which hangs beside it where it takes several lines."""
        self._put(f"{label:<{_LABEL - 1}} ", text, indent, indent + max(_LABEL, len(label) + 1), style)

    def row(self, head: str, raw: str, *, indent: int) -> None:
        """One line of a listing: columns, and what is left of the width for `raw`, every character of it shown."""
        room = None if self.style.full else max(self.style.width - indent - columns(head) - 1, _NARROWEST)
        self._add(f"{' ' * indent}{head} {clip(visible_line(raw), room)}".rstrip())

    def _put(self, head: str, text: str, indent: int, hang: int, style: str) -> None:
        width = None if self.style.full else max(self.style.width - hang, _NARROWEST)
        for number, part in enumerate(fold(visible(text), width)):
            start = " " * indent + head if number == 0 else " " * hang
            painted = f"{style}{part}{_PLAIN}" if style and self.style.colour and part else part
            self._add(f"{start}{painted}".rstrip())
