"""What the parts of one trajectory share: its ids, how much still fits, and the markup of texts and JSON values."""

from __future__ import annotations

import json
import re
import shlex
import sys
from dataclasses import dataclass
from typing import Any

from agent.jsonio import dumps
from harness.page.shell import escaped
from harness.redaction.placeholders import PLACEHOLDER

_LEAST = 500
"""Characters of a text that are shown however full the page is."""

_LONGEST = 200
_UNFIT = re.compile("[^A-Za-z0-9.-]")

_REDACTED = re.compile(PLACEHOLDER.pattern.decode())
_CONTROLS = re.compile("[\x7f-\x9f]")


@dataclass(slots=True, frozen=True)
class Limits:
    """How much of a recording one page takes. What is left out is said where it would stand.

    `text`: characters of one text, or bytes of one frame. `texts`: characters of all texts; once they are reached each
    further one gets 500. `raw`: bytes of request bodies, frames and events; they are shared out evenly among the calls.
    """

    text: int = 100_000
    texts: int = 6_000_000
    raw: int = 2_000_000

    def among(self, recordings: int) -> Limits:
        """The limits of each of several recordings on one page."""
        share = max(recordings, 1)
        return Limits(self.text, self.texts // share, self.raw // share)


UNLIMITED = Limits(sys.maxsize, sys.maxsize, sys.maxsize)


class Sheet:
    """One trajectory while it is made. `path`: of its recording, as commands name it. `calls`: how many there are."""

    def __init__(self, path: str, prefix: str, limits: Limits, calls: int) -> None:
        self.path = path
        self.prefix = prefix
        self._limits = limits
        self._texts = limits.texts
        self._raw = limits.raw
        self._calls = calls
        self._share = 0
        self._ids: set[str] = set()

    def id(self, name: str) -> str:
        """The id of a place. A name that comes again (two calls of one number in a file) gets a number of its own."""
        whole, times = self.place(name), 1
        found = whole
        while found in self._ids:
            times += 1
            found = f"{whole}.{times}"
        self._ids.add(found)
        return found

    def link(self, name: str, text: str) -> str:
        """A link to a place by its name; only text where nothing of that name stands before it."""
        there = self.place(name)
        return f'<a href="#{there}">{escaped(text)}</a>' if there in self._ids else escaped(text)

    def place(self, name: str) -> str:
        """The id that a place of this name has, where it is the first of its name. A damaged file may number its calls
        with anything, so what is neither letter nor digit is written as its code."""
        return f"{self.prefix}-{_UNFIT.sub(lambda found: f'_{ord(found[0]):x}', name[:_LONGEST])}"

    def command(self, *options: str) -> str:
        """The command line that shows what is left out."""
        return f"<code>{escaped(' '.join(('harness show', shlex.quote(self.path), *options)))}</code>"

    def text(self, text: str, *options: str) -> str:
        """A text as a block, with what is missing of it. `options`: of the command that shows all of it."""
        shown = self._cut(text)
        block = f'<pre class="tj-text" dir="auto">\n{marked(shown)}</pre>'
        return block + self._missing(len(text), len(shown), *options)

    def json(self, value: Any, *options: str) -> str:
        """A JSON value as a block, indented."""
        return self.json_block(json_text(value), *options)

    def json_block(self, text: str, *options: str) -> str:
        """The same of what `json_text` gave."""
        shown = self._cut(text)
        whole = " data-json" if shown is text else ""
        return f'<pre class="tj-json"{whole}>\n{marked(shown)}</pre>' + self._missing(len(text), len(shown), *options)

    def _cut(self, text: str) -> str:
        most = max(min(self._limits.text, self._texts), _LEAST)
        shown = text if len(text) <= most else text[:most]
        self._texts -= len(shown)
        return shown

    def _missing(self, size: int, shown: int, *options: str) -> str:
        if size == shown:
            return ""
        what = f"{size:,} characters, of which the first {shown:,} are shown; all of them: "
        return f'<p class="tj-cut">{what}{self.command(*options)}</p>'

    def next_call(self) -> None:
        """From here on `fits` speaks of the next call: it gets an even part of what is left."""
        self._share = self._raw // max(self._calls, 1)
        self._calls -= 1

    def left(self) -> int:
        """Bytes that this call may still take."""
        return self._share

    def fits(self, size: int) -> bool:
        """Whether so many bytes more fit; they are taken then."""
        if size > self._share:
            return False
        self._share -= size
        self._raw -= size
        return True

    def clip(self, text: str) -> tuple[str, str]:
        """A text in the cell of a table, and what is said about the rest of it."""
        most = self._limits.text
        if len(text) <= most:
            return text, ""
        return text[:most], f"({len(text):,} characters, the first {most:,} shown)"


def marked(text: str) -> str:
    """A text as the markup of an element: escaped, placeholders of secrets marked as what they are."""
    return _REDACTED.sub(
        r'<mark title="a secret stood here; it is not in the recording">\g<0></mark>', escaped(text, quotes=False)
    )


def json_text(value: Any) -> str:
    """Indented JSON that is still JSON once it is shown: what a page shows as an escape is one of JSON then."""
    try:
        text = json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False)
    except (RecursionError, TypeError, ValueError):
        text = dumps(value).decode()
    return _CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def details(summary: str, body: str, name: str = "", *, id: str | None = None) -> str:
    """A folded part. `summary` and `body` are markup."""
    place = "" if id is None else f' id="{id}"'
    return f'<details class="tj-fold {name}"{place}><summary>{summary}</summary>\n{body}\n</details>'


def item(label: str, body: str, name: str) -> str:
    """One piece of the conversation. `body` is markup."""
    return f'<div class="tj-item {name}">\n<h5>{escaped(label)}</h5>\n{body}\n</div>'


def definitions(rows: list[tuple[str, str]], name: str) -> str:
    """Names and their texts."""
    inside = "".join(f"<div><dt>{escaped(key)}</dt><dd>{marked(value)}</dd></div>" for key, value in rows)
    return f'<dl class="{name}">{inside}</dl>'


def headers_table(pairs: list[tuple[str, str]]) -> str:
    """HTTP headers in order."""
    if not pairs:
        return '<p class="soft">none recorded</p>'
    rows = "".join(f"<tr><th>{escaped(name)}</th><td>{marked(value)}</td></tr>\n" for name, value in pairs)
    return f'<table class="tj-headers">\n{rows}</table>'
