"""The types that the loop and its tools share."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True, frozen=True)
class ToolResult:
    """What a tool gave back. `ok` is False for an error result; `output` is what the model reads either way."""

    ok: bool
    output: str
