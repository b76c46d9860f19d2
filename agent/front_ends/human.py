"""The front end for people: the answer to `out` as it arrives, everything else to `err` in short lines."""

from __future__ import annotations

import re
from contextlib import aclosing
from typing import Any, TextIO

from agent.front_ends.summary import Events, Summary
from agent.jsonio import dumps
from agent.loop_types import LoopEvent
from agent.notices import describe

_VALUE_WIDTH = 60
_LINE_WIDTH = 160
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_SPACE = re.compile(r"\s+")
_DIM, _RED, _CYAN, _PLAIN = "\x1b[2m", "\x1b[31m", "\x1b[36m", "\x1b[0m"

STOPS = {
    "length": "the answer was cut off at the output limit",
    "content_filter": "the provider's filter stopped the answer",
    "refusal": "the model refused",
    "truncated": "the answer is not whole",
    "cancelled": "cancelled",
    "max_iterations": "the limit of iterations was reached",
    "repeated_call": "the model kept making the same tool call with the same result",
    "context_overflow": "the conversation is too long for the request",
}
"""Stop reasons that need a word of explanation."""


async def human(events: Events, out: TextIO, err: TextIO, *, quiet: bool = False, colour: bool = False) -> Summary:
    """Show a turn. `quiet` leaves only errors and early stops on `err`; `colour` allows ANSI colours there.

    The turn is closed when this returns or raises. `BrokenPipeError` where the reader of `out` has gone.
    """
    view = _View(out, err, quiet, colour)
    summary = Summary()
    async with aclosing(events):
        try:
            async for event in events:
                summary.see(event)
                view.show(event)
        finally:
            view.close()
    return summary


class _View:
    def __init__(self, out: TextIO, err: TextIO, quiet: bool, colour: bool) -> None:
        self._out = out
        self._err = err
        self._quiet = quiet
        self._colour = colour
        self._open_line = False
        self._thought = ""
        self._thought_length = 0

    def show(self, event: LoopEvent) -> None:
        data = event.data
        if event.event == "text":
            self._end_thought()
            self._out.write(data["delta"])
            self._out.flush()
            self._open_line = not data["delta"].endswith("\n")
            return
        if event.event == "reasoning":
            self._thought_length += len(data["delta"])
            if len(self._thought) < 2 * _LINE_WIDTH:
                self._thought += data["delta"]
            return
        self.close()
        if event.event == "error":
            self._line(f"error: {data['message']}", _RED, always=True)
            if data.get("hint"):
                self._line(f"-> {data['hint']}", "", always=True)
        elif event.event == "tool_call":
            self._line(_short(f"-> {data['name']} {_arguments(data['input'])}", _LINE_WIDTH), _CYAN)
        elif event.event == "tool_result":
            self._line(_result(data), "" if data["ok"] else _RED)
        elif event.event == "notice":
            self._line(describe(data), _DIM)
        elif event.event == "finish" and data["stop_reason"] in STOPS:
            self._line(f"stopped ({data['stop_reason']}): {STOPS[data['stop_reason']]}", _RED, always=True)

    def close(self) -> None:
        """End what is open: a line of the answer on `out`, or a thought."""
        self._end_text()
        self._end_thought()

    def _end_text(self) -> None:
        if self._open_line:
            self._open_line = False
            self._out.write("\n")
            self._out.flush()

    def _end_thought(self) -> None:
        if not self._thought_length:
            return
        length, text = self._thought_length, self._thought
        self._thought, self._thought_length = "", 0
        if not self._quiet:
            self._end_text()
            self._line(f"thinking ({length:,} characters): {_short(text, _LINE_WIDTH - 40)}", _DIM)

    def _line(self, text: str, style: str, *, always: bool = False) -> None:
        if self._quiet and not always:
            return
        text = _CONTROL.sub(" ", text)
        self._err.write(f"{style}{text}{_PLAIN}\n" if self._colour and style else f"{text}\n")
        self._err.flush()


def _short(text: str, width: int) -> str:
    """The text in one line of at most `width` characters."""
    line = _SPACE.sub(" ", text[: 4 * width]).strip()
    return line if len(line) <= width and len(text) <= 4 * width else line[: width - 3] + "..."


def _arguments(values: dict[str, Any]) -> str:
    shown = []
    for key, value in values.items():
        text = value if isinstance(value, str) else dumps(value).decode()
        shown.append(f"{key}={_short(text, _VALUE_WIDTH)}")
    return " ".join(shown)


def _result(data: dict[str, Any]) -> str:
    output = data["output"]
    first = _short(output, _VALUE_WIDTH)
    if not data["ok"]:
        return f"<- failed: {_short(output, _LINE_WIDTH)}"
    return f"<- {len(output):,} characters: {first}" if first else "<- nothing"
