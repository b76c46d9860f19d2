"""What an imported file holds: requests and their answers, and how they become a recording."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agent.events import EOF
from harness.clients.beside import Beside
from harness.errors import RecordingError
from harness.recorder.encodings import coding_of
from harness.recorder.recorder import Recorder
from harness.recording.headers import recorded_headers
from harness.redaction.redactor import Redactor

Headers = list[tuple[str, str]]


@dataclass(slots=True)
class Exchange:
    """One request and its answer. `answer`: the body as it is stored; its bytes tell whether its coding was undone."""

    method: str
    url: str
    headers: Headers
    body: bytes
    status: int
    answer_headers: Headers
    answer: bytes


@dataclass(slots=True)
class _Headers:
    items: Headers

    def multi_items(self) -> Headers:
        return self.items


@dataclass(slots=True)
class _Request:
    """As much of a request as the recorder reads."""

    method: str
    url: str
    headers: _Headers
    content: bytes
    extensions: dict[str, Any] = field(default_factory=dict)


def write_recording(
    path: Path, exchanges: Iterable[Exchange], *, source: str, task: str | None, redactor: Redactor, force: bool
) -> None:
    """Write a recording as if the exchanges had just happened; their times are not known.

    Raises `RecordingError` where the file cannot be made, and for an existing one unless `force`.
    """
    if path.exists() and not force:
        raise RecordingError("the file exists", path, todo="pass --force to overwrite it, or name another with --out")
    beside = Beside(path)
    with Recorder(beside.part, source=source, task=task, redactor=redactor, force=True) as recorder:
        for exchange in exchanges:
            _write(recorder, exchange, redactor)
    if recorder.errors:
        beside.discard()
        raise RecordingError(f"cannot write the recording: {recorder.errors[0]}", path)
    beside.swap_in()


def _write(recorder: Recorder, exchange: Exchange, redactor: Redactor) -> None:
    call = recorder.begin_call(_Request(exchange.method, exchange.url, _Headers(exchange.headers), exchange.body))
    if call is None:
        return
    headers = exchange.answer_headers
    coding = coding_of(headers)
    recorded = None
    if coding and _is_text(exchange.answer):
        headers = [pair for pair in headers if pair[0].lower() != "content-encoding"]
        recorded = {"headers": recorded_headers(headers, redactor), "encoding": coding}
    recorder.guard(call.response, exchange.status, headers, recorded)
    if exchange.answer:
        call.chunk(exchange.answer)
    recorder.guard(call.end, EOF)


def _is_text(body: bytes) -> bool:
    """Whether a body with a content coding was stored decoded: coded bytes are no UTF-8."""
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True
