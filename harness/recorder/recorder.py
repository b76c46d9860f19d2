"""Writes one recording: the calls off the wire, and what the loop made of them.

A fault of the recorder (a full disk, a bug) never reaches the recorded program: it stands in `Recorder.errors`.
"""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Any

from agent.events import DecodeOptions
from agent.loop_types import Limits
from agent.messages import Message, ToolSpec, message_to_dict
from harness.errors import HarnessError, RecordingError, raised
from harness.recorder.call_recorder import CallRecorder
from harness.recorder.outlet import Outlet
from harness.recorder.recording_transport import CLOSED, RecordingTransport
from harness.recorder.resuming import Past
from harness.recorder.tap import Tap
from harness.recording.bodies import BodyLog
from harness.recording.headers import header_secrets, recorded_headers, recorded_url, url_secrets
from harness.recording.histories import HistoryLog
from harness.recording.records import FORMAT, FORMAT_VERSION, Record, Records
from harness.recording.writer import Writer
from harness.redaction.redactor import Redactor
from harness.wire_format import wire_of

EXTENSION = "trajectory"
"""The request extension in which a client that knows its calls describes them (see `agent.client`)."""

MOST_ERRORS = 50
"""Different faults that are kept; a broken disk gives the same one over and over."""


class Recorder:
    """One open recording.

    `path`: the file; an existing one is refused unless `force`. With `append` it is gone on with: `source`, `task`,
    `tags` and `normalizers` are those of its header then. `source`: what was recorded (`live`, a server's name).
    `normalizers`: names of those that matching is to apply. `warn` is called once, with one line, when something could
    not be recorded.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        source: str = "live",
        task: str | None = None,
        tags: Sequence[str] = (),
        normalizers: Sequence[str] = (),
        redactor: Redactor | None = None,
        force: bool = False,
        append: bool = False,
        fsync: bool = False,
        warn: Callable[[str], None] | None = None,
    ) -> None:
        self.path = Path(path)
        self.errors: list[str] = []
        self._redactor = redactor or Redactor()
        self._warn = warn
        self._lock = Lock()
        self._fault_lock = Lock()
        self._used: set[int] = set()
        self._turn_of: dict[int, int] = {}
        self._open: set[CallRecorder] = set()
        self._closed = False
        past = Past(self._redactor)
        if append:
            writer = Writer.append(self.path, fsync=fsync, read=past.read)
        elif self.path.suffix == ".gz":
            todo = "name it .jsonl, and compress it afterwards"
            raise RecordingError("a compressed recording is not written to", self.path, todo=todo)
        else:
            writer = Writer.create(self.path, force=force, fsync=fsync)
        self._bodies, self._histories, self._totals = past.bodies, past.histories, past.totals
        self._writer = writer
        self._next_call, self._turns = writer.tail.call, writer.tail.turn
        self._used.update(range(self._next_call))
        self._outlet = Outlet(self.write, writer.write_one, self.fault, self._totals.count, writer.now, self._redactor)
        self.guard(self._redactor.open_secrets)  # made now: later the first answer would have to wait for it
        started_at = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        try:
            if writer.tail.seq:
                writer.write([{"kind": "resume", "started_at": started_at}])
            else:
                header = _header(started_at, source, task, tags, self._redactor.rules, normalizers)
                writer.write([self._redactor.json(header)])
        except BaseException:
            writer.close()
            raise

    # What a session is wired up with

    def transport(self, inner: Any) -> RecordingTransport:
        """`inner` (a transport of httpx or httpx2) with this recording in between."""
        return RecordingTransport(self, inner)

    def next_call(self) -> int:
        """The number of the next call, for a client that numbers its calls itself."""
        with self._lock:
            number = self._next_call
            self._next_call += 1
        return number

    def turn(
        self,
        history: Sequence[Message],
        *,
        mode: str,
        provider: str,
        model: str,
        base_url: str | None,
        system: str | None,
        tools: Sequence[ToolSpec],
        params: Mapping[str, Any],
        limits: Limits,
        tool_modes: Mapping[str, Sequence[str]] | None = None,
    ) -> Tap:
        """Record what a turn is given, the history's last message being its input. The tap records what it yields.

        The arguments are those of `agent.loop.run_turn`. Its `ids` must be the tap's, which link the calls to the turn.
        """
        with self._lock:
            number = self._turns
            self._turns += 1

        def write() -> bool:
            record: Record = {
                "kind": "turn",
                "turn": number,
                "input": history[-1].text,
                "history": [message_to_dict(message) for message in history[:-1]],
                "mode": mode,
                "provider": provider,
                "model": model,
                "base_url": base_url,
                "system": system,
                "tools": [tool.to_dict() for tool in tools],
                "params": dict(params),
                "limits": limits.to_dict(),
            }
            if tool_modes:
                record["tool_modes"] = {name: [*modes] for name, modes in tool_modes.items()}
            record = self._redactor.json(record)
            with self._lock:
                try:
                    self._writer.write([self._histories.compressed(record)])
                except BaseException:
                    self._histories = HistoryLog()
                    raise
            return True

        if self.guard(write):
            return Tap(number, self._outlet, self.next_call, self._turn_of)
        # Without its record, nothing else of the turn would make sense in the file.
        return Tap(number, replace(self._outlet, write=lambda records: None), self.next_call, {})

    def begin_call(self, request: Any) -> CallRecorder | None:
        """Record a request of httpx or httpx2 that is about to be sent; None where that failed."""
        self.guard(self._writer.check)
        call: CallRecorder | None = self.guard(self._begin_call, request)
        return call

    # What every part writes through

    def write(self, records: Records) -> None:
        """Write records; a fault is kept in `errors`."""
        if not self._closed:
            try:
                self._writer.write(records)
            except Exception as error:
                self.fault(error)

    def guard(self, action: Callable[..., Any], *arguments: Any) -> Any:
        """Call `action`; what it raises is kept in `errors`, and None returned."""
        if self._closed:
            return None
        try:
            return action(*arguments)
        except Exception as error:
            self.fault(error)
            return None

    def fault(self, error: Exception) -> None:
        """Keep what went wrong in `errors`, each thing once, and warn of the first."""
        line = " ".join(str(error).split()) if isinstance(error, HarnessError) else raised(error)
        with self._fault_lock:
            if line in self.errors or len(self.errors) == MOST_ERRORS:
                return
            self.errors.append(line)
            first = len(self.errors) == 1
        if first and self._warn is not None:
            with contextlib.suppress(Exception):  # its stream may be closed
                self._warn(f"not all is recorded: {line}")

    def close(self, status: str = "ok") -> None:
        """Write the `end` record (`status`: ok, error or cancelled) and close the file. Open calls end as closed."""
        if self._closed:
            return
        for call in list(self._open):
            self.guard(call.end, CLOSED)
        record = {"kind": "end", "status": status, "calls": self._totals.calls, "turns": self._turns}
        self.write([record | self._totals.to_dict()])
        self.guard(self._writer.check)
        self.guard(self._writer.close)
        self._closed = True

    def __enter__(self) -> Recorder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close("ok" if kind is None else "error" if issubclass(kind, Exception) else "cancelled")

    def _begin_call(self, request: Any) -> CallRecorder:
        about = request.extensions.get(EXTENSION) or {}
        headers = request.headers.multi_items()
        url = str(request.url)
        wire = about.get("wire") or wire_of(request.method, url)
        options = DecodeOptions.from_dict(about.get("decode") or {})
        with self._lock:
            number = self._number(about.get("call"))
            for secret in (*header_secrets(headers), *url_secrets(url)):
                self._redactor.learn(secret)
            record: Record = {"kind": "request", "t": self._writer.now(), "call": number}
            turn = self._turn_of.pop(number, None)
            if turn is not None:
                record["turn"] = turn
            if about.get("retry_of") is not None:
                record["retry_of"] = about["retry_of"]
            record |= {"wire": wire, "decode": options.to_dict()}
            record |= {name: about[name] for name in ("provider", "model") if about.get(name)}
            record |= {
                "method": request.method,
                "url": recorded_url(url, self._redactor),
                "headers": recorded_headers(headers, self._redactor),
            }
            body = self._redactor.bytes(request.content)
            try:
                # Bodies refer to requests that stand earlier in the file, so one at a time is written.
                self._writer.write([record | self._bodies.fields(number, body)])
            except BaseException:
                self._bodies = BodyLog()
                raise
            self._totals.calls += 1
            call = CallRecorder(number, wire, options, url=record["url"], outlet=self._outlet, ended=self._open.discard)
            self._open.add(call)
        return call

    def _number(self, wanted: object) -> int:
        """The number of a call: the one its client gave it, where that is free, else the next."""
        number = wanted if type(wanted) is int and wanted >= 0 and wanted not in self._used else self._next_call
        self._used.add(number)
        self._next_call = max(self._next_call, number + 1)
        return number


def _header(
    started_at: str,
    source: str,
    task: str | None,
    tags: Sequence[str],
    rules: Sequence[str],
    normalizers: Sequence[str],
) -> Record:
    from importlib.metadata import version  # it loads the email package

    header: Record = {
        "kind": "header",
        "t": 0.0,
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "id": str(uuid.uuid4()),
        "started_at": started_at,
        "by": {"name": "trajectory-harness", "version": version("trajectory-harness")},
        "source": source,
    }
    if task is not None:
        header["task"] = task
    return header | {"tags": [*tags], "redaction": {"rules": [*rules]}, "normalizers": [*normalizers]}
