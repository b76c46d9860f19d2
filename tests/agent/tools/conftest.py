from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from agent.events import ToolCall
from agent.loop_types import ToolResult
from agent.tools import Toolbox
from agent.tools.workspace import Workspace


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """An empty workspace; what lies beside it is outside."""
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


@pytest.fixture
def workspace(root: Path) -> Workspace:
    return Workspace(root)


@pytest.fixture
def run(root: Path) -> Callable[..., Awaitable[ToolResult]]:
    """`await run("shell", command="...")` in the workspace, with every tool at hand."""
    toolbox = Toolbox(root, "SWE")
    return lambda name, **arguments: toolbox.execute(ToolCall("c", name, arguments), call=0, position=0)


@pytest.fixture
def alive() -> Callable[[int], bool]:
    """Whether a process runs; one that ended and waits to be collected does not."""

    def look(pid: int) -> bool:
        try:
            os.kill(pid, 0)
            return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
        except (OSError, IndexError):
            return False

    return look
