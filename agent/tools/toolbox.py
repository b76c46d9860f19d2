"""Runs tool calls in one workspace. Whatever goes wrong is an error result; only cancellation is raised."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from agent.events import ToolCall
from agent.jsonio import scrub
from agent.loop_types import ToolResult
from agent.messages import ToolSpec
from agent.tools.environment import child_environ
from agent.tools.registry import MODES, TOOLS
from agent.tools.schema import check
from agent.tools.tool import Context, ToolError
from agent.tools.workspace import Workspace


class Toolbox:
    """The tools of one mode inside one folder.

    `environ` is what child processes inherit, the process's own by default; variables that look like secrets are left
    out either way (`agent.tools.environment`). Raises `ValueError` for an unknown mode or a root that is no folder.
    """

    def __init__(self, root: str | Path, mode: str = "PLAN", *, environ: Mapping[str, str] | None = None) -> None:
        _names(mode)
        self.mode = mode
        self._context = Context(Workspace(root), child_environ(os.environ if environ is None else environ))

    @property
    def root(self) -> Path:
        """The workspace root, symlinks resolved."""
        return Path(self._context.workspace.root)

    def specs(self, mode: str | None = None) -> list[ToolSpec]:
        """The tools of a mode, of this toolbox's own by default."""
        return [TOOLS[name].spec for name in _names(mode or self.mode)]

    async def execute(self, tool_call: ToolCall, *, call: int = 0, position: int = 0) -> ToolResult:
        """Run one call. `call` and `position` say which one it is; executors that look results up need them."""
        name = tool_call.name
        if name not in TOOLS:
            return ToolResult(False, scrub(f"unknown tool {name!r}; there are {', '.join(_names(self.mode))}"))
        if name not in _names(self.mode):
            having = ", ".join(mode for mode, names in MODES.items() if name in names)
            return ToolResult(False, f"{name} is not available in {self.mode} mode; modes that have it: {having}")
        if tool_call.unparsed:
            return ToolResult(False, f"{name}: the arguments were no JSON object")
        tool = TOOLS[name]
        try:
            result = await tool.run(self._context, check(tool.spec.parameters, tool_call.input))
        except ToolError as error:
            result = ToolResult(False, f"{name}: {error}")
        except OSError as error:
            result = ToolResult(False, f"{name}: {_about(tool_call)}{error.strerror or type(error).__name__}")
        except Exception as error:
            result = ToolResult(False, f"{name} failed: {type(error).__name__}: {error}")
        if isinstance(result, str):
            result = ToolResult(True, result)
        return ToolResult(result.ok, scrub(result.output))


def _about(tool_call: ToolCall) -> str:
    path = tool_call.input.get("path")
    return f"{path!r}: " if isinstance(path, str) else ""


def _names(mode: str) -> tuple[str, ...]:
    if mode not in MODES:
        raise ValueError(f"unknown mode {mode!r}; there are {', '.join(MODES)}")
    return MODES[mode]
