"""What the turns of a trajectory were given: settings, system prompt, tools, history, input.

What an earlier turn was given too is a link to where it is shown, so that a page grows linearly with the session.
"""

from __future__ import annotations

from typing import Any

from agent.jsonio import dumps
from harness.page.shell import escaped
from harness.page.trajectory_said import in_common
from harness.page.trajectory_sheet import Sheet, definitions, details, item
from harness.page.trajectory_timing import Bar
from harness.recording.contents import Turn
from harness.report import phrases
from harness.report.facts import TurnFacts
from harness.report.figures import plural
from harness.report.text import shorten
from harness.report.values import items

_EXCERPT = 60
_JSON = ("--format html", "--full")


class TurnPart:
    """Makes the parts of turns, in order. `bars`: the rows of the timing, where each turn gets a heading."""

    def __init__(self, sheet: Sheet, bars: list[Bar]) -> None:
        self._sheet = sheet
        self._bars = bars
        self._shown: dict[str, tuple[Any, int]] = {}
        """What is shown whole, by its name: the latest, and the number of its turn."""
        self._history: tuple[list[Any], int] = ([], 0)
        """That of the turn before, and its number."""

    def make(self, turn: Turn, facts: TurnFacts) -> str:
        """The part of one turn."""
        sheet = self._sheet
        mark = sheet.id(f"turn-{facts.turn}")
        self._bars.append(Bar(mark, f"turn {facts.turn}: {shorten(facts.input, _EXCERPT)}", "turn"))
        rows = [("mode", facts.mode), ("model", phrases.model_of(facts))]
        if facts.history:
            rows.append(("history", f"{plural(facts.history, 'message')} before it"))
        if facts.params:
            rows.append(("params", dumps(facts.params).decode()))
        parts = [
            f'<section class="tj-turn" id="{mark}">',
            f'<h3><a class="tj-self" href="#{mark}">{escaped(f"turn {facts.turn}")}</a></h3>',
            definitions(rows, "tj-closing"),
        ]
        if facts.system:
            inside = self._as_before("system", facts.system, facts.turn) or sheet.text(facts.system, "--full")
            parts.append(_folded("system prompt", plural(len(facts.system), "character"), inside))
        if facts.tools:
            inside = self._as_before("tools", turn.tools, facts.turn) or sheet.json(turn.tools, *_JSON)
            parts.append(_folded("tools offered", shorten(", ".join(facts.tools), 200), inside))
        if facts.history:
            parts.append(_folded("history", plural(facts.history, "message"), self._told(items(turn.history))))
        self._history = (items(turn.history), facts.turn)
        parts += [item("input", sheet.text(facts.input, "--full"), "tj-input"), "</section>"]
        return "\n".join(parts)

    def _as_before(self, name: str, value: Any, turn: int) -> str:
        """The link to the turn that shows this value; empty where none does yet, and this one is to show it."""
        shown, there = self._shown.get(name, (None, turn))
        if shown == value:
            return f'<p class="soft">the same as in {self._link(there)}</p>'
        self._shown[name] = (value, turn)
        return ""

    def _told(self, history: list[Any]) -> str:
        """The messages of a history behind those that the turn before was given."""
        earlier, there = self._history
        known = in_common(earlier, history)
        if not known:
            return self._sheet.json(history, *_JSON)
        first = f'<p class="soft">first {plural(known, "message")} as in the history of {self._link(there)}</p>'
        return first + (self._sheet.json(history[known:], *_JSON) if known < len(history) else "")

    def _link(self, turn: int) -> str:
        return self._sheet.link(f"turn-{turn}", f"turn {turn}")


def _folded(label: str, about: str, inside: str) -> str:
    return details(f"{label} <small>{escaped(about)}</small>", inside, "tj-item tj-system")
