"""What a session under a record mode reads and writes: the recording it answers from, the one it makes, the verdict."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import Any

from harness.clients.beside import Beside
from harness.clients.modes import PASSTHROUGH, RECORD, RECORD_MISSING, REPLAY, VARIABLE, VERIFY
from harness.errors import HarnessError, LiveMismatch, NetworkRefused, RecordingError, ReplayMismatch, UnusedCalls
from harness.recorder.recorder import EXTENSION, Recorder
from harness.recording.contents import Call
from harness.recording.opening import Recording
from harness.recording.opening import open as open_recording
from harness.redaction.redactor import Redactor
from harness.replaying.matching import MatchRules
from harness.replaying.replay_transport import ReplayTransport
from harness.replaying.verifying import difference

_log = logging.getLogger("harness")


class SessionFile:
    """`lenient`: a missing recording is one without calls, and a file is made only when there is a call to record.

    `rerecord`: tells in errors what to run to record the session anew.
    """

    def __init__(
        self,
        path: Path,
        mode: str,
        *,
        rules: MatchRules,
        redactor: Redactor,
        task: str | None = None,
        tags: Sequence[str] = (),
        strict: bool = False,
        speed: float | None = None,
        fsync: bool = False,
        lenient: bool = False,
        rerecord: str | None = None,
    ) -> None:
        self.path = path
        self.mode = mode
        self.speed = speed
        self.misses: list[ReplayMismatch] = []
        self.answers = mode in (REPLAY, RECORD_MISSING)
        self.adds = mode == RECORD_MISSING
        self.compares = mode == VERIFY
        self.replayed: ReplayTransport = ReplayTransport(())
        self._rules = rules
        self._redactor = redactor
        self._task, self._tags, self._fsync = task, tags, fsync
        self._strict = strict
        self._lenient = lenient
        self._rerecord = rerecord or f"record it anew: run it again with {VARIABLE}={RECORD}"
        self._beside = Beside(path)
        self._recorder: Recorder | None = None
        self._lock = Lock()
        self._errors: list[str] = []
        self._unseen: dict[str, str] = {}
        self._pairs: list[tuple[Call, int]] = []
        self._state = "new"

    @property
    def errors(self) -> list[str]:
        """What could not be recorded, one line each."""
        return [*self._errors, *self._unseen.values(), *(self._recorder.errors if self._recorder is not None else ())]

    @property
    def unused(self) -> list[Call]:
        """The recorded calls that no request has asked for."""
        return self.replayed.unused

    @property
    def recorded(self) -> bool:
        """Whether something was recorded."""
        return self._recorder is not None

    def open(self) -> None:
        """Raises `RecordingError` where the recording cannot be read, or the new one not be made."""
        if self._state != "new":
            raise HarnessError("a session is used once: make another one for another block")
        self._state = "open"
        if self.mode in (RECORD, RECORD_MISSING) and self.path.suffix == ".gz":
            todo = "unpack it first" if self.path.exists() else "name it .jsonl, and compress it afterwards"
            raise RecordingError("a compressed recording is not written to", self.path, todo=todo)
        if self.mode == RECORD and not self._lenient:
            self._recorder = self._make_recorder()
        elif self.mode in (REPLAY, RECORD_MISSING, VERIFY):
            self._read()

    def _read(self) -> None:
        missing = not self.path.exists()
        if missing and (self._lenient or self.mode == RECORD_MISSING):
            calls: list[Call] = []
        elif missing:
            raise RecordingError("there is no such recording", self.path, todo=self._rerecord)
        else:
            recording = open_recording(self.path)
            calls = recording.calls
            self._rules = _with_those_of(recording, self._rules)
        rules = self._rules
        if self.mode == VERIFY and "ids" not in rules.normalizers:
            # A live answer has other ids than the recorded one, and the next request sends them back.
            rules = replace(rules, normalizers=(*rules.normalizers, "ids"))
        rerecord = f"{self.path} is missing; {self._rerecord}" if missing else self._rerecord
        self.replayed = ReplayTransport(
            calls, rules=rules, redactor=self._redactor, speed=self.speed, rerecord=rerecord, explains=not self.adds
        )  # fmt: skip

    def sending(self, inner: Any) -> Any:
        """The transport for a request that goes to the network by `inner`: it is recorded, as the mode says."""
        if self.mode == PASSTHROUGH or self._state != "open":
            return inner
        with self._lock:
            if self._recorder is None and not self._errors:
                try:
                    self._recorder = self._make_recorder()
                except RecordingError as error:  # of no concern to the program that is recorded
                    self._errors.append(str(error))
                    _warn(str(error))
        return inner if self._recorder is None else self._recorder.transport(inner)

    def pair(self, request: Any) -> None:
        """Note which recorded call the live answer to a request is compared with. Raises `ReplayMismatch`."""
        call = self.replayed.take(request)
        with self._lock:
            if self._recorder is None:
                self._recorder = self._make_recorder()
            number = self._recorder.next_call()
            self._pairs.append((call, number))
        about = request.extensions.get(EXTENSION) or {}
        request.extensions = {**request.extensions, EXTENSION: {**about, "call": number}}

    def missed(self, miss: ReplayMismatch) -> ReplayMismatch:
        self.misses.append(miss)
        return miss

    def unseen(self, library: str, host: str, path: str) -> None:
        """A call to a model by a library that is not covered: refused in a replay, else told of once.

        Raises `NetworkRefused`.
        """
        __tracebackhide__ = True
        if self.mode == PASSTHROUGH or self._state != "open":
            return
        todo = "give its SDK a client of httpx from the session, or take `harness record -- COMMAND`"
        if self.mode == REPLAY:
            raise NetworkRefused(host, f"{path} by {library}, which is not answered from the recording: {todo}")
        line = f"calls by {library} are not recorded, such as {path} of {host}: {todo}"
        with self._lock:
            if library in self._unseen:
                return
            self._unseen[library] = line
        _warn(line)

    def finish(self, error: BaseException | None) -> None:
        """Close the files. `error`: what the block raised; otherwise this raises what went wrong unseen."""
        if self._state != "open":
            return
        self._state = "closed"
        problem: HarnessError | None = None
        try:
            self._finish_recording(error)
        except HarnessError as fault:
            problem = fault
        if self._pairs:
            problem = self._compare() or problem
        if self.misses:
            problem = problem or self.misses[0]
        if problem is None and error is None and self._strict and self.answers and self.unused:
            first, *_ = unused = self.unused
            what = f"{first.method} {first.url}"
            problem = UnusedCalls(self.path, [call.number for call in unused], what)
        if problem is None:
            return
        if error is None:
            raise problem
        if error is not problem:
            error.add_note(problem.report() if isinstance(problem, ReplayMismatch) else str(problem))

    def _make_recorder(self) -> Recorder:
        append = self.adds and self.path.exists()
        if append:
            self._beside.copy()
        return Recorder(
            self._beside.part,
            task=self._task,
            tags=self._tags,
            normalizers=self._rules.normalizers,
            redactor=self._redactor,
            force=not append,
            append=append,
            fsync=self._fsync,
            warn=_warn,
        )

    def _finish_recording(self, error: BaseException | None) -> None:
        """Swap the new recording in, if all went well. Raises `RecordingError`."""
        recorder = self._recorder
        if recorder is None:
            return
        went_well = error is None and not self.misses
        recorder.close("ok" if error is None else "error" if isinstance(error, Exception) else "cancelled")
        if self.compares:
            return
        if went_well and not recorder.errors:
            self._beside.swap_in()
            return
        kept = f"the recording of this run is kept at {self._beside.part}, {self.path} is as it was"
        if error is None:
            _warn(f"not all is recorded: {kept}")
        else:
            error.add_note(kept)

    def _compare(self) -> LiveMismatch | None:
        """The first difference of a live answer. The live ones are kept where there is one."""
        live = {call.number: call for call in open_recording(self._beside.part).calls}
        for recorded, number in self._pairs:
            found = difference(recorded, live[number]) if number in live else "it could not be recorded"
            if found is not None:
                kept = f"the live answers are kept at {self._beside.part}"
                return LiveMismatch(self.path, recorded.number, found, f"{kept}; {self._rerecord}")
        self._beside.discard()
        return None


def _with_those_of(recording: Recording, rules: MatchRules) -> MatchRules:
    """The rules, with the normalizers that the recording's header names. Raises `RecordingError` for unknown ones."""
    named = (recording.header or {}).get("normalizers") or ()
    names = dict.fromkeys([*rules.normalizers, *(name for name in named if isinstance(name, str))])
    try:
        return replace(rules, normalizers=tuple(names))
    except ValueError as error:
        raise RecordingError(f"its header names an {error}", recording.path, todo="install it") from None


def _warn(message: str) -> None:
    with contextlib.suppress(Exception):
        _log.warning("%s", message)
