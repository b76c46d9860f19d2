"""write_file: make a file or replace its content."""

from __future__ import annotations

from agent.messages import ToolSpec
from agent.tools.tool import Arguments, Context, Tool, properties
from agent.tools.waiting import in_thread
from agent.tools.workspace import Workspace

SPEC = ToolSpec(
    "write_file",
    "Make a file in the workspace or replace all of its content, exactly as given. Missing folders are made. To change "
    "part of a file, use edit_file.",
    properties(
        ("path", "content"),
        path={"type": "string", "description": "File, relative to the workspace root.", "minLength": 1},
        content={"type": "string", "description": "The whole new content."},
    ),
)


def write(workspace: Workspace, arguments: Arguments) -> str:
    data = arguments["content"].encode()
    new = workspace.write(arguments["path"], data)
    return f"{'made' if new else 'replaced'} {arguments['path']} ({len(data):,} bytes)"


async def run(context: Context, arguments: Arguments) -> str:
    return await in_thread(write, context.workspace, arguments)


TOOL = Tool(SPEC, run)
