"""shell: run a command in the workspace."""

from __future__ import annotations

import shutil

from agent.loop_types import ToolResult
from agent.messages import ToolSpec
from agent.tools.process import run as run_process
from agent.tools.tool import Arguments, Context, Tool, ToolError, properties

HEAD_BYTES, TAIL_BYTES = 6_000, 11_000
"""What is kept of long output: the beginning says what ran, the end says how it went."""

SPEC = ToolSpec(
    "shell",
    "Run a command with bash (sh where there is none) in the workspace root. There is no input and no terminal. Output "
    "and errors come as one text, its middle left out where it is long, then the exit code. Every process the command "
    "started, in the background too, is ended when the command ends or its time is up.",
    properties(
        ("command",),
        command={"type": "string", "description": "The command line.", "minLength": 1, "maxLength": 100_000},
        timeout={
            "type": "number", "description": "Seconds it may take.", "minimum": 0.1, "maximum": 600, "default": 120,
        },
    ),
)  # fmt: skip


async def run(context: Context, arguments: Arguments) -> ToolResult:
    """An error result for an exit code other than 0 and for a time-out; what was printed stands in both."""
    command: str = arguments["command"]
    if "\0" in command:
        raise ToolError("argument 'command' holds a NUL byte")
    timeout: float = arguments["timeout"]
    outcome = await run_process(
        [shutil.which("bash", path=context.environ.get("PATH")) or "/bin/sh", "-c", command],
        cwd=context.workspace.root,
        environ={**context.environ, "PWD": context.workspace.root},
        seconds=timeout,
        head=HEAD_BYTES,
        tail=TAIL_BYTES,
    )
    text = outcome.output.text()
    if text and not text.endswith("\n"):
        text += "\n"
    if outcome.status is None:
        return ToolResult(False, f"{text}[timed out after {timeout:g} seconds; all its processes were ended]")
    return ToolResult(outcome.status == 0, f"{text}[exit code {outcome.status}]")


TOOL = Tool(SPEC, run)
