"""What reading many recordings is measured against."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import orjson

from benchmarks.race import cpu


def parsing(paths: Sequence[Path]) -> float:
    """The CPU time that parsing every line of files takes; reading and splitting are done before."""
    total = 0.0
    for path in paths:
        lines = path.read_bytes().splitlines()
        total += cpu(partial(_parse, lines))
    return total


def _parse(lines: Sequence[bytes]) -> None:
    loads = orjson.loads
    for line in lines:
        loads(line)
