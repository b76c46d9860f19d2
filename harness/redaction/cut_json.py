"""JSON that was cut off somewhere, closed so that it can be read, and cut again. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*("|\\?\Z)|[{}\[\]:,]')
_HALF_ESCAPE = re.compile(rb"(?:\\u[0-9A-Fa-f]{0,3}|\\)\Z")
_CLOSER = {b"{": b"}", b"[": b"]"}


@dataclass(slots=True, frozen=True)
class CutJSON:
    """`whole` is the document up to its last text, closed by `closing`; `rest` is what came behind that text."""

    whole: bytes
    closing: bytes
    rest: bytes

    def cut(self, written: bytes) -> bytes:
        """A document that was written anew with the same structure, cut where the first one was."""
        return written[: len(written) - len(self.closing)] + self.rest


def closed(data: bytes) -> CutJSON | None:
    """The document that `data` begins; None where it has no text, or is no JSON."""
    stack: list[bytes] = []
    before = b""
    found = None
    for match in _TOKEN.finditer(data):
        token = match[0]
        if token[:1] != b'"':
            if token in _CLOSER:
                stack.append(_CLOSER[token])
            elif token in (b"}", b"]") and (not stack or stack.pop() != token):
                return None
            before = token
            continue
        if before == b":" or (before in (b"[", b",") and stack[-1:] == [b"]"]):
            found = (match, [*stack])
        before = b""
    if found is None:
        return None
    match, stack = found
    closing = b"".join(reversed(stack))
    end = match.end()
    if match[1] != b'"':
        closing = b'"' + closing
        half = _HALF_ESCAPE.search(match[0]) if _is_odd(match[0]) else None
        end -= 0 if half is None else len(half[0])
    return CutJSON(data[:end] + closing, closing, data[end:])


def _is_odd(text: bytes) -> bool:
    """Whether a text ends inside an escape: its last run of backslashes is odd."""
    head = re.sub(rb"u[0-9A-Fa-f]{0,3}\Z", b"", text) if rb"\u" in text[-6:] else text
    return (len(head) - len(head.rstrip(b"\\"))) % 2 == 1
