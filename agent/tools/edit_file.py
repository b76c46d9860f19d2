"""edit_file: replace a piece of a file that occurs exactly once."""

from __future__ import annotations

from array import array
from bisect import bisect_left

from agent.messages import ToolSpec
from agent.tools.text import is_binary
from agent.tools.tool import Arguments, Context, Tool, ToolError, properties
from agent.tools.waiting import in_thread
from agent.tools.workspace import Workspace

MOST_BYTES = 16 * 2**20
MOST_MATCHES = 100_000

SPEC = ToolSpec(
    "edit_file",
    "Replace text in a file of the workspace. `old` must occur exactly once, spaces and indentation included, unless "
    "replace_all is set. The file keeps its line ends (LF or CRLF), whichever `old` and `new` use.",
    properties(
        ("path", "old", "new"),
        path={"type": "string", "description": "File, relative to the workspace root.", "minLength": 1},
        old={
            "type": "string",
            "description": "The text to replace, with enough around it to be unique.",
            "minLength": 1,
        },
        new={"type": "string", "description": "The text to put in its place; may be empty."},
        replace_all={"type": "boolean", "description": "Replace every occurrence.", "default": False},
    ),
)


def edit(workspace: Workspace, arguments: Arguments) -> str:
    """Work on bytes, so that what is no UTF-8 elsewhere in the file stays as it is."""
    path: str = arguments["path"]
    data, size = workspace.read(path, MOST_BYTES)
    if size > MOST_BYTES or len(data) == MOST_BYTES:
        raise ToolError(f"{path!r} has {size:,} bytes; the most that can be edited is {MOST_BYTES:,}")
    if is_binary(data):
        raise ToolError(f"{path!r} is a binary file of {size:,} bytes")
    new = _lf(arguments["new"].encode())
    matches = _find(data, _lf(arguments["old"].encode()), every=arguments["replace_all"])
    if not matches:
        raise ToolError(f"old text not found in {path!r} (0 matches); read the file again and copy the text exactly")
    every: bool = arguments["replace_all"]
    if len(matches) == MOST_MATCHES or (len(matches) > 1 and not every):
        times = f"{len(matches):,}{' or more' if len(matches) == MOST_MATCHES else ''} times"
        hint = "too many to replace" if every else "give more of the text around it, or set replace_all"
        raise ToolError(f"old text found {times} in {path!r}; {hint}")
    result = _replace(data, matches, new)
    if result == data:
        raise ToolError("old and new are the same: nothing to change")
    workspace.write(path, result)
    line = 1 + data.count(b"\n", 0, matches[0][0])
    times = "1 occurrence" if len(matches) == 1 else f"{len(matches)} occurrences"
    return f"replaced {times} in {path} (first at line {line})"


def _find(data: bytes, old: bytes, *, every: bool) -> list[tuple[int, int]]:
    """Where `old` (LF line ends) occurs in `data` with either line end, as slices of `data`.

    For `every` the occurrences do not overlap; else they may, since then which one is meant is open. Counting stops at
    `MOST_MATCHES`.
    """
    text = _lf(data)
    dropped = array("q")
    at = data.find(b"\r\n")
    while at >= 0:
        dropped.append(at - len(dropped))
        at = data.find(b"\r\n", at + 2)
    found: list[tuple[int, int]] = []
    start = text.find(old)
    while start >= 0 and len(found) < MOST_MATCHES:
        end = start + len(old)
        found.append((start + bisect_left(dropped, start), end + bisect_left(dropped, end)))
        start = text.find(old, end if every else start + 1)
    return found


def _replace(data: bytes, matches: list[tuple[int, int]], new: bytes) -> bytes:
    """New lines get the line end of the piece they replace, or where that is within one line, the file's own."""
    by_default = data.count(b"\r\n") * 2 > data.count(b"\n")
    out: list[bytes] = []
    done = 0
    for start, end in matches:
        piece = data[start:end]
        crlf = b"\r\n" in piece if b"\n" in piece else by_default
        out += (data[done:start], new.replace(b"\n", b"\r\n") if crlf else new)
        done = end
    return b"".join((*out, data[done:]))


def _lf(text: bytes) -> bytes:
    return text.replace(b"\r\n", b"\n")


async def run(context: Context, arguments: Arguments) -> str:
    return await in_thread(edit, context.workspace, arguments)


TOOL = Tool(SPEC, run)
