"""read_file: the text of a file, or some of its lines."""

from __future__ import annotations

from agent.messages import ToolSpec
from agent.tools.text import decode, is_binary
from agent.tools.tool import OUTPUT_CHARACTERS, Arguments, Context, Tool, ToolError, properties
from agent.tools.waiting import in_thread
from agent.tools.workspace import Workspace

MOST_BYTES = 16 * 2**20
"""Bytes of a file that are looked at; what lies behind is told, not shown."""

ROOM = OUTPUT_CHARACTERS - 500
"""Characters of text, beside the notes; no more lines than that can fit."""
BLOCK = 1 << 16

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
    if not data:
        return "[the file is empty]"
    count = data.count(b"\n") + (not data.endswith(b"\n"))
    first: int = arguments["offset"]
    if first > count:
        raise ToolError(f"offset {first} is past the end: {path!r} has {count:,} {'line' if count == 1 else 'lines'}")
    wanted = count if arguments["limit"] is None else first - 1 + arguments["limit"]
    lines = data[_start_of(data, first) :].split(b"\n", ROOM)[: min(wanted, count) - first + 1]
    shown, taken, cut = _take(lines, first, arguments["line_numbers"])
    last = first + taken - 1
    notes = []
    if cut:
        notes.append(f"line {last} was cut, it has {len(lines[0]):,} bytes")
    if last < count:
        notes.append(f"lines {first} to {last} of {count:,}; read on with offset={last + 1}")
    if size > len(data):
        notes.append(f"only the first {len(data):,} of {size:,} bytes were looked at")
    if data.count(b"\r\n") * 2 > count:
        notes.append("the file has CRLF line ends")
    return shown + (f"\n[{'; '.join(notes)}]" if notes else "")


def _start_of(data: bytes, line: int) -> int:
    """Where a line (from 1) begins. Whole blocks are counted first, which is much faster than finding each line end."""
    at, left = 0, line - 1
    while (ends := data.count(b"\n", at, at + BLOCK)) < left:
        left -= ends
        at += BLOCK
    for _ in range(left):
        at = data.index(b"\n", at) + 1
    return at


def _take(lines: list[bytes], first: int, numbered: bool) -> tuple[str, int, bool]:
    """The text of as many lines as fit, how many they are, and whether the only one had to be cut."""
    room = ROOM
    taken: list[str] = []
    for number, line in enumerate(lines, first):
        # At most four bytes a character, so a line of megabytes is not decoded whole.
        text = decode(line.removesuffix(b"\r")[: room * 4])
        if number == 1:
            text = text.removeprefix("\ufeff")
        if numbered:
            text = f"{number:>6}\t{text}"
        if len(text) + 1 > room:
            return ("\n".join(taken), len(taken), False) if taken else (text[:room], 1, True)
        room -= len(text) + 1
        taken.append(text)
    return "\n".join(taken), len(taken), False


async def run(context: Context, arguments: Arguments) -> str:
    return await in_thread(read, context.workspace, arguments)


TOOL = Tool(SPEC, run)
