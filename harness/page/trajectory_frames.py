"""The frames of a call, byte for byte, each beside the events that were derived from it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from agent.jsonio import dumps
from harness.page.shell import escaped
from harness.page.trajectory_sheet import Sheet, details, marked
from harness.recording.contents import Call, Part
from harness.recording.records import Record
from harness.report.call_account import cuts_of, moment, said_by
from harness.report.figures import plural
from harness.report.values import any_text, difference, number

_CUTS = "byte offsets at which a network chunk ended; - with the frame, none: further on"
_HEAD = (
    f'<thead><tr><th>frame</th><th>seconds</th><th>bytes</th><th title="{_CUTS}">cuts</th><th>raw</th><th>events</th>'
    "</tr></thead>"
)


def frames_part(sheet: Sheet, call: Call, place: str) -> str:
    """The folded part with a row for each frame or chunk and one for what came of the end of the response.

    Where they do not fit, the first and the last of them: how a response ended is what is asked for most.
    """
    parts = [*(("", part) for part in call.frames), *(("body ", part) for part in call.bodies)]
    numbers = {any_text(part.i) for part in call.frames}
    events: dict[str | None, list[Record]] = {}
    for record in call.event_records:
        frame = any_text(record.get("frame"))
        events.setdefault(frame if frame in numbers else None, []).append(record)
    if not parts and not events:
        return ""
    started = number(call.started)

    def row(at: int) -> str:
        name, part = parts[at]
        return _row(sheet, name, part, [] if name else events.get(any_text(part.i), []), started)

    ends = [_end_row(sheet, events[None])] if None in events else []
    shown, left_out = _fitting(sheet, row, len(parts), sum(map(len, ends)))
    note = ""
    if left_out:
        note = (
            f'<p class="tj-cut">{plural(left_out, "row")} of {len(parts):,} left out of this page; all of them: '
            f"{sheet.command('--call', str(call.number), '--frames', '--events', '--full')}</p>"
        )
    held = [plural(len(call.frames), "frame"), *([plural(len(call.bodies), "chunk")] if call.bodies else [])]
    held += [plural(sum(len(part.raw) for _, part in parts), "byte"), plural(len(call.event_records), "event")]
    summary = f"frames and events <small>{', '.join(held)}</small>"
    table = f'<table class="tj-frames">\n{_HEAD}\n<tbody>\n' + "\n".join([*shown, *ends]) + "\n</tbody></table>"
    return details(summary, note + table, "tj-raw", id=sheet.id(f"{place}-frames"))


def _fitting(sheet: Sheet, row: Callable[[int], str], count: int, taken: int) -> tuple[list[str], int]:
    """As many of `count` rows as fit, a quarter of the room for the last ones; how many are left out. None is made that
    is not shown."""
    room = sheet.left() - taken
    head: list[str] = []
    tail: list[str] = []
    used = 0
    for at in range(count):
        made = row(at)
        if used + len(made) > room * 3 // 4:
            break
        used += len(made)
        head.append(made)
    for at in range(count - 1, len(head) - 1, -1):
        made = row(at)
        if used + len(made) > room:
            break
        used += len(made)
        tail.append(made)
    sheet.fits(used + taken)
    left_out = count - len(head) - len(tail)
    gap = [f'<tr class="tj-cut"><td colspan="6">{plural(left_out, "row")} left out</td></tr>'] if left_out else []
    return [*head, *gap, *reversed(tail)], left_out


def _row(sheet: Sheet, name: str, part: Part, events: Sequence[Record], started: float | None) -> str:
    raw, rest = sheet.clip(part.raw.decode("utf-8", "backslashreplace"))
    after = moment(difference(number(part.t), started))
    open_end = ' <span class="bad">unterminated</span>' if part.unterminated else ""
    return (
        f"<tr><td>{escaped(name + any_text(part.i))}</td><td>{after}</td><td>{len(part.raw):,}</td>"
        f"<td>{escaped(cuts_of(part))}</td><td><pre>\n{marked(_ends_shown(raw))}</pre>{rest}{open_end}</td>"
        f"<td>{_events(sheet, events)}</td></tr>"
    )


def _end_row(sheet: Sheet, events: Sequence[Record]) -> str:
    return (
        '<tr><td>-</td><td colspan="4" class="soft">from the body or the end of the response</td>'
        f"<td>{_events(sheet, events)}</td></tr>"
    )


def _ends_shown(raw: str) -> str:
    """Line ends as marks, and as line ends."""
    return raw.replace("\r", "\\r").replace("\n", "⏎\n")


def _events(sheet: Sheet, events: Sequence[Record]) -> str:
    found = []
    for record in events:
        event = record["event"]
        shown, rest = sheet.clip(dumps(said_by(event)).decode())
        found.append(
            f'<p class="tj-event"><b>{escaped(any_text(event.get("type")))}</b> <code>{marked(shown)}</code>{rest}</p>'
        )
    return "".join(found)
