"""One call of a trajectory: how it went, what it said, each tool call with its result beside it, and, folded, its
request, response headers and frames."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from harness.page.shell import escaped
from harness.page.trajectory_body import parameters, request_part, response_part
from harness.page.trajectory_frames import frames_part
from harness.page.trajectory_said import Message, Piece, news, results_sent_back
from harness.page.trajectory_sheet import Sheet, definitions, details, item, json_text, marked
from harness.page.trajectory_timing import Bar, call_bar, tool_bar
from harness.recording.contents import Call
from harness.report import phrases
from harness.report.asked import asked
from harness.report.call_facts import CallFacts, answer
from harness.report.figures import plural, tokens
from harness.report.text import shorten
from harness.report.values import any_text

_EXCERPT = 90
"""Characters of a folded text that are shown."""


class CallPart:
    """Makes the parts of calls. `calls`: all that are shown, in order. `turns`: the numbers of those that are shown,
    which say what their calls were asked."""

    def __init__(
        self, sheet: Sheet, calls: Sequence[tuple[Call, CallFacts]], turns: Collection[int | None] = ()
    ) -> None:
        self._sheet = sheet
        alone = [(call, facts) for call, facts in calls if facts.turn not in turns]
        told = news([call for call, _ in alone])
        self._news = {id(call): new for (call, _), new in zip(alone, told, strict=True)}
        pairs = [(facts, new) for (_, facts), new in zip(alone, told, strict=True)]
        self._results, self._places = results_sent_back(pairs)
        self.bars: list[Bar] = []
        """The rows of the timing, in the order in which the calls were made into parts."""

    def make(self, call: Call, facts: CallFacts) -> str:
        """The part of one call."""
        self._sheet.next_call()
        mark = self._sheet.id(f"call-{facts.call}")
        place = mark.removeprefix(f"{self._sheet.prefix}-")
        depth = 0 if facts.turn is None else 1
        self.bars.append(call_bar(mark, facts, depth))
        good = facts.ending in phrases.GOOD_ENDINGS
        lines = [
            f'<article class="tj-call{"" if good else " tj-failed"}" id="{mark}">',
            self._head(mark, facts, good),
            *self._asked(call, facts),
            *self._content(facts, place, depth + 1),
            *(tell_error(error) for error in facts.errors),
            *self._closing(facts),
            request_part(self._sheet, call, facts, place),
            response_part(self._sheet, call, place),
            frames_part(self._sheet, call, place),
            "</article>",
        ]
        return "\n".join(filter(None, lines))

    def _head(self, mark: str, facts: CallFacts, good: bool) -> str:
        model = "/".join(filter(None, (facts.provider, facts.answered_by or facts.model)))
        retry = ""
        if facts.retry_of is not None:
            there = self._sheet.link(f"call-{facts.retry_of}", f"call {facts.retry_of}")
            retry = f' <span class="tj-badge warn">retry of {there}</span>'
        tone = "good" if good else "bad"
        status, *how = phrases.response(facts) if facts.status is not None else ("no status", *phrases.response(facts))
        badge = f'<span class="tj-badge {tone}">{escaped(status)}</span>'
        return (
            f'<header>\n<h4><a class="tj-self" href="#{mark}">{escaped(f"call {facts.call}")}</a> '
            f'{badge}{retry} <span class="tj-model">{escaped(model)}</span></h4>\n'
            f'<p class="tj-how{"" if good else " bad"}">{marked(" · ".join(how))}</p>\n'
            f'<p class="tj-where">{escaped(facts.method)} {marked(facts.url)}</p>\n</header>'
        )

    def _asked(self, call: Call, facts: CallFacts) -> list[str]:
        settings = parameters(call.request.body)
        found = [f'<p class="tj-params">{marked(settings)}</p>'] if settings else []
        new = self._news.get(id(call))
        if new is None:
            return found
        about = f"{asked(call.request.body)[0]}, {plural(facts.request_bytes, 'byte')}"
        found.append(f'<p class="tj-where">asked: {marked(about)}</p>')
        if new.before:
            there = self._sheet.link(f"call-{new.of}", f"call {new.of}")
            what = plural(new.before, "message")
            told = f"{what} sent before, with {there}; then:"
            if not new.messages:
                told = f"{what}, all of it sent before, with {there}"
            found.append(f'<p class="tj-where">{told}</p>')
        number = 0
        for message in new.messages:
            for piece in message.pieces:
                found.append(self._sent(message, piece, facts.call, number))
                number += piece.kind == "result"
        return found

    def _sent(self, message: Message, piece: Piece, call: int, number: int) -> str:
        """A piece of what a request said."""
        where = (f"--call {call}", "--full")
        if piece.kind == "text":
            block = self._sheet.text(any_text(piece.value), *where)
            if message.role in ("user", "tool"):
                return item(message.role, block, "tj-input")
            return item(message.role, details(_excerpt(any_text(piece.value)), block), "tj-sent")
        if piece.kind == "result" and (call, number) in self._places:
            at, position = self._places[call, number]
            there = self._sheet.link(f"call-{at}-tool-{position}", f"the tool call of call {at}")
            return item("tool result", f'<p class="soft">shown beside {there}</p>', "tj-sent")
        if piece.kind == "result":
            return item(
                f"tool result {piece.name}".strip(), self._sheet.text(any_text(piece.value), *where), "tj-input"
            )
        name = f"tool call {piece.name}" if piece.kind == "call" else piece.name or "part"
        inside = details(_excerpt(any_text(piece.value)), self._sheet.json(piece.value, *where))
        return item(f"{message.role}: {name}", inside, "tj-sent")

    def _content(self, facts: CallFacts, place: str, depth: int) -> list[str]:
        found: list[str] = []
        where = (f"--call {facts.call}", "--full")
        position = 0
        for part, results in answer(facts):
            if part is None:
                found += [item("tool result", self._result(result, *where), "tj-tool") for result in results]
            elif part["type"] == "text":
                found.append(item("text", self._sheet.text(part["text"].strip("\n"), *where), "tj-answer"))
            elif part["type"] == "reasoning":
                thought = part["text"].strip("\n")
                found.append(
                    item("reasoning", details(_excerpt(thought), self._sheet.text(thought, *where)), "tj-thought")
                )
            elif part["type"] == "opaque":
                found.append(item("opaque", f'<p class="soft">{marked(phrases.opaque(part))}</p>', "tj-thought"))
            else:
                mark = self._sheet.id(f"{place}-tool-{position}")
                found.append(self._tool_call(facts, part, results, mark, position))
                self.bars += [tool_bar(mark, result, depth) for result in results]
                position += 1
        return found

    def _tool_call(
        self, facts: CallFacts, part: dict[str, Any], results: list[dict[str, Any]], mark: str, position: int
    ) -> str:
        where = (f"--call {facts.call}", "--full")
        broken = f' <span class="tj-badge bad">{escaped(phrases.BROKEN_ARGUMENTS)}</span>' if part["unparsed"] else ""
        head = (
            f'<a class="tj-self" href="#{mark}">tool call</a> <code class="tj-name">{marked(part["name"])}</code>'
            f'{broken} <small class="soft">{marked(part["id"])}</small>'
        )
        back = self._results.get((facts.call, position))
        shown = [self._result(result, *where) for result in results]
        if back is not None and not shown:
            there = f'<a href="#{self._sheet.place(f"call-{back.call}")}">{escaped(f"call {back.call}")}</a>'
            output = self._sheet.text(back.output, f"--call {back.call}", "--full")
            shown.append(f'<div class="tj-result"><p class="soft">result, sent back with {there}</p>{output}</div>')
        if not shown:
            shown.append('<div class="tj-result"><p class="soft">no result recorded</p></div>')
        args = self._arguments(part["input"], *where)
        return (
            f'<div class="tj-item tj-tool" id="{mark}">\n<h5>{head}</h5>\n'
            f'<div class="tj-pair"><div class="tj-args">{args}</div><div>{"".join(shown)}</div></div>\n</div>'
        )

    def _arguments(self, value: Any, *where: str) -> str:
        """Members with texts of several lines as texts, anything else as JSON."""
        if not isinstance(value, dict) or not any(isinstance(one, str) and "\n" in one for one in value.values()):
            return self._sheet.json(value, *where)
        rows = []
        for name, one in value.items():
            lines = isinstance(one, str) and "\n" in one
            block = self._sheet.text(one, *where) if lines else self._sheet.json(one, *where)
            rows.append(f"<dt>{escaped(name)}</dt><dd>{block}</dd>")
        return f'<dl class="tj-members">{"".join(rows)}</dl>'

    def _result(self, result: dict[str, Any], *where: str) -> str:
        output = result["output"]
        block = self._sheet.text(output, *where) if output else f'<p class="soft">{phrases.NO_OUTPUT}</p>'
        tone = "good" if result["ok"] else "bad"
        return f'<div class="tj-result tj-{tone}"><p class="{tone}">{marked(phrases.result(result))}</p>{block}</div>'

    def _closing(self, facts: CallFacts) -> list[str]:
        rows = []
        if facts.stop_reason is not None:
            rows += [("stopped", phrases.stopped(facts)), ("tokens", tokens(facts.usage))]
        skipped = phrases.skipped(facts)
        if skipped:
            rows.append(("skipped", skipped))
        if facts.iterations is not None:
            rows.append(("iterations", json_text(facts.iterations)))
        if facts.wire is None:
            rows.append(("format", phrases.UNKNOWN_FORMAT))
        return [definitions(rows, "tj-closing")] if rows else []


def tell_error(error: dict[str, Any]) -> str:
    """An `error` event, with its hint."""
    hint = f'<p class="tj-hint">hint: {marked(any_text(error["hint"]))}</p>' if error.get("hint") else ""
    return item("error", f'<p class="bad">{marked(phrases.error_line(error))}</p>{hint}', "tj-error")


def _excerpt(text: str) -> str:
    """The summary of a folded text, which says how long it is where that is not seen."""
    return marked(shorten(text, _EXCERPT) or plural(len(text), "character"))
