"""The blocks of a report as HTML: sentences, tables, lists and differences, the same as in its text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from harness.page.shell import escaped
from harness.report.report import Block, Details, Heading, Quoted, Table
from harness.verdicts import WORDS

_CLASSES = {
    WORDS["pass"]: "good", WORDS["fail"]: "bad", WORDS["error"]: "bad", "proved": "good", "not proved": "warn",
    "BROKEN": "bad", "unpriced": "warn", "warning": "warn", "warning:": "warn",
}  # fmt: skip
"""How words that stand for a verdict look."""

_WORD = re.compile(rf"(?:{'|'.join(map(re.escape, _CLASSES))})(?=\s|$)")
_SIGNS = {"-": "gone", "+": "new", "!": "changed"}
_INSIDE = re.compile(r"\[-(.*?)-\]|\{\+(.*?)\+\}")
_CELL_OF_VERDICT = "verdict"


class Blocks:
    """Writes blocks. `links`: the place on the page of texts that are to lead somewhere, such as paths of recordings:
    wherever one of them stands as a whole word, it is a link."""

    def __init__(self, links: Mapping[str, str] | None = None) -> None:
        self._links = dict(links or {})
        longest_first = sorted(self._links, key=len, reverse=True)
        self._linked = re.compile(rf"(?<![\w./\\-])(?:{'|'.join(map(re.escape, longest_first))})(?![\w/\\-]|\.\w)")

    def write(self, block: Block) -> Iterator[str]:
        """The markup of one block; none for a table without rows."""
        match block:
            case Heading(text):
                yield f"<h2>{escaped(text)}</h2>"
            case Table():
                yield from self._table(block) if block.rows else ()
            case Details(text, lines):
                yield f"<p>{self._sentence(text)}</p>"
                if lines:
                    yield "<ul>"
                    yield from (f"<li>{self._sentence(line)}</li>" for line in lines)
                    yield "</ul>"
            case Quoted(lines, language):
                yield from _quoted(lines, language)
            case _:
                yield f"<p>{self._sentence(block)}</p>"

    def _table(self, table: Table) -> Iterator[str]:
        title = table.title or ", ".join(header for header in table.headers if header)
        grouped = any(not row[0] for row in table.rows)
        kind = "" if grouped or not table.headers[0] or len(table.rows) - table.total < 2 else ' class="sortable"'
        yield f'<div class="scroll" role="region" tabindex="0" aria-label="{escaped(title)}">'
        yield f"<table{kind}><caption>{escaped(title)}</caption>"
        yield f"<thead><tr>{''.join(self._header(table, header) for header in table.headers)}</tr></thead>"
        rows = [*table.rows]
        last = rows.pop() if table.total else None
        yield "<tbody>"
        yield from (self._row(table, row) for row in rows)
        yield "</tbody>"
        if last is not None:
            yield f"<tfoot>{self._row(table, last)}</tfoot>"
        yield "</table></div>"

    def _header(self, table: Table, header: str) -> str:
        attributes = ' class="r"' if header in table.right else ""
        return f'<th scope="col"{attributes}>{escaped(header)}</th>' if header else "<td></td>"

    def _row(self, table: Table, row: Sequence[str]) -> str:
        """The first cell, or the one behind the verdict, names the row; one that is left blank is that of the row
        above."""
        name = 1 if table.headers[0] == _CELL_OF_VERDICT and len(row) > 1 else 0
        cells = []
        for at, (header, cell) in enumerate(zip(table.headers, row, strict=True)):
            right = "r" if header in table.right else ""
            classes = " ".join(filter(None, (right, _CLASSES.get(cell, ""))))
            attributes = f' class="{classes}"' if classes else ""
            if at == name and cell:
                cells.append(f'<th scope="row"{attributes}>{self._text(cell)}</th>')
            else:
                cells.append(f"<td{attributes}>{self._text(cell)}</td>")
        return f"<tr>{''.join(cells)}</tr>"

    def _sentence(self, text: str) -> str:
        """A text whose first word may be a verdict."""
        word = _WORD.match(text)
        if word is None:
            return self._text(text)
        return f'<strong class="{_CLASSES[word[0]]}">{escaped(word[0])}</strong>{self._text(text[word.end() :])}'

    def _text(self, text: str) -> str:
        if not self._links:
            return escaped(text)
        parts, at = [], 0
        for found in self._linked.finditer(text):
            parts += [escaped(text[at : found.start()]), self._link(found[0])]
            at = found.end()
        return "".join([*parts, escaped(text[at:])])

    def _link(self, text: str) -> str:
        return f'<a href="#{escaped(self._links[text])}">{escaped(text)}</a>'


def _quoted(lines: Sequence[str], language: str) -> Iterator[str]:
    if lines:
        shown = map(_difference, lines) if language == "diff" else map(escaped, lines)
        yield "<pre>" + "\n".join(shown) + "</pre>"


def _difference(line: str) -> str:
    """A line of a difference; in those that say how a text changed the words that went and came are marked."""
    sign = _SIGNS.get(line[:1])
    if sign in ("gone", "new"):
        return f'<span class="{sign}">{escaped(line)}</span>'
    parts, at = [], 0
    for found in _INSIDE.finditer(line):
        tag = "del" if found[0].startswith("[") else "ins"
        parts += [escaped(line[at : found.start()]), f"<{tag}>{escaped(found[0])}</{tag}>"]
        at = found.end()
    inside = "".join([*parts, escaped(line[at:])])
    return inside if sign is None else f'<span class="{sign}">{inside}</span>'
