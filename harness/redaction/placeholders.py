"""What stands in place of secrets: `[redacted:RULE:N]`. Pure."""

from __future__ import annotations

import re

MARK = b"[redacted:"
"""How every placeholder begins."""
PLACEHOLDER = re.compile(rb"\[redacted:([A-Za-z0-9_.-]+):([0-9]+)\]")

_NUMBERED = re.compile(rb"(\[redacted:[A-Za-z0-9_.-]+):[0-9]+\]")


def unnumbered(data: bytes) -> bytes:
    """Placeholders by their rule alone, for comparing a request with a recorded one."""
    return _NUMBERED.sub(rb"\1]", data) if MARK in data else data
