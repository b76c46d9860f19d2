"""A suite as it was read: cases with their checks, every path found, every default filled in."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from harness.checks.base import Check

SUFFIX = ".suite.toml"
GOLDENS = "goldens"
_LONGEST = 80
"""Bytes of a slug; what is longer is cut, and told from others by a digest."""


@dataclass(slots=True, frozen=True)
class Case:
    """One `[[case]]`. It can be pickled.

    `file`: the suite file; `number`: its place there, from 0. `recordings`: paths and patterns as written; empty for
    "all that name the task". `workspace`, `solution`: folders, relative to where the suite was named from. `checks`:
    those of the whole suite first.
    """

    suite: str
    file: Path
    number: int
    name: str
    task: str
    checks: tuple[Check, ...]
    recordings: tuple[str, ...] = ()
    prompt: str | None = None
    workspace: Path | None = None
    mode: str = "PLAN"
    system: str | None = None
    params: Mapping[str, Any] = field(default_factory=dict)
    max_iterations: int | None = None
    tools: bool = True
    solution: Path | None = None
    answer: str | None = None

    @property
    def folder(self) -> Path:
        """Where the suite lies."""
        return self.file.parent

    @property
    def golden(self) -> Path:
        """The file of its golden events: `goldens/SUITE/CASE.json` beside the suite. It need not be there."""
        return _golden(self.file, self.name)

    @property
    def goldens(self) -> Path:
        """The folder with the goldens of its suite."""
        return self.golden.parent


@lru_cache(1)
def _golden(file: Path, name: str) -> Path:
    """Every recording that a case judges asks for it."""
    return file.parent / GOLDENS / slug(file.name.removesuffix(SUFFIX)) / f"{slug(name)}.json"


@dataclass(slots=True, frozen=True)
class Suite:
    path: Path
    name: str
    cases: tuple[Case, ...]


def slug(name: str) -> str:
    """A file name that tells of `name`: lower-case letters and digits of any script, joined by hyphens; never empty."""
    text = re.sub(r"[\W_]+", "-", unicodedata.normalize("NFC", name).casefold()).strip("-")
    if text and len(text.encode()) <= _LONGEST:
        return text
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return "-".join(filter(None, (text.encode()[: _LONGEST - 9].decode(errors="ignore").strip("-"), digest)))
