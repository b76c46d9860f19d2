"""What the front ends have in common: what they read, and what they tell the caller at the end."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, Protocol

from agent.loop_types import LoopEvent


class Events(Protocol):
    """A turn, or an async generator over one."""

    def __aiter__(self) -> AsyncIterator[LoopEvent]: ...

    async def aclose(self) -> None: ...


@dataclass(slots=True)
class Summary:
    """`finish`: the data of the finish event, None where the turn did not get there. `failed`: an error event came."""

    finish: dict[str, Any] | None = None
    failed: bool = False

    def see(self, event: LoopEvent) -> None:
        if event.event == "finish":
            self.finish = event.data
        elif event.event == "error":
            self.failed = True
