"""Record, replay and evaluate LLM agents. Names are loaded on first use, so that importing the package costs nothing.

The recording format is described in docs/format.md; `open` is its documented reader. `record` and `replay` are for
Python code with a client of its own, see docs/python.md.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from harness.clients.sessions import record, replay
    from harness.errors import HarnessError, LiveMismatch, ReplayMismatch, UnusedCalls
    from harness.recorder.recorder import Recorder
    from harness.recorder.recording_transport import RecordingTransport
    from harness.recording.opening import Recording, open
    from harness.redaction.redactor import Redactor
    from harness.replaying.matching import MatchRules
    from harness.replaying.replay_transport import ReplayTransport

_MODULES = {
    "HarnessError": "harness.errors",
    "LiveMismatch": "harness.errors",
    "MatchRules": "harness.replaying.matching",
    "Recorder": "harness.recorder.recorder",
    "Recording": "harness.recording.opening",
    "RecordingTransport": "harness.recorder.recording_transport",
    "Redactor": "harness.redaction.redactor",
    "ReplayMismatch": "harness.errors",
    "ReplayTransport": "harness.replaying.replay_transport",
    "UnusedCalls": "harness.errors",
    "open": "harness.recording.opening",
    "record": "harness.clients.sessions",
    "replay": "harness.clients.sessions",
}

__all__ = [
    "HarnessError", "LiveMismatch", "MatchRules", "Recorder", "Recording", "RecordingTransport", "Redactor",
    "ReplayMismatch", "ReplayTransport", "UnusedCalls", "open", "record", "replay",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)
