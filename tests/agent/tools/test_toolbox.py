from __future__ import annotations

import asyncio

import pytest

import agent.tools
from agent.events import ToolCall
from agent.loop_types import ToolResult
from agent.tools import MODES, TOOLS, Toolbox
from agent.tools.tool import Tool

pytestmark = pytest.mark.anyio


def execute(toolbox, name, **arguments):
    return toolbox.execute(ToolCall("c", name, arguments), call=1, position=2)


def test_specs_follow_the_mode(root):
    toolbox = Toolbox(root)
    assert toolbox.mode == "PLAN"
    assert [spec.name for spec in toolbox.specs()] == list(MODES["PLAN"])
    for mode, names in MODES.items():
        assert [spec.name for spec in toolbox.specs(mode)] == list(names)
        assert [spec.name for spec in Toolbox(str(root), mode).specs()] == list(names)


@pytest.mark.parametrize(("name", "modes"), [("shell", "BUILD, SWE"), ("write_file", "FIX, BUILD, SWE")])
async def test_a_tool_refused_by_mode_names_the_modes_that_have_it(root, name, modes):
    result = await execute(Toolbox(root), name, command="true", path="x", content="x")
    assert result == ToolResult(False, f"{name} is not available in PLAN mode; modes that have it: {modes}")
    assert list(root.iterdir()) == []


async def test_an_unknown_tool_and_unparsed_arguments(root):
    toolbox = Toolbox(root)
    assert "unknown tool 'nope'; there are read_file, list_dir, search" in (await execute(toolbox, "nope")).output
    unparsed = ToolCall("c", "read_file", {"_raw": "{"}, unparsed=True)
    assert await toolbox.execute(unparsed) == ToolResult(False, "read_file: the arguments were no JSON object")


async def test_a_crash_is_an_error_result(root, monkeypatch):
    async def crash(context, arguments):
        raise RuntimeError("bad \ud800 luck")

    monkeypatch.setitem(TOOLS, "read_file", Tool(TOOLS["read_file"].spec, crash))
    result = await execute(Toolbox(root), "read_file", path="x")
    assert result == ToolResult(False, "read_file failed: RuntimeError: bad \ufffd luck")


async def test_cancellation_is_raised(root, monkeypatch):
    async def wait(context, arguments):
        await asyncio.sleep(60)

    monkeypatch.setitem(TOOLS, "read_file", Tool(TOOLS["read_file"].spec, wait))
    task = asyncio.create_task(execute(Toolbox(root), "read_file", path="x"))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_errors_name_no_path_outside(root):
    (root / "d").mkdir(mode=0o755)
    for name, arguments in (
        ("read_file", {"path": "d/x"}),
        ("list_dir", {"path": "/etc"}),
        ("search", {"pattern": "("}),
    ):
        result = await execute(Toolbox(root), name, **arguments)
        assert not result.ok
        assert str(root) not in result.output
        assert result.output.startswith(f"{name}: ")


def test_bad_modes_and_roots(root):
    with pytest.raises(ValueError, match="unknown mode 'plan'; there are PLAN, FIX, BUILD, SWE"):
        Toolbox(root, "plan")
    with pytest.raises(ValueError, match="unknown mode"):
        Toolbox(root).specs("NOPE")
    with pytest.raises(ValueError, match="is not a folder"):
        Toolbox(root / "nowhere")


def test_root_is_resolved(root):
    (root.parent / "alias").symlink_to(root)
    assert Toolbox(root.parent / "alias").root == root


def test_exported_names():
    for name in agent.tools.__all__:
        assert getattr(agent.tools, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nope'"):
        _ = agent.tools.nope
