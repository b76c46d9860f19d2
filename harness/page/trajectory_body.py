"""The request of a call as it was sent: its headers, and its body member by member.

What earlier requests sent already is not repeated, as in the recording: it is a link to where it stands, which
`viewer.js` replaces by what it leads to. So a page grows linearly with the session.
"""

from __future__ import annotations

from typing import Any

from harness.page.shell import escaped
from harness.page.trajectory_said import SYSTEMS
from harness.page.trajectory_sheet import Sheet, details, headers_table, json_text, marked
from harness.recording.contents import Call
from harness.report.asked import text_of
from harness.report.call_facts import CallFacts
from harness.report.figures import plural
from harness.report.text import shorten
from harness.report.values import any_text, items, mapping, text

_SHORT = 160
_LABEL = 100


def request_part(sheet: Sheet, call: Call, facts: CallFacts, place: str) -> str:
    """The folded part on the request. `place`: the name of the call's place."""
    kept = "as JSON" if not isinstance(call.request.body, bytes) else "as bytes"
    body = _body(sheet, call, place)
    summary = f"request <small>{plural(facts.request_bytes, 'byte')} {kept}</small>"
    inside = f"<h6>headers</h6>\n{headers_table(call.request.headers)}\n<h6>body</h6>\n{body}"
    return details(summary, inside, "tj-raw", id=sheet.id(f"{place}-request"))


def response_part(sheet: Sheet, call: Call, place: str) -> str:
    """The folded part on the head of the response; empty where none came."""
    if call.response is None:
        return ""
    undone = f"content coding undone before recording: {any_text(call.response.encoding)}"
    note = "" if call.response.encoding is None else f'<p class="soft">{escaped(undone)}</p>'
    summary = f"response headers <small>{len(call.response.headers):,}</small>"
    body = f"{headers_table(call.response.headers)}{note}"
    return details(summary, body, "tj-raw", id=sheet.id(f"{place}-response"))


def parameters(body: Any) -> str:
    """The settings in the body of a request: members that are numbers, flags or short words, one level deep."""
    found = []
    for name, value in mapping(body).items():
        inside = value.items() if isinstance(value, dict) and name not in ("response_format", "text") else ()
        for key, one in ((name, value), *((f"{name}.{inner}", deep) for inner, deep in inside)):
            if (
                key not in ("model", "input", *SYSTEMS)
                and isinstance(one, bool | int | float | str)
                and len(str(one)) <= 40
            ):
                found.append(f"{key} {any_text(one)}")
    return " · ".join(found)


def _body(sheet: Sheet, call: Call, place: str) -> str:
    body = call.request.body
    if isinstance(body, bytes):
        if not body:
            return '<p class="soft">no body</p>'
        return _room(sheet, len(body)) or sheet.text(
            body.decode("utf-8", "backslashreplace"), "--format html", "--full"
        )
    if body is None:
        return '<p class="bad">it could not be put together; the warnings say why</p>'
    if not isinstance(body, dict):
        return _value(sheet, json_text(body))
    same = mapping(call.request.record.get("same"))
    members = [_member(sheet, place, name, value, same) for name, value in body.items()]
    return '<div class="tj-body">\n' + "\n".join(members) + "\n</div>"


def _member(sheet: Sheet, place: str, name: str, value: Any, same: dict[str, Any]) -> str:
    key = f'<code class="tj-key" data-json>{escaped(json_text(name))}</code>'
    source = same.get(name)
    if isinstance(source, int):
        there = sheet.link(f"call-{source}-body-{name}", f"call {source}")
        origin = sheet.place(f"call-{source}-body-{name}")
        inside = f'<p class="tj-ref" data-from="{origin}">{key} the same as in {there}</p>'
        return f'<div class="tj-member" id="{sheet.id(f"{place}-body-{name}")}">{inside}</div>'
    mark = sheet.id(f"{place}-body-{name}")
    if isinstance(value, list) and value:
        runs = items(source) if source is not None else [{"new": value}]
        parts, start = [], 0
        for run in runs:
            part, start = _run(sheet, run, name, start)
            parts.append(part)
        count = f"<small>{plural(len(value), 'item')}</small>"
        return (
            f'<div class="tj-member" id="{mark}" data-size="{len(value)}">{key} {count}\n<div class="tj-list">\n'
            + "\n".join(parts)
            + "\n</div></div>"
        )
    shown = json_text(value)
    if len(shown) <= _SHORT and "\n" not in shown and sheet.fits(len(shown)):
        return f'<div class="tj-member" id="{mark}">{key} <code data-json>{marked(shown)}</code></div>'
    return f'<div class="tj-member" id="{mark}">{details(key, _value(sheet, shown))}</div>'


def _run(sheet: Sheet, run: Any, name: str, start: int) -> tuple[str, int]:
    """A run of items of a list, and the number of the item after it."""
    if isinstance(run, dict):
        new = items(run.get("new"))
        return "\n".join(_item(sheet, item, start + at) for at, item in enumerate(new)), start + len(new)
    source, first, stop = run
    end = start + stop - first
    there = sheet.link(f"call-{source}-body-{name}", f"call {source}")
    which = f"items {start} to {end - 1}" if end - start > 1 else f"item {start}"
    origin = sheet.place(f"call-{source}-body-{name}")
    data = f'data-from="{origin}" data-first="{first}" data-stop="{stop}"'
    return f'<p class="tj-ref" {data}>{which}: sent before, in {there}</p>', end


def _item(sheet: Sheet, item: Any, number: int) -> str:
    label = _label(item)
    return details(f"<b>{number}</b> {escaped(label)}", _value(sheet, json_text(item)), "tj-one")


def _label(item: Any) -> str:
    """What an item of a list is, in a line: its role or type, its name, and the beginning of its text."""
    message = mapping(item)
    inside = mapping(message.get("function")) or message
    words = [text(message.get("role")) or text(message.get("type")) or "", text(inside.get("name")) or ""]
    about = text_of(item) or text(inside.get("description")) or any_text(item)
    return f"{' '.join(filter(None, words))} {shorten(about, _LABEL)}".strip()


def _value(sheet: Sheet, shown: str) -> str:
    """A value, given as `json_text` gives it, as far as there is room."""
    return _room(sheet, len(shown)) or sheet.json_block(shown, "--format html", "--full")


def _room(sheet: Sheet, size: int) -> str:
    """Takes the room for so many bytes; what is said where there is not enough of it."""
    if sheet.fits(size):
        return ""
    command = sheet.command("--format html", "--full")
    return f'<p class="tj-cut">{size:,} bytes left out of this page; with them: {command}</p>'
