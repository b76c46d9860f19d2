"""What the parts of one recorder write through."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from agent.events import Event
from harness.recording.records import Ready, Records
from harness.redaction.redactor import Redactor


@dataclass(slots=True, frozen=True)
class Outlet:
    """What the parts of one recorder share. None of it raises, except for `write_one` and `redactor`.

    `write` takes records, `write_one` records that are ready, in less time; `fault` takes what could not be recorded,
    `count` every event; `clock` gives seconds since the recording began.
    """

    write: Callable[[Records], None]
    write_one: Callable[[Ready], None]
    fault: Callable[[Exception], None]
    count: Callable[[Event], None]
    clock: Callable[[], float]
    redactor: Redactor
