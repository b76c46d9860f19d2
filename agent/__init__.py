"""The agent: providers' wire formats as pure decoders, an httpx client, tools, and a bounded loop.

It never prints, records or prices by itself: what it does not own comes in by argument. Exported names are loaded on
first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agent.client import Client as Client
    from agent.events import End as End
    from agent.events import Error as Error
    from agent.events import Reasoning as Reasoning
    from agent.events import Text as Text
    from agent.events import ToolCall as ToolCall
    from agent.events import Usage as Usage
    from agent.events import UsageEvent as UsageEvent
    from agent.loop import run_turn as run_turn
    from agent.loop_types import Limits as Limits
    from agent.loop_types import LoopEvent as LoopEvent
    from agent.loop_types import ToolResult as ToolResult
    from agent.messages import Message as Message
    from agent.messages import ToolSpec as ToolSpec
    from agent.messages import user as user
    from agent.providers.table import resolve as resolve
    from agent.response import Framer as Framer
    from agent.response import ResponseDecoder as ResponseDecoder
    from agent.sse import Frame as Frame
    from agent.sse import SSEDecoder as SSEDecoder
    from agent.tools import Toolbox as Toolbox

_HOMES = {
    "agent.client": ("Client",),
    "agent.events": ("End", "Error", "Reasoning", "Text", "ToolCall", "Usage", "UsageEvent"),
    "agent.loop": ("run_turn",),
    "agent.loop_types": ("Limits", "LoopEvent", "ToolResult"),
    "agent.messages": ("Message", "ToolSpec", "user"),
    "agent.providers.table": ("resolve",),
    "agent.response": ("Framer", "ResponseDecoder"),
    "agent.sse": ("Frame", "SSEDecoder"),
    "agent.tools": ("Toolbox",),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = sorted(_HOME_OF)


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME_OF[name]), name)
