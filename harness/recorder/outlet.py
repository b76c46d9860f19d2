"""What the parts of one recorder write through."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from agent.events import Event
from harness.recording.records import Records
from harness.redaction.redactor import Redactor


@dataclass(slots=True, frozen=True)
class Outlet:
    """What the parts of one recorder share. None of it raises, except for `redactor`.

    `write` takes records, `fault` what could not be recorded, `count` every event; `clock` gives seconds since the
    recording began.
    """

    write: Callable[[Records], None]
    fault: Callable[[Exception], None]
    count: Callable[[Event], None]
    clock: Callable[[], float]
    redactor: Redactor
