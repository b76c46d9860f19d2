"""list_dir: the names in a folder, and below it."""

from __future__ import annotations

import os

from agent.messages import ToolSpec
from agent.tools.tool import OUTPUT_CHARACTERS, Arguments, Context, Tool, ToolError, properties
from agent.tools.waiting import in_thread
from agent.tools.walk import Entry, show, walk
from agent.tools.workspace import Workspace

MOST_ENTRIES = 500

SPEC = ToolSpec(
    "list_dir",
    f"List a folder of the workspace in name order: folders end in `/`, files show their size in bytes. At most "
    f"{MOST_ENTRIES} entries. `.git` is hidden; symlinks are shown but not followed.",
    properties(
        path={"type": "string", "description": "Folder, relative to the workspace root.", "default": "."},
        depth={
            "type": "integer",
            "description": "How many levels to list: 1 is the folder alone, 2 also the folders in it, and so on.",
            "minimum": 1,
            "maximum": 20,
            "default": 1,
        },
    ),
)


def list_folder(workspace: Workspace, arguments: Arguments) -> str:
    """One entry a line, its path relative to the folder that was asked for."""
    start = workspace.locate(arguments["path"])
    lines: list[str] = []
    room = OUTPUT_CHARACTERS - 500
    for entry in walk(workspace, start, arguments["depth"]):
        line = _line(workspace, entry, len(start))
        room -= len(line) + 1
        if len(lines) == MOST_ENTRIES or room < 0:
            lines.append(f"[there are more entries; {len(lines)} shown. List a folder below, or use a smaller depth]")
            break
        lines.append(line)
    return "\n".join(lines) or "[the folder is empty]"


def _line(workspace: Workspace, entry: Entry, skip: int) -> str:
    shown = show(entry.parts[skip:])
    if entry.kind == "folder":
        return f"{shown}/" + (f"  [{entry.error}]" if entry.error else "")
    if entry.kind == "special":
        return f"{shown}  [not a file]"
    try:
        with workspace.folder(entry.parts[:-1]) as folder:
            if entry.kind == "link":
                return f"{shown} -> {os.readlink(entry.parts[-1], dir_fd=folder)}"
            size = os.stat(entry.parts[-1], dir_fd=folder, follow_symlinks=False).st_size
    except (OSError, ToolError):
        return shown
    return f"{shown}  {size:,}"


async def run(context: Context, arguments: Arguments) -> str:
    return await in_thread(list_folder, context.workspace, arguments)


TOOL = Tool(SPEC, run)
