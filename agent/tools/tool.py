"""What a tool is: its specification, and a coroutine that does it.

A tool fails by raising `ToolError` with a message for the model; the toolbox turns it into an error result.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from agent.loop_types import ToolResult
    from agent.messages import ToolSpec
    from agent.tools.workspace import Workspace

OUTPUT_CHARACTERS = 18_000
"""The most a tool gives back, below the loop's own cap of 20,000, so that a tool's closing note is never cut off."""


class ToolError(Exception):
    """A tool could not do what was asked. The message is for the model and names no path outside the workspace."""


@dataclass(slots=True, frozen=True)
class Context:
    """Where a tool works: the guarded workspace, and the environment that child processes get."""

    workspace: Workspace
    environ: Mapping[str, str]


Arguments: TypeAlias = Mapping[str, Any]
"""Arguments that were checked against the tool's schema, defaults filled in."""


@dataclass(slots=True, frozen=True)
class Tool:
    """A tool. `run` returns the output of a success, or a whole result where failure is no exception (a shell's 1)."""

    spec: ToolSpec
    run: Callable[[Context, Arguments], Awaitable[str | ToolResult]]


def properties(required: tuple[str, ...] = (), **fields: dict[str, Any]) -> dict[str, Any]:
    """A JSON Schema object with these properties and no others."""
    return {"type": "object", "properties": fields, "required": list(required), "additionalProperties": False}
