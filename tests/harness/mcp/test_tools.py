"""Recordings as tools: list, show, replay, cost; by themselves, and through the official client."""

from __future__ import annotations

import asyncio
import os
import shutil
import threading
from decimal import Decimal
from pathlib import Path

import pytest

from agent.tools.schema import check
from agent.tools.tool import ToolError
from harness.config import Config
from harness.costs.figures import sums_data
from harness.costs.priced_by import configured
from harness.costs.reading import cost_of
from harness.mcp.folders import Folders
from harness.mcp.tools import PAGE, recording_tools
from tests.harness.costs.streams import anthropic, recorded

pytestmark = pytest.mark.anyio

RECORDINGS = Path(__file__).resolve().parents[3] / "recordings"
CALLS = "openai-chat-parallel-calls.jsonl"
TEXT = "openai-chat-text.jsonl"
RETRY = "anthropic-retry.jsonl"


@pytest.fixture
def folder(tmp_path):
    for at, name in enumerate((TEXT, RETRY, CALLS)):
        shutil.copy(RECORDINGS / name, tmp_path / name)
        os.utime(tmp_path / name, (at, at))
    return tmp_path


def tools(*folders, price=None):
    found = recording_tools(Folders(folders), price or configured(Config()))
    return {tool.name: tool for tool in found}


async def use(folder, name, price=None, **arguments):
    tool = tools(folder, price=price)[name]
    reply = await tool.call(check(tool.parameters, arguments), _silent)
    if tool.output is not None and not reply.failed:
        pytest.importorskip("jsonschema").validate(reply.data, tool.output)
    return reply


async def _silent(line):
    pass


def test_all_are_described_and_read_only(tmp_path):
    found = tools(tmp_path)
    assert list(found) == ["list_recordings", "show_recording", "replay_recording", "recording_cost"]
    for tool in found.values():
        assert tool.read_only
        assert not tool.open_world
        assert len(tool.description) > 60
        assert all(field["description"] for field in tool.parameters["properties"].values())


async def test_list_tells_the_latest_first(folder):
    reply = await use(folder, "list_recordings")
    rows = reply.data["recordings"]
    assert [row["recording"] for row in rows] == [CALLS, RETRY, TEXT]
    assert reply.data["total"] == 3
    assert (rows[0]["turns"], rows[0]["calls"]) == (1, 2)
    assert rows[0]["tool_calls"] > 1
    assert rows[0]["usage"]["input_tokens"] > 0
    assert CALLS in reply.text
    assert str(folder) not in reply.text


async def test_list_comes_in_pages(folder):
    first = await use(folder, "list_recordings", limit=2)
    assert [row["recording"] for row in first.data["recordings"]] == [CALLS, RETRY]
    assert first.text.endswith(" 1 more: list with offset 2.")
    second = await use(folder, "list_recordings", limit=2, offset=2)
    assert [row["recording"] for row in second.data["recordings"]] == [TEXT]
    assert "more:" not in second.text
    third = await use(folder, "list_recordings", offset=3)
    assert (third.data, third.text) == (
        {"recordings": [], "total": 3},
        f"3 recordings in {folder}; none to list from 3 on.",
    )


async def test_list_of_a_folder_that_does_not_exist(tmp_path):
    reply = await use(tmp_path / "later", "list_recordings")
    assert reply.data == {"recordings": [], "total": 0}


async def test_an_unreadable_file_is_a_row_with_its_fault(folder):
    (folder / "bad.jsonl").write_bytes(b"\0\0")
    reply = await use(folder, "list_recordings")
    (row,) = (row for row in reply.data["recordings"] if row["recording"] == "bad.jsonl")
    assert row["fault"]


async def test_show_gives_the_account(folder):
    reply = await use(folder, "show_recording", recording=CALLS)
    assert reply.data is None
    for part in ("turn 0", "call 0", "call 1", "list_dir", "totals"):
        assert part in reply.text
    assert reply.notes == ()


async def test_show_one_call_with_its_events(folder):
    reply = await use(folder, "show_recording", recording=CALLS, call=1, events=True)
    assert "call 1" in reply.text
    assert "call 0:" not in reply.text
    assert '"type"' in reply.text or "usage" in reply.text


async def test_show_comes_in_pages(folder, monkeypatch):
    whole = (await use(folder, "show_recording", recording=CALLS, full=True)).text
    assert len(whole) < PAGE
    monkeypatch.setattr("harness.mcp.tools.PAGE", 1_000)
    pages, at = [], 0
    while True:
        reply = await use(folder, "show_recording", recording=CALLS, full=True, offset=at)
        pages.append(reply.text)
        at += 1_000
        if not reply.notes:
            break
        assert reply.notes == (
            f"Characters {at - 1_000:,} to {at:,} of {len(whole):,}; the next page has offset {at}.",
        )
    assert "".join(pages) == whole
    with pytest.raises(ToolError, match=f"there is nothing from {at} on"):
        await use(folder, "show_recording", recording=CALLS, offset=at, full=True)


@pytest.mark.parametrize(
    ("name", "arguments", "fault"),
    [
        ("show_recording", {"recording": "none.jsonl"}, "there is no recording 'none.jsonl'"),
        ("show_recording", {"recording": CALLS, "call": 9}, "there is no call 9; its calls are 0 to 1"),
        ("show_recording", {"recording": "bad.jsonl"}, "bad.jsonl"),
        ("replay_recording", {"recording": "../x.jsonl"}, "there is no recording '../x.jsonl'"),
        ("recording_cost", {"recording": "/etc/passwd"}, "there is no recording '/etc/passwd'"),
        ("recording_cost", {"recording": "bad.jsonl"}, "bad.jsonl"),
    ],
)
async def test_faults_are_told_in_one_line(folder, name, arguments, fault):
    (folder / "bad.jsonl").write_bytes(b"\0\0")
    with pytest.raises(ToolError) as raised:
        await use(folder, name, **arguments)
    assert fault in str(raised.value)
    assert "\n" not in str(raised.value)


async def test_replay_passes(folder):
    reply = await use(folder, "replay_recording", recording=CALLS)
    assert reply.text == f"pass: {CALLS} replays as it was recorded (1 turn, 2 calls)"
    assert reply.data == {
        "status": "pass",
        "verdicts": [
            {"check": "events", "status": "pass", "reason": None},
            {"check": "loop", "status": "pass", "reason": None},
        ],
        "turns": 1,
        "calls": 2,
        "warnings": [],
    }


async def test_replay_names_the_first_difference(folder):
    path = folder / TEXT
    path.write_text(path.read_text("utf-8").replace('"type":"text","text":"', '"type":"text","text":"not ', 1), "utf-8")
    reply = await use(folder, "replay_recording", recording=TEXT)
    assert not reply.failed
    assert reply.data["status"] == "fail"
    assert reply.text.startswith("fail [events] call 0")


async def test_replay_of_what_is_no_recording_fails(folder):
    (folder / "bad.jsonl").write_bytes(b"\0\0")
    reply = await use(folder, "replay_recording", recording="bad.jsonl")
    assert reply.failed
    assert reply.text.startswith("error [read] ")


async def test_cost_call_by_call(folder):
    def price(usage, provider, model, at):
        return Decimal(usage.output_tokens) / 1_000

    reply = await use(folder, "recording_cost", price=price, recording=CALLS)
    assert len(reply.data["calls"]) == 2
    assert reply.data["unpriced_calls"] == 0
    amounts = [Decimal(call["cost_usd"]) for call in reply.data["calls"]]
    assert Decimal(reply.data["cost_usd"]) == sum(amounts)
    assert reply.text.splitlines()[-1] == f"2 calls: ${sum(amounts):.6f}"


@pytest.mark.parametrize("path", sorted(RECORDINGS.glob("*.jsonl")), ids=lambda path: path.stem)
async def test_cost_is_what_harness_cost_says(path):
    """Also of calls that failed, were cut or have no price."""
    priced = configured(Config())
    sums = cost_of(path, "recording", priced, None, ())[path.as_posix()]
    data = (await use(RECORDINGS, "recording_cost", price=priced, recording=path.name)).data
    assert data["unpriced_calls"] == sums_data(sums, [])["unpriced"]["calls"]
    assert data["cost_usd"] == sums_data(sums, [])["cost_usd"]


async def test_cost_of_what_has_no_price(folder):
    reply = await use(folder, "recording_cost", price=lambda *about: None, recording=CALLS)
    assert (reply.data["cost_usd"], reply.data["unpriced_calls"]) == (None, 2)
    assert reply.text.splitlines()[-2:] == ["2 calls: unpriced", "2 calls without a known price"]


async def test_cost_where_some_calls_have_a_price(folder):
    prices = iter([Decimal("0.5"), None, None])
    reply = await use(folder, "recording_cost", price=lambda *about: next(prices), recording=CALLS)
    assert (reply.data["cost_usd"], reply.data["unpriced_calls"]) == ("0.5", 1)
    assert reply.text.splitlines()[-2] == "2 calls: $0.500000 + unpriced"


async def test_reading_does_not_hold_the_loop_and_a_cancelled_call_leaves_at_once(folder, monkeypatch):
    began, let_go = threading.Event(), threading.Event()

    def slow(path):
        began.set()
        let_go.wait(10)

    monkeypatch.setattr("harness.mcp.tools.cost_facts", slow)
    task = asyncio.ensure_future(use(folder, "recording_cost", recording=CALLS))
    while not began.is_set():
        await asyncio.sleep(0.001)
    task.cancel()
    await asyncio.wait([task], timeout=5)
    assert task.cancelled()
    let_go.set()


async def test_through_the_official_client(folder):
    pytest.importorskip("mcp", reason="the extra `mcp` is not installed")
    from mcp import Client

    from agent.front_ends.mcp import MCPServer

    server = MCPServer("test", "1", list(tools(folder).values()), instructions="")
    for mode in ("legacy", "auto"):
        async with Client(server.sdk, mode=mode) as client:
            assert len((await client.list_tools()).tools) == 4
            listed = await client.call_tool("list_recordings", {"limit": 1})
            name = listed.structured_content["recordings"][0]["recording"]
            for tool in ("show_recording", "replay_recording", "recording_cost"):
                result = await client.call_tool(tool, {"recording": name})
                assert not result.is_error
            result = await client.call_tool("show_recording", {"recording": "../" + name})
            assert result.is_error
            assert result.content[0].text.startswith("show_recording: there is no recording")


async def test_cost_tells_of_tools_that_are_billed_apart(folder):
    answer = anthropic("m", {"input_tokens": 100}, output_tokens=10, server_tool_use={"web_search_requests": 2})
    await asyncio.to_thread(recorded, folder / "search.jsonl", "anthropic", answer)
    reply = await use(folder, "recording_cost", price=lambda *about: Decimal(1), recording="search.jsonl")
    assert reply.data["calls"][0]["provider_tools"] == {"web_search": 2}
    assert reply.text.splitlines()[-1] == "Not priced: 2 web searches, which are billed beside the tokens"
