"""Which tools there are, and which mode has which. A new tool is one module with `TOOL`, a line here, and its modes."""

from __future__ import annotations

from agent.tools import edit_file, list_dir, read_file, search, shell, write_file
from agent.tools.tool import Tool

TOOLS: dict[str, Tool] = {
    module.TOOL.spec.name: module.TOOL for module in (read_file, list_dir, search, write_file, edit_file, shell)
}

MODES: dict[str, tuple[str, ...]] = {
    "PLAN": ("read_file", "list_dir", "search"),
    "FIX": ("read_file", "list_dir", "search", "write_file", "edit_file"),
    "BUILD": ("read_file", "list_dir", "search", "write_file", "edit_file", "shell"),
    "SWE": ("read_file", "list_dir", "search", "write_file", "edit_file", "shell"),
}


def modes_of_tools() -> dict[str, list[str]]:
    """Tool -> the modes that have it."""
    return {name: [mode for mode, tools in MODES.items() if name in tools] for name in TOOLS}
