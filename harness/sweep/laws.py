"""The laws of one response, as data: what must hold whatever becomes of it on the way. Pure.

They are those of design's "Evaluate": nothing raises; one `usage` closes; what `feed` gave is a prefix of the full
run; `finish` adds only what was held back; no cut run is complete before the end mark. Where a law needs to know what
a frame means, `marks` says it, not the adapter.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import orjson

from agent.events import Error, Event, Reasoning, Text, ToolCall, UsageEvent, to_dict
from agent.jsonio import canonical
from harness.differences import shorten, value_differences
from harness.sweep.marks import STATUSES, hands_over
from harness.sweep.seen import Seen


@dataclass(frozen=True)
class Law:
    """`of`: the kinds of case that it is about. `check` gives what breaks it, or None."""

    name: str
    says: str
    of: frozenset[str]
    check: Callable[[Seen], str | None]


def _one_usage(seen: Seen) -> str | None:
    usages = sum(isinstance(event, UsageEvent) for event in seen.news)
    if usages == 1 and seen.closing is not None:
        return None
    return "the last event is no usage" if usages == 1 else f"{usages} usage events"


def _written(seen: Seen) -> str | None:
    for event in seen.news:
        form = to_dict(event)
        try:
            orjson.dumps(form)
        except TypeError:
            try:  # big integers are no fault
                json.dumps(form, ensure_ascii=False, allow_nan=False).encode()
            except (ValueError, RecursionError) as error:
                return f"{_show(event)} cannot be written: {error}"
    return None


def _error_last(seen: Seen) -> str | None:
    place = next((place for place, event in enumerate(seen.news) if isinstance(event, Error)), None)
    if seen.full.failed and any(isinstance(event, Error) for event in seen.full.fed[: seen.same]):
        place = -1
    after = [] if place is None else [event for event in seen.news[place + 1 :] if not isinstance(event, UsageEvent)]
    return f"{_show(after[0])} follows an error" if after else None


def _made_up_ids(seen: Seen) -> str | None:
    new = [event.id for event in seen.news if isinstance(event, ToolCall) and event.synthetic_id]
    if not new:
        return None
    before = [event.id for event in seen.full.fed[: seen.same] if isinstance(event, ToolCall) and event.synthetic_id]
    ids = before + new
    return None if len({*ids}) == len(ids) else f"{_twice(ids)} stands for two calls"


def _known(seen: Seen) -> str | None:
    expected = seen.full.stream.expected
    if expected is None:
        return None
    return _difference(expected, [to_dict(event) for event in seen.full.run.events])


def _unchanged(seen: Seen) -> str | None:
    full = seen.full.run.events
    return None if full == seen.news else _difference([*map(to_dict, full)], [*map(to_dict, seen.news)])


def _early(seen: Seen) -> str | None:
    run, wire = seen.full.run, seen.full.stream.wire
    for event, number in zip(run.fed, run.frame_of, strict=True):
        if not isinstance(event, ToolCall) or number >= len(run.frames):
            continue
        if hands_over(wire, run.frames[number], event):
            continue
        if not any(isinstance(other, Error) and at == number for other, at in zip(run.fed, run.frame_of, strict=True)):
            return f"{_show(event)} came with frame {number}, when more of it could follow"
    return None


def _prefix(seen: Seen) -> str | None:
    full = seen.full.fed
    for place, event in enumerate(seen.fed, seen.same):
        if place >= len(full):
            return f"event {place} is {_show(event)}, the full run has no more"
        if full[place] != event:
            return f"event {place} is {_show(event)}, in the full run {_show(full[place])}"
    return None


def _end_adds(seen: Seen) -> str | None:
    for event in seen.finished:
        if isinstance(event, ToolCall):
            if event.unparsed and {*event.input} != {"_raw"}:
                return f"{_show(event)} is unparsed and has more than its raw text"
            if not event.unparsed and not seen.full.has_call(event):
                return f"{_show(event)} is whole, and not a call of the full run"
        elif isinstance(event, Text | Reasoning) and event.opaque is not None and not seen.full.has_opaque(event):
            return f"{_show(event)} is not in the full run"
    if len(seen.errors) > 1:
        return f"{len(seen.errors)} errors"
    if seen.full.stream.options.think_tags:  # half a tag is text where the stream is cut inside it
        return None
    for kind in (Text, Reasoning):
        text = "".join(event.text for event in seen.news if isinstance(event, kind)).rstrip("\ufffd")
        if not seen.full.goes_on(kind, seen.same, text):
            return f"{kind.__name__.lower()} {shorten(text, 80)} does not go on so in the full run"
    return None


def _complete(seen: Seen) -> str | None:
    closing = seen.closing
    if closing is None or not closing.complete:
        return None
    if not seen.marked:
        return "complete, and the end mark has not come"
    if closing.stop_reason in ("truncated", "cancelled"):
        return f"complete, and the stop reason is {closing.stop_reason}"
    return None


def _broken_off(seen: Seen) -> str | None:
    """Without its end mark and without an error of the provider, a cut run says that it was cut."""
    closing = seen.closing
    if closing is None or closing.complete:
        return None
    errors = seen.errors
    kinds = [error.kind for error in errors]
    if seen.full.stream.framed:
        reported = len(errors) > sum(isinstance(event, Error) for event in seen.finished)
    else:  # what a plain body reports is known at its end only
        reported = kinds not in ([], ["truncated_stream"])
    if reported:
        expected = "error", kinds[:1]
    else:
        expected = ("cancelled", []) if seen.end.kind == "closed" else ("truncated", ["truncated_stream"])
    found = closing.stop_reason, kinds
    return None if found == expected else f"it ends {found[0]} with the errors {found[1]}"


def _kept(seen: Seen) -> str | None:
    """A call that has begun is there, whole or not."""
    begun = seen.full.begun_by(seen.frames)
    if not begun:
        return None
    calls = [event for event in (*seen.full.fed[: seen.same], *seen.news) if isinstance(event, ToolCall)]
    lost = begun - {call.id for call in calls} - {call.name for call in calls}
    return f"the call {min(lost)} has begun, and is not among the events" if lost else None


def _not_summed(seen: Seen) -> str | None:
    full, found = seen.full.run.finished[-1:], seen.closing
    if found is None or not full or not isinstance(full[0], UsageEvent):
        return None
    if full[0].usage == found.usage:
        return None
    return f"usage is {shorten(to_dict(found)['usage'], 200)}, with one frame {shorten(to_dict(full[0])['usage'], 200)}"


def _reported(seen: Seen) -> str | None:
    """An error of the provider is one error event, and the call is not complete."""
    errors = seen.errors
    if len(errors) != 1:
        return f"{len(errors)} error events"
    closing = seen.closing
    if closing is not None and not seen.full.failed and (closing.complete or closing.stop_reason != "error"):
        return f"it closes as {_show(closing)}"
    return None


def _http_error(seen: Seen) -> str | None:
    kind = STATUSES[seen.status]
    if len(seen.news) != 2 or not isinstance(seen.news[0], Error):
        return f"the events are {', '.join(map(_show, seen.news))}"
    error, closing = seen.news[0], seen.closing
    if (error.kind, error.status, error.retryable) != (kind, seen.status, True):
        return f"the error is {_show(error)}"
    if closing != UsageEvent(None, None, "error", None, False):
        return f"it closes as {_show(seen.news[1])}"
    return None


_ALL = frozenset({"whole", "cut", "chunks", "drop", "double", "swap", "corrupt", "fail", "status"})

LAWS = (
    Law("raises", "nothing raises", _ALL, lambda seen: seen.raised),
    Law("usage", "exactly one `usage` event closes the call", _ALL, _one_usage),
    Law("written", "every event can be written", _ALL, _written),
    Law("last", "nothing but usage follows an error", _ALL, _error_last),
    Law("ids", "ids that were made up are unique", _ALL, _made_up_ids),
    Law("known", "the whole response gives the events that were recorded", frozenset({"whole"}), _known),
    Law("early", "a call is handed over only when nothing more can come for it", frozenset({"whole"}), _early),
    Law("chunks", "re-chunking changes nothing", frozenset({"chunks"}), _unchanged),
    Law("prefix", "what comes before a cut is a prefix of the full run", frozenset({"cut"}), _prefix),
    Law("end", "the end adds only held-back text, open calls, one error, one usage", frozenset({"cut"}), _end_adds),
    Law("complete", "no cut run is complete before the end mark", frozenset({"cut"}), _complete),
    Law("truncated", "a run without its end mark says so", frozenset({"cut"}), _broken_off),
    Law("kept", "a call that has begun is not lost", frozenset({"whole", "cut"}), _kept),
    Law("summed", "a frame that comes twice changes no usage", frozenset({"double"}), _not_summed),
    Law("error", "an error of the provider is reported once, and ends the answer", frozenset({"fail"}), _reported),
    Law("status", "an HTTP error is one error of its kind", frozenset({"status"}), _http_error),
)

_BY_KIND = {kind: tuple(law for law in LAWS if kind in law.of) for kind in _ALL}


def judge(seen: Seen) -> Iterator[tuple[str, str | None]]:
    """The laws that a case is about, by name, each with what breaks it. After an exception there is but one."""
    for law in _BY_KIND[seen.kind] if seen.raised is None else LAWS[:1]:
        yield law.name, law.check(seen)


def _difference(one: Sequence[object], other: Sequence[object]) -> str | None:
    for place, (left, right) in enumerate(zip(one, other, strict=False)):
        if canonical(left) != canonical(right) and (found := value_differences(left, right)):
            return f"event {place}: {found[0].say('now')}"
    if len(one) == len(other):
        return None
    longer, what = (one, "missing") if len(one) > len(other) else (other, "too many")
    place = min(len(one), len(other))
    return f"event {place} is {what}: {shorten(longer[place], 120)}"


def _twice(ids: list[str]) -> str:
    return next(id for id in ids if ids.count(id) > 1)


def _show(event: Event) -> str:
    return shorten(to_dict(event), 120)
