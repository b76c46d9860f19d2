"""read_file: the text of a file, or some of its lines."""

from __future__ import annotations

from agent.messages import ToolSpec
from agent.tools.text import decode, is_binary
from agent.tools.tool import OUTPUT_CHARACTERS, Arguments, Context, Tool, ToolError, properties
from agent.tools.waiting import in_thread
from agent.tools.workspace import Workspace

MOST_BYTES = 16 * 2**20
"""Bytes of a file that are looked at; what lies behind is told, not shown."""

SPEC = ToolSpec(
    "read_file",
    "Read a text file of the workspace. Gives at most about 18,000 characters; a closing note says how to read on. "
    "CRLF line ends are shown as LF. Binary files are refused.",
    properties(
        ("path",),
        path={"type": "string", "description": "File, relative to the workspace root.", "minLength": 1},
        offset={"type": "integer", "description": "First line to read, counted from 1.", "minimum": 1, "default": 1},
        limit={"type": "integer", "description": "Number of lines; all that fit if left out.", "minimum": 1},
        line_numbers={"type": "boolean", "description": "Put its number before each line.", "default": False},
    ),
)


def read(workspace: Workspace, arguments: Arguments) -> str:
    """The lines asked for, as far as they fit, and a note where there is more or something was changed."""
    path: str = arguments["path"]
    data, size = workspace.read(path, MOST_BYTES)
    if is_binary(data):
        raise ToolError(f"{path!r} is a binary file of {size:,} bytes")
    lines = data.split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    if not lines:
        return "[the file is empty]"
    first: int = arguments["offset"]
    if first > len(lines):
        raise ToolError(f"offset {first} is past the end: {path!r} has {_lines(len(lines))}")
    wanted = len(lines) if arguments["limit"] is None else first - 1 + arguments["limit"]
    shown, last, cut = _take(lines, first, min(wanted, len(lines)), arguments["line_numbers"])
    notes = []
    if cut:
        notes.append(f"line {last} was cut, it has {len(lines[last - 1]):,} bytes")
    if last < len(lines):
        notes.append(f"lines {first} to {last} of {len(lines):,}; read on with offset={last + 1}")
    if size > len(data):
        notes.append(f"only the first {len(data):,} of {size:,} bytes were looked at")
    if data.count(b"\r\n") * 2 > len(lines):
        notes.append("the file has CRLF line ends")
    return shown + (f"\n[{'; '.join(notes)}]" if notes else "")


def _take(lines: list[bytes], first: int, last: int, numbered: bool) -> tuple[str, int, bool]:
    """Text of lines `first` to `last` (from 1) as far as it fits, the last line in it, and whether that was cut."""
    room = OUTPUT_CHARACTERS - 500
    taken: list[str] = []
    for number in range(first, last + 1):
        line = lines[number - 1].removesuffix(b"\r")
        # At most four bytes a character, so a line of megabytes is not decoded whole.
        text = decode(line[: room * 4])
        if number == 1:
            text = text.removeprefix("\ufeff")
        if numbered:
            text = f"{number:>6}\t{text}"
        if len(text) + 1 > room:
            if taken:
                return "\n".join(taken), number - 1, False
            return text[:room], number, True
        room -= len(text) + 1
        taken.append(text)
    return "\n".join(taken), last, False


def _lines(count: int) -> str:
    return "1 line" if count == 1 else f"{count:,} lines"


async def run(context: Context, arguments: Arguments) -> str:
    return await in_thread(read, context.workspace, arguments)


TOOL = Tool(SPEC, run)
