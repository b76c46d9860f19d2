"""The built-in agent's tools: `Toolbox` runs them inside one workspace, `MODES` says which mode has which.

Names are loaded on first use, so that the search worker, which lives in this package, starts without asyncio.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agent.tools.registry import MODES as MODES
    from agent.tools.registry import TOOLS as TOOLS
    from agent.tools.tool import ToolError as ToolError
    from agent.tools.toolbox import Toolbox as Toolbox

__all__ = ["MODES", "TOOLS", "ToolError", "Toolbox"]

_HOMES = {
    "MODES": "agent.tools.registry",
    "TOOLS": "agent.tools.registry",
    "ToolError": "agent.tools.tool",
    "Toolbox": "agent.tools.toolbox",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
