"""Record, replay and evaluate LLM agents. Names are loaded on first use, so that importing the package costs nothing.

The recording format is described in docs/format.md; `open` is its documented reader.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from harness.errors import HarnessError
    from harness.recording import Recording, open

_MODULES = {
    "HarnessError": "harness.errors",
    "Recording": "harness.recording",
    "open": "harness.recording",
}

__all__ = ["HarnessError", "Recording", "open"]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)
