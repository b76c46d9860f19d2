"""The account of one call: how it went, what its events add up to, and, where asked for, every frame and event."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agent.jsonio import dumps
from harness.recording.contents import Call, Part
from harness.report import phrases
from harness.report.asked import asked
from harness.report.call_facts import CallFacts, answer
from harness.report.figures import known, plural, tokens
from harness.report.page import CYAN, DIM, RED, Page
from harness.report.text import shorten
from harness.report.values import any_text, difference, items, number

_REASONING = 300
_ARGUMENTS = 300
_OUTPUT = 240
_LAST = 400


class CallAccount:
    """Writes calls on a page."""

    def __init__(self, page: Page, facts: Mapping[int, CallFacts], *, frames: bool, events: bool) -> None:
        self._page = page
        self._facts = facts
        self._frames = frames
        self._events = events

    def tell(self, call: Call, *, explained: bool) -> None:
        """`explained`: the account of the turn says what was asked, so the request need not."""
        page, facts = self._page, self._facts[call.number]
        retry = f" (retry of call {facts.retry_of})" if facts.retry_of is not None else ""
        page.line(f"call {facts.call}{retry}: {facts.method} {facts.url}", indent=2)
        if not explained:
            about, last = asked(call.request.body)
            page.field("request", f"{about}, {plural(facts.request_bytes, 'byte')}", indent=4)
            if last is not None:
                page.field("last input", last if page.style.full else shorten(last, _LAST), indent=4)
        self._response(facts)
        self._content(facts)
        for error in facts.errors:
            tell_error(page, error, indent=4)
        if facts.stop_reason is not None:
            page.field("stopped", phrases.stopped(facts), indent=4, style=DIM)
            page.field("tokens", tokens(facts.usage), indent=4, style=DIM)
        skipped = phrases.skipped(facts)
        if skipped:
            page.field("skipped", skipped, indent=4, style=DIM)
        if self._frames:
            self._list_frames(call)
        if self._events:
            self._list_events(call)

    def _response(self, facts: CallFacts) -> None:
        style = "" if facts.ending in phrases.GOOD_ENDINGS else RED
        self._page.field("response", " · ".join(phrases.response(facts)), indent=4, style=style)
        if facts.wire is None:
            self._page.field("format", f"{phrases.UNKNOWN_FORMAT}; --frames shows the bytes", indent=4, style=DIM)

    def _content(self, facts: CallFacts) -> None:
        page, full = self._page, self._page.style.full
        for part, results in answer(facts):
            if part is None:
                pass
            elif part["type"] == "text":
                page.field("text", part["text"].strip("\n"), indent=4)
            elif part["type"] == "reasoning":
                thought = part["text"].strip("\n")
                page.field("reasoning", thought if full else shorten(thought, _REASONING), indent=4, style=DIM)
            elif part["type"] == "opaque":
                page.field("opaque", phrases.opaque(part), indent=4, style=DIM)
            else:
                self._tool_call(part)
            for result in results:
                self._result(result)

    def _tool_call(self, part: dict[str, Any]) -> None:
        values = any_text(part["input"])
        shown = values if self._page.style.full else shorten(values, _ARGUMENTS)
        broken = f" {phrases.BROKEN_ARGUMENTS}" if part["unparsed"] else ""
        self._page.field("tool call", f"{part['name']} {shown}{broken}", indent=4, style=CYAN)

    def _result(self, result: dict[str, Any]) -> None:
        output = result["output"]
        shown = output if self._page.style.full else shorten(output, _OUTPUT)
        how = f"{phrases.result(result)}: {shown or phrases.NO_OUTPUT}"
        self._page.field("result", how, indent=4, style="" if result["ok"] else RED)

    def _list_frames(self, call: Call) -> None:
        page = self._page
        page.line("frames (seconds after the request; cuts: byte offsets where a network chunk ended,", indent=4)
        page.line("        - = with the frame, none = further on)", indent=4)
        page.row(f"{'frame':>6} {'seconds':>9} {'bytes':>8}  {'cuts':<8}", "raw", indent=4)
        for parts, name in ((call.frames, ""), (call.bodies, "body ")):
            for part in parts:
                page.row(
                    _frame_head(part, name, number(call.started)),
                    part.raw.decode("utf-8", "backslashreplace"),
                    indent=4,
                )

    def _list_events(self, call: Call) -> None:
        page = self._page
        page.line("events (frame - = from the end of the response)", indent=4)
        page.row(f"{'frame':>6} {'seconds':>9}  {'type':<9}", "event", indent=4)
        for record in call.event_records:
            event = record["event"]
            shown = dumps(said_by(event)).decode()
            frame = record.get("frame")
            after = difference(number(record.get("t")), number(call.started))
            number_of = "-" if frame is None else any_text(frame)
            head = f"{number_of:>6} {moment(after):>9}  {any_text(event.get('type')):<9}"
            page.row(head, shown, indent=4)


def tell_error(page: Page, error: dict[str, Any], *, indent: int) -> None:
    """An `error` event, with its hint."""
    page.field("error", phrases.error_line(error), indent=indent, style=RED)
    if error.get("hint"):
        page.field("hint", any_text(error["hint"]), indent=indent)


def _frame_head(part: Part, name: str, started: float | None) -> str:
    after = difference(number(part.t), started)
    return f"{name + any_text(part.i):>6} {moment(after):>9} {known(len(part.raw)):>8}  {cuts_of(part):<8}"


def cuts_of(part: Part) -> str:
    """Where network chunks ended in a frame: byte offsets; `-`: one did, with the frame; `none`: further on."""
    return "-" if part.cuts is None else ",".join(map(str, items(part.cuts))) or "none"


def said_by(event: dict[str, Any]) -> Any:
    """What an event says beside its type: its text where that is all."""
    rest = {name: value for name, value in event.items() if name != "type"}
    return event["text"] if list(rest) == ["text"] else rest


def moment(after: float | None) -> str:
    """Seconds in a listing."""
    return "?" if after is None else f"{after:.3f}"
