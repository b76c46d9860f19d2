"""Splits a `<think>...</think>` that opens the answer off as reasoning. An option: providers document no such tag."""

from __future__ import annotations

_OPEN, _CLOSE = "<think>", "</think>"


class ThinkSplitter:
    """Pieces of text in, `(is_reasoning, text)` pieces out. Only a tag that opens the text counts."""

    __slots__ = ("_pending", "_state")

    def __init__(self) -> None:
        self._pending = ""
        self._state = "start"

    def feed(self, text: str) -> list[tuple[bool, str]]:
        """The pieces that can be told by now; the longest suffix that may still become a tag is held back."""
        if self._state == "answer":
            return [(False, text)] if text else []
        text = self._pending + text
        self._pending = ""
        if self._state == "start":
            stripped = text.lstrip()
            if not stripped.startswith(_OPEN):
                if _OPEN.startswith(stripped):
                    self._pending = text
                    return []
                self._state = "answer"
                return [(False, text)]
            self._state = "thinking"
            text = stripped[len(_OPEN) :]
        thought, mark, rest = text.partition(_CLOSE)
        if mark:
            self._state = "answer"
            return [(kind, piece) for kind, piece in ((True, thought), (False, rest)) if piece]
        held = next((n for n in range(len(_CLOSE) - 1, 0, -1) if thought.endswith(_CLOSE[:n])), 0)
        cut = len(thought) - held
        self._pending = thought[cut:]
        return [(True, thought[:cut])] if cut else []

    def flush(self) -> list[tuple[bool, str]]:
        """What was held back, where nothing more can come for it: at the end, or before a tool call."""
        pending, self._pending = self._pending, ""
        if pending and self._state == "start":
            self._state = "answer"
        return [(self._state == "thinking", pending)] if pending else []
