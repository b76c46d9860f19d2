"""docs/mcp.md says what the server offers, and its configuration is one that the command takes."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from agent.front_ends.mcp_tool import agent_tool
from harness.cli.mcp import command
from harness.mcp.folders import Folders
from harness.mcp.tools import PAGE as PAGE_SIZE
from harness.mcp.tools import recording_tools

PAGE = (Path(__file__).resolve().parents[1] / "docs/mcp.md").read_text("utf-8")


def section(title):
    return re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S)[1]


def rows(title):
    table = [line for line in section(title).splitlines() if line.startswith("|")][2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table]


def test_the_table_of_tools_is_that_of_the_server(tmp_path):
    tools = [
        agent_tool(lambda prompt: None, "", read_only=True),
        *recording_tools(Folders([tmp_path]), lambda *about: None),
    ]
    told = {name.strip("`"): re.findall(r"`([^`]+)`", arguments) for name, arguments, _ in rows("Tools")}
    assert told == {tool.name: list(tool.parameters["properties"]) for tool in tools}
    assert f"pages of {PAGE_SIZE:,} characters" in PAGE


def test_the_table_of_options_is_that_of_the_command():
    told = [re.findall(r"`([^`]+)`", names) for names, _ in rows("Options")]
    assert told == [list(option.opts) for option in command.params]


def configurations():
    return [json.loads(block) for block in re.findall(r"```json\n(.*?)```", PAGE, re.S)]


def test_the_configurations_are_valid(tmp_path):
    stdio, http = (found["mcpServers"]["harness"] for found in configurations())
    assert stdio["command"] == "harness"
    name, *args = stdio["args"]
    args[args.index("--workspace") + 1] = str(tmp_path)
    assert name == "mcp"
    options = command.make_context("mcp", args).params
    assert options["model"] == "anthropic/claude-haiku-4-5"
    assert options["transport"] == "stdio"
    assert http["url"] == "http://127.0.0.1:8765/mcp"


@pytest.mark.parametrize("line", re.findall(r"^harness mcp .*$", PAGE, re.M))
def test_the_commands_are_valid(line, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "app").mkdir()
    options = command.make_context("mcp", shlex.split(line)[2:]).params
    assert (options["transport"], options["port"]) == ("http", 8765)
