"""search: lines that hold a text or match a regular expression."""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path
from typing import Any

from agent.messages import ToolSpec
from agent.tools.process import run as run_process
from agent.tools.tool import OUTPUT_CHARACTERS, Arguments, Context, Tool, ToolError, properties

SECONDS = 10
"""How long a search may take; what was found by then is given, with a note."""

_WORKER = str(Path(__file__).with_name("search_worker.py"))

SPEC = ToolSpec(
    "search",
    "Search the lines of the workspace's text files. Gives `file:line: text` in name order. Skips `.git`, binary files "
    f"and symlinks, and stops after {SECONDS} seconds.",
    properties(
        ("pattern",),
        pattern={
            "type": "string",
            "description": "A Python regular expression, or plain text where regex is false; matched within each line.",
            "minLength": 1,
            "maxLength": 2000,
        },
        path={"type": "string", "description": "Folder or file to search.", "default": "."},
        glob={
            "type": "string",
            "description": "Only these files: `*.py` looks at names, `src/**/*.{js,ts}` at paths below the folder.",
            "maxLength": 500,
        },
        regex={"type": "boolean", "description": "Read pattern as a regular expression.", "default": True},
        ignore_case={"type": "boolean", "description": "Let upper and lower case be the same.", "default": False},
        max_results={
            "type": "integer", "description": "Matching lines to give.", "minimum": 1, "maximum": 1000, "default": 100,
        },
    ),
)  # fmt: skip


async def run(context: Context, arguments: Arguments) -> str:
    request = json.dumps({**arguments, "root": context.workspace.root, "seconds": SECONDS})
    outcome = await run_process(
        [sys.executable, "-I", "-W", "ignore", _WORKER, request],
        cwd=context.workspace.root,
        environ=context.environ,
        seconds=SECONDS + 5,
        head=2 * 2**20,
        tail=4096,
    )
    if outcome.status not in (0, None, 128 + signal.SIGALRM):
        raise ToolError(f"the search failed: {outcome.output.text().strip()[-300:]}")
    return report(outcome.output.data().decode("utf-8", "replace").split("\n"))


def report(lines: list[str]) -> str:
    """The worker's lines as text for the model. Raises `ToolError` for what the worker refused."""
    out: list[str] = []
    room = OUTPUT_CHARACTERS - 500
    end: dict[str, Any] | None = None
    for line in lines:
        found = _parse(line)
        if "error" in found:
            raise ToolError(found["error"])
        end = found.get("end", end)
        if "file" in found and room > 0:
            text = f"{found['file']}:{found['line']}: {found['text']}"
            room -= len(text) + 1
            out.append(text)
    notes = _notes(len(out), end, cut=room <= 0)
    return "\n".join([*out, f"[{'; '.join(notes)}]"] if notes else out)


def _parse(line: str) -> dict[str, Any]:
    """One line of the worker; a torn line (the worker was stopped while writing) counts as nothing."""
    try:
        found = json.loads(line)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _notes(shown: int, end: dict[str, Any] | None, *, cut: bool) -> list[str]:
    if end is None or end["out_of_time"]:
        late = f"stopped after {SECONDS} seconds, not everything was searched; use a simpler pattern, a path or a glob"
        return [late]
    notes = []
    if not shown:
        notes.append(f"no match in {end['files']:,} {'file' if end['files'] == 1 else 'files'}")
    if end["more"] or cut:
        notes.append(f"{shown} matches shown, there are more; narrow the search")
    for key, words in (("big", "too big"), ("unreadable", "unreadable")):
        if end[key]:
            notes.append(f"{end[key]:,} {words} left out")
    return notes


TOOL = Tool(SPEC, run)
