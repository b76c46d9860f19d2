"""The table: to the terminal, and as markdown."""

from __future__ import annotations

import platform
from collections.abc import Sequence

from benchmarks.race import Result, figure

_HEAD = ("path", "measured", "target", "", "peers in the same run")


def cells(result: Result) -> tuple[str, ...]:
    row = result.row
    value = "-" if result.value is None else f"{figure(result.value)} {row.unit}"
    target = ""
    if row.limit is not None:
        target = f"at {'least' if row.at_least else 'most'} {row.limit:g}"
    return (row.name, value, target, result.verdict, result.note)


def text(results: Sequence[Result]) -> str:
    """Aligned columns."""
    lines = [_HEAD, *map(cells, results)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(_HEAD))]
    shown = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines]
    shown.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(shown)


def markdown(results: Sequence[Result], rounds: int) -> str:
    """A page with the table and how it was made."""
    lines = [
        "# Speed",
        "",
        f"Made by `python -m benchmarks`: ratios of one run on Python {platform.python_version()}, the least of",
        f"at least {rounds} interleaved rounds against the least.",
        "The floor is `orjson.loads` over the same payloads, already split.",
        "",
        "| " + " | ".join(_HEAD) + " |",
        "|" + "---|" * len(_HEAD),
        *("| " + " | ".join(cell.replace("|", "\\|") for cell in cells(result)) + " |" for result in results),
    ]
    return "\n".join(lines) + "\n"
