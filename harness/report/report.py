"""A report as parts that every output format can show: what suites, sweeps, diffs and cost reports are made of."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True, frozen=True)
class Heading:
    """Begins a section."""

    text: str


@dataclass(slots=True, frozen=True)
class Table:
    """Rows of cells; columns whose header is in `right` are aligned to the right.

    `title`: what it shows, where it stands among others: on a page. `total`: the last row sums the others up.
    """

    headers: Sequence[str]
    rows: Sequence[Sequence[str]]
    right: Collection[str] = ()
    title: str = ""
    total: bool = False


@dataclass(slots=True, frozen=True)
class Details:
    """A line, and lines that belong to it."""

    text: str
    lines: Sequence[str] = ()


@dataclass(slots=True, frozen=True)
class Quoted:
    """Lines that are shown as they are, such as a diff. `language`: what colours them in markdown."""

    lines: Sequence[str]
    language: str = ""


Block = Heading | Table | Details | Quoted | str
"""A string is a paragraph: one line on a terminal."""


@dataclass(slots=True)
class Report:
    """`blocks`: for people, as text, markdown or a page. `data`: the JSON object. `headers` and `rows`: the CSV."""

    blocks: list[Block] = field(default_factory=list)
    data: dict[str, Any] = field(default_factory=dict)
    headers: Sequence[str] = ()
    rows: Sequence[Sequence[object]] = ()
