"""Recordings as tools of an MCP server: list, show, replay, cost."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from agent.front_ends.mcp_tool import Reply, Report, Tool
from agent.loop_types import Price
from agent.tools.tool import ToolError, properties
from harness.costs.calls import call_costs, tools_of, total
from harness.costs.figures import not_priced
from harness.costs.reading import cost_facts
from harness.errors import HarnessError
from harness.mcp.folders import Folders
from harness.recording.opening import Recording
from harness.recording.opening import open as open_recording
from harness.replaying.replayer import replay_recording
from harness.report.account import account
from harness.report.figures import cost, plural, tokens
from harness.report.listing import listing
from harness.report.page import Style
from harness.report.scan import scan

PAGE = 20_000
"""Characters of an account that one reply shows."""

_MOST = 200
_RECORDING = {"type": "string", "description": "Its name, as list_recordings gives it.", "minLength": 1}
_TEXT = {"type": ["string", "null"]}
_COUNT = {"type": "integer"}
_MAYBE = {"type": ["integer", "null"]}


def recording_tools(folders: Folders, price: Price) -> list[Tool]:
    """The tools over the recordings in `folders`. They read, and reach nothing but these files."""
    tools = _Tools(folders, price)
    return [
        Tool(
            "list_recordings",
            "List recordings",
            "List recorded agent sessions, the latest first: when, which model, how many turns, calls, tokens and "
            "dollars, and how each ended. The other tools take the names it gives.",
            properties(
                limit={**_COUNT, "description": "How many to list.", "minimum": 1, "maximum": _MOST, "default": 20},
                offset={**_COUNT, "description": "How many of the latest to pass over.", "minimum": 0, "default": 0},
            ),
            _LIST,
            _in_thread(tools.list),
        ),
        Tool(
            "show_recording",
            "Show a recording",
            "Tell what a recorded session holds: its input, each call with its answer, tool calls and results, errors, "
            f"endings, times and tokens. A long account comes in pages of {PAGE:,} characters.",
            properties(
                ("recording",),
                recording=_RECORDING,
                call={**_COUNT, "description": "Only the call of this number.", "minimum": 0},
                events={"type": "boolean", "description": "With every normalized event.", "default": False},
                full={"type": "boolean", "description": "Shorten nothing.", "default": False},
                offset={**_COUNT, "description": "Where the page begins.", "minimum": 0, "default": 0},
            ),
            None,
            _in_thread(tools.show),
        ),
        Tool(
            "replay_recording",
            "Replay a recording",
            "Replay a recorded session offline, without network, key or cost: its events are derived anew from the "
            "recorded bytes, and the agent loop runs again over them with the recorded tool results. Tells whether all "
            "comes out as recorded, or the first difference.",
            properties(("recording",), recording=_RECORDING),
            _REPLAY,
            _in_thread(tools.replay),
        ),
        Tool(
            "recording_cost",
            "Cost of a recording",
            "Tell what a recorded session cost, call by call: tokens, and dollars at the prices of its day. A call "
            "whose model has no known price is unpriced, never 0.",
            properties(("recording",), recording=_RECORDING),
            _COST,
            _in_thread(tools.cost),
        ),
    ]


def _in_thread(work: Callable[[dict[str, Any]], Reply]) -> Callable[[dict[str, Any], Report], Awaitable[Reply]]:
    """`work` as a tool's call: on a thread, because reading blocks; it does not hold a server that ends."""

    async def call(arguments: dict[str, Any], report: Report) -> Reply:
        loop = asyncio.get_running_loop()
        done: asyncio.Future[Reply] = loop.create_future()

        def settle(reply: Reply | None, error: BaseException | None) -> None:
            if done.done():  # cancelled meanwhile
                return
            if error is not None:
                done.set_exception(error)
            elif reply is not None:
                done.set_result(reply)

        def run() -> None:
            reply: Reply | None = None
            failure: BaseException | None = None
            try:
                reply = work(arguments)
            except HarnessError as error:
                failure = ToolError(str(error))
            except BaseException as error:
                failure = error
            with contextlib.suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(settle, reply, failure)

        threading.Thread(target=run, daemon=True).start()
        return await done

    return call


class _Tools:
    def __init__(self, folders: Folders, price: Price) -> None:
        self._folders = folders
        self._price = price

    def list(self, arguments: dict[str, Any]) -> Reply:
        files = self._folders.newest_first()
        start, end = arguments["offset"], arguments["offset"] + arguments["limit"]
        rows = [scan(file) for file in files[start:end]]
        for row in rows:
            row.path = self._folders.name(Path(row.path))
        data = {"recordings": [_renamed(row.to_dict()) for row in rows], "total": len(files)}
        if not rows:
            where = ", ".join(map(str, self._folders.folders))
            return Reply(f"{plural(len(files), 'recording')} in {where}; none to list from {start} on.", data)
        left = f" {len(files) - end:,} more: list with offset {end}." if end < len(files) else ""
        return Reply("\n".join(listing(rows)) + left, data)

    def show(self, arguments: dict[str, Any]) -> Reply:
        recording, name = self._open(arguments)
        only = arguments["call"]
        numbers = [call.number for call in recording.calls]
        if only is not None and only not in numbers:
            held = f"its calls are {min(numbers)} to {max(numbers)}" if numbers else "it has no calls"
            raise ToolError(f"{name}: there is no call {only}; {held}")
        style = Style(full=arguments["full"])
        text = "\n".join(account(recording, style, events=arguments["events"], only=only))
        start, end = arguments["offset"], arguments["offset"] + PAGE
        if start >= len(text):
            raise ToolError(f"the account has {len(text):,} characters: there is nothing from {start} on")
        note = f"Characters {start:,} to {end:,} of {len(text):,}; the next page has offset {end}."
        return Reply(text[start:end], None, (note,) if end < len(text) else ())

    def replay(self, arguments: dict[str, Any]) -> Reply:
        name = arguments["recording"]
        replayed = replay_recording(self._folders.find(name))
        verdicts = [{"check": v.check, "status": v.status, "reason": v.reason} for v in replayed.verdicts]
        faults = [f"{v.status} [{v.check}] {v.reason}" for v in replayed.verdicts if v.status != "pass"]
        size = f"{plural(replayed.turns, 'turn')}, {plural(replayed.calls, 'call')}"
        said = faults or [f"pass: {name} replays as it was recorded ({size})"]
        return Reply(
            "\n".join([*said, *(f"warning: {warning}" for warning in replayed.warnings)]),
            {
                "status": replayed.status,
                "verdicts": verdicts,
                "turns": replayed.turns,
                "calls": replayed.calls,
                "warnings": replayed.warnings,
            },
            failed=replayed.status == "error",
        )

    def cost(self, arguments: dict[str, Any]) -> Reply:
        costs = call_costs(cost_facts(self._folders.find(arguments["recording"])), self._price)
        usd, unpriced = total(costs)
        lines = [
            f"call {found.call}: {found.provider or '?'}/{found.model or '?'}, {tokens(found.usage)}: {cost(found.usd)}"
            for found in costs
        ]
        known = None if unpriced == len(costs) and costs else usd
        lines.append(f"{plural(len(costs), 'call')}: {cost(known, unpriced=unpriced > 0 and known is not None)}")
        if unpriced:
            lines.append(f"{plural(unpriced, 'call')} without a known price")
        if tools := tools_of(costs):
            lines.append(not_priced(tools))
        return Reply(
            "\n".join(lines),
            {
                "calls": [found.to_dict() for found in costs],
                "cost_usd": None if known is None else f"{known:f}",
                "unpriced_calls": unpriced,
            },
        )

    def _open(self, arguments: dict[str, Any]) -> tuple[Recording, str]:
        name = arguments["recording"]
        return open_recording(self._folders.find(name)), name


def _renamed(row: dict[str, Any]) -> dict[str, Any]:
    return {"recording": row.pop("path"), **row}


def _objects(description: str, **fields: dict[str, Any]) -> dict[str, Any]:
    """The schema of a list of objects that have at least these fields."""
    items = {"type": "object", "properties": fields, "required": list(fields)}
    return {"type": "array", "description": description, "items": items}


def _schema(**fields: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": fields, "required": list(fields)}


_LIST = _schema(
    recordings=_objects(
        "The latest first; `fault` says why one cannot be read, the rest is null then.",
        recording={"type": "string"},
        started_at=_TEXT,
        models={"type": ["array", "null"], "items": {"type": "string"}},
        turns=_MAYBE,
        calls=_MAYBE,
        tool_calls=_MAYBE,
        errors=_MAYBE,
        usage={"type": ["object", "null"], "description": "Tokens; null is unknown."},
        cost_usd=_TEXT,
        unpriced_turns=_MAYBE,
        ending=_TEXT,
        fault=_TEXT,
    ),
    total={**_COUNT, "description": "All recordings that there are."},
)
_REPLAY = _schema(
    status={"type": "string", "enum": ["pass", "fail", "error"]},
    verdicts=_objects("One a check.", check={"type": "string"}, status={"type": "string"}, reason=_TEXT),
    turns=_COUNT,
    calls=_COUNT,
    warnings={"type": "array", "items": {"type": "string"}},
)
_COST = _schema(
    calls=_objects(
        "In order; `usage` null is not reported, `cost_usd` null is unpriced; `provider_tools` are billed apart.",
        call=_COUNT,
        turn=_MAYBE,
        provider=_TEXT,
        model=_TEXT,
        usage={"type": ["object", "null"]},
        cost_usd=_TEXT,
        provider_tools={"type": "object"},
    ),
    cost_usd={**_TEXT, "description": "Dollars of the calls that have a price, a decimal string."},
    unpriced_calls=_COUNT,
)
