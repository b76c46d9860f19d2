"""A counter-example as a raw fixture, which the next sweep and the tests of the adapters read."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from agent.events import EOF, to_dict
from harness.errors import HarnessError
from harness.sweep.cases import Whole
from harness.sweep.decode import decode
from harness.sweep.streams import EXPECTATION, FIXTURES, Stream, make_stream
from harness.sweep.tally import Broken

_OF_THE_BYTES = frozenset({"drop", "swap", "corrupt"})
"""Damage after which the response is another one: it is kept as the case made it. Else the next sweep does it again."""


def save(broken: Broken, says: str, folder: Path) -> Path:
    """Write `<folder>/<wire>/<name>` with its expectation beside it. Raises `HarnessError`.

    `says`: the law in words. The events of the expectation are those of today, so that the fixture can be read; where
    recorded ones are known and differ, they are taken.
    """
    example = broken.small or broken.first
    stream, case = example.stream, example.case
    if case.kind in _OF_THE_BYTES:
        answer = case.answer(stream)
        stream = make_stream(
            stream.wire, b"".join(answer.chunks), stream.headers,
            status=stream.status, end=answer.end, options=stream.options,
        )  # fmt: skip
    name = f"sweep-{broken.law}-{hashlib.sha256(stream.body).hexdigest()[:8]}"
    path = folder / stream.wire / (name + FIXTURES[0 if stream.framed else 1])
    text = _expectation(stream, f"{says}. Broken by this case: {case.says()}. {example.reason}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(stream.body)
        path.with_name(name + EXPECTATION).write_text(text, "utf-8")
    except OSError as error:
        raise HarnessError(f"{error.filename}: cannot be written: {error.strerror}") from None
    return path


def _expectation(stream: Stream, why: str) -> str:
    """The text of the expectation, with an event a line. Headers matter to HTTP errors only."""
    events = stream.expected
    if events is None:
        events = tuple(to_dict(event) for event in decode(stream, Whole().answer(stream)).events)
    data: dict[str, Any] = {"wire": stream.wire, "status": stream.status, "content_type": stream.content_type}
    headers = [[name, value] for name, value in stream.headers if name.lower() != "content-type"]
    if headers and not 200 <= stream.status < 300:
        data["headers"] = headers
    options = stream.options.to_dict()
    if options:
        data["options"] = options
    if stream.end != EOF:
        end = {"kind": stream.end.kind, "error_class": stream.end.error_class, "message": stream.end.message}
        data["end"] = {name: value for name, value in end.items() if value}
    fields = [f" {_json(name)}: {_json(value)}" for name, value in (*data.items(), ("why", why))]
    fields.append(' "events": [\n  ' + ",\n  ".join(map(_json, events)) + "\n ]")
    return "{\n" + ",\n".join(fields) + "\n}\n"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
