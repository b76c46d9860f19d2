"""docs/agent.md says what the code does: modes, arguments, bounds."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from agent.loop_types import Limits
from agent.retry import LIMITS
from agent.tools import MODES, TOOLS, edit_file, environment, list_dir, read_file, search, search_worker, shell
from agent.tools.tool import OUTPUT_CHARACTERS

GUIDE = (Path(__file__).resolve().parents[2] / "docs/agent.md").read_text("utf-8")
PROSE = " ".join(GUIDE.split())


def rows(heading: str) -> list[list[str]]:
    section = GUIDE.split(f"## {heading}\n")[1].split("\n## ")[0]
    lines = [line.strip("|").split(" | ") for line in section.split("\n") if line.startswith("|")]
    return [[cell.strip(" |") for cell in line] for line in lines[2:]]


def test_modes_have_their_tools_and_iterations():
    shown: list[str] = []
    for (mode, tools, iterations), expected in zip(rows("Modes"), MODES, strict=True):
        if "same as" not in tools:
            shown = (shown if tools.startswith("those") else []) + re.findall(r"`(\w+)`", tools)
        assert mode.startswith(f"`{expected}`")
        assert tuple(shown) == MODES[expected]
        assert int(iterations) == Limits.for_mode(expected).max_iterations


def test_each_argument_stands_in_the_table():
    found: dict[str, dict[str, list[str]]] = {}
    tool = ""
    for first, *cells in rows("Tools"):
        tool = first.strip("`") or tool
        found.setdefault(tool, {})[cells[0].strip("`")] = cells[1:]
    assert list(found) == list(TOOLS)
    for name, arguments in found.items():
        schema = TOOLS[name].spec.parameters
        assert list(arguments) == list(schema["properties"]), name
        for argument, (kind, default, *_) in arguments.items():
            field = schema["properties"][argument]
            assert kind == field["type"]
            assert (default == "required") == (argument in schema["required"])
            if "default" in field:
                assert default.strip("`") == str(field["default"]).lower(), argument


@pytest.mark.parametrize(
    "words",
    [
        f"at most {OUTPUT_CHARACTERS:,} characters",
        f"{read_file.MOST_BYTES >> 20} MiB of it are looked at",
        f"up to {edit_file.MOST_BYTES >> 20} MiB",
        f"files over {search_worker.MOST_BYTES >> 20} MiB",
        f"{list_dir.MOST_ENTRIES} entries at most",
        f"{search.SECONDS} seconds at most",
        f"the first {shell.HEAD_BYTES:,} and the last {shell.TAIL_BYTES:,} bytes",
        f"| {Limits().max_repeats} | stop reason `repeated_call`",
        f"a tool result | {Limits().max_result_chars:,} characters",
        f"a request | {Limits().max_request_chars:,} characters",
        f"| {Limits().max_retries} | notice `retry`",
        f"the last {Limits().keep_tail} messages",
        f"{LIMITS.patience:g} seconds | the failure is reported at once",
        f"{LIMITS.base / 2:g} to {LIMITS.longest:g} seconds",
        *(f"`{name}`" for name in (*environment.QUIET, *environment.SECRET_LAST_WORDS)),
        *(f"`{word}`" for word in environment.SECRET_ENDINGS if not word.endswith("S")),
    ],
)
def test_numbers_and_names(words):
    assert words in PROSE
