"""The trajectory viewer: one recording as a fragment of HTML, turn by turn, down to its frames."""

from __future__ import annotations

from typing import Any

from harness.page.trajectory_call import CallPart, tell_error
from harness.page.trajectory_sheet import Limits, Sheet, definitions, item, marked
from harness.page.trajectory_timing import Bar, timing
from harness.page.trajectory_turn import TurnPart
from harness.recording.contents import Call, Turn
from harness.recording.opening import Recording
from harness.recording.records import Record
from harness.report import phrases
from harness.report.account import is_told, steps
from harness.report.call_facts import CallFacts, models_of
from harness.report.facts import RecordingFacts, TurnFacts, recording_facts
from harness.report.figures import cost, plural, seconds, tokens
from harness.report.values import dollars, mapping

_FEW = 8
"""Warnings that are unfolded at first: a damaged file may have thousands."""

_TOOLS = """<div class="tj-tools" role="search" hidden>
<input type="search" placeholder="filter (press /)" aria-label="Filter">
<output class="tj-found soft"></output>
<button type="button" data-do="open">expand all</button>
<button type="button" data-do="close">collapse all</button>
<button type="button" data-do="keys" title="keys">?</button>
<p class="tj-keys soft" hidden>/ filter · j next · k previous · o open or close it · e expand all · c collapse all ·
Esc clear the filter</p>
</div>"""


def trajectory(
    recording: Recording, prefix: str = "t", *, limits: Limits | None = None, only: int | None = None
) -> str:
    """The recording as an HTML fragment: a `<section>` whose id is `prefix`, and in which all ids begin with it.

    `prefix`: letters, digits and `-`, another one for each trajectory of a page. The parts have the ids
    `PREFIX-turn-0`, `PREFIX-call-0`, `PREFIX-call-0-tool-1` (position in the answer, from 0), so that links can lead to
    them. `limits`: how much it takes (`Limits().among(3)` for each of three on a page). `only`: the number of the one
    call to show.

    The page has to bring `viewer.css` and `viewer.js` in (`page(..., parts=("viewer",))`); without the script all of it
    can still be read. It holds no `style` and no handlers, loads nothing, and shows all recorded text as text. Headings
    begin at `h3`: the caller writes what stands above it.
    """
    facts = recording_facts(recording)
    calls = [*zip(recording.calls, facts.calls, strict=True)]
    if only is not None:
        calls = [pair for pair in calls if pair[0].number == only]
    sheet = Sheet(facts.path, prefix, limits or Limits(), len(calls))
    maker = CallPart(sheet, calls, {turn.turn for turn in facts.turns} if only is None else ())
    main = _main(sheet, recording, facts, maker, {id(call): known for call, known in calls}, only)
    if facts.is_import:
        rows = '<p class="soft">Made of another tool\'s file, which tells no times.</p>\n' + timing(
            _untimed(maker.bars)
        )
    else:
        rows = timing(maker.bars, facts.duration)
    return "\n".join(
        [
            f'<section class="tj" id="{prefix}">',
            _header(facts, whole=only is None),
            *_faults(facts),
            _TOOLS,
            f'<div class="tj-columns">\n<div class="tj-side">\n{rows}\n</div>\n<div class="tj-main">',
            *main,
            "</div>\n</div>\n</section>",
        ]
    )


def _untimed(bars: list[Bar]) -> list[Bar]:
    return [Bar(bar.href, bar.label, bar.kind, bar.depth) for bar in bars]


def _main(
    sheet: Sheet,
    recording: Recording,
    facts: RecordingFacts,
    maker: CallPart,
    calls: dict[int, CallFacts],
    only: int | None,
) -> list[str]:
    turns = dict(zip(map(id, recording.turns), facts.turns, strict=True))
    by_number = {turn.turn: turn for turn in facts.turns}
    turn_maker = TurnPart(sheet, maker.bars)
    found: list[str] = []
    for step in steps(recording, only):
        if isinstance(step, Call):
            found.append(maker.make(step, calls[id(step)]))
        elif isinstance(step, Turn):
            found.append(turn_maker.make(step, turns[id(step)]))
        else:
            found.append(_loop(facts, by_number[step[0]], step[1]))
    return [part for part in found if part]


def _header(facts: RecordingFacts, *, whole: bool) -> str:
    """What the recording is, with the figures of the whole of it where that is shown."""
    totals = facts.totals
    tiles = [
        ("ending", phrases.ending(facts), "good" if facts.status == "ok" else "bad"),
        ("work", phrases.work(totals), ""),
        ("tokens", tokens(totals.usage), ""),
        ("cost, as recorded", cost(dollars(totals.cost_usd), unpriced=totals.unpriced_turns > 0), ""),
        ("time", seconds(facts.duration), ""),
    ]
    models = ", ".join(models_of(facts.calls))
    rows = [
        ("recorded", phrases.recorded(facts)),
        ("source", facts.source or "?"),
        *([("models", models)] if models else []),
        *([("task", facts.task)] if facts.task is not None else []),
        *([("tags", ", ".join(facts.tags))] if facts.tags else []),
        *([("resumed", plural(facts.resumed, "time"))] if facts.resumed else []),
        *([("tools", phrases.tools_used(totals))] if totals.tool_calls else []),
        ("file", facts.path),
        ("id", facts.id or "?"),
    ]
    shown = "".join(f'<div><dt>{key}</dt><dd class="{tone}">{marked(value)}</dd></div>' for key, value, tone in tiles)
    figures = f'<dl class="tj-tiles">{shown}</dl>\n' if whole else ""
    return figures + definitions(rows, "tj-about")


def _faults(facts: RecordingFacts) -> list[str]:
    if not facts.warnings:
        return []
    lines = "".join(f"<li>{marked(warning)}</li>" for warning in facts.warnings)
    opened = " open" if len(facts.warnings) <= _FEW else ""
    summary = plural(len(facts.warnings), "warning")
    return [f'<details class="tj-faults"{opened}><summary>{summary}</summary><ul>{lines}</ul></details>']


def _loop(facts: RecordingFacts, turn: TurnFacts, record: Record) -> str:
    event, data = record.get("event"), mapping(record.get("data"))
    if event == "notice":
        return item("notice", f"<p>{marked(phrases.notice(data))}</p>", "tj-notice")
    if event == "error" and not is_told(facts, turn.turn, data):
        return tell_error(data)
    if event == "cancelled":
        return item("cancelled", f'<p class="bad">{marked(phrases.cancelled(data))}</p>', "tj-error")
    if event != "finish":
        return ""
    return item("finish", _finish(turn), "tj-finish")


def _finish(turn: TurnFacts) -> str:
    rows: list[tuple[str, Any]] = [
        ("stopped", phrases.finish(turn)),
        ("tokens", tokens(turn.usage)),
        ("cost", cost(dollars(turn.cost_usd))),
    ]
    return definitions(rows, "tj-closing")
