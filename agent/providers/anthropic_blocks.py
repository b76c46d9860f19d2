"""Anthropic's content blocks while they are open: what their start and their deltas add up to.

Source: https://docs.anthropic.com/en/docs/build-with-claude/streaming.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from agent.jsonio import NotJSON, loads_exact, scrub, scrub_deep
from agent.providers.base import parse_arguments

OPAQUE_BLOCKS = frozenset(
    {"redacted_thinking", "server_tool_use", "mcp_tool_use", "compaction", "container_upload", "fallback"}
)
"""Blocks known to be for the provider only, besides every `..._tool_result`. Any other type is one too, but counted."""


@dataclass(slots=True)
class Block:
    """An open block: its start as sent, the pieces of its input, and the values of other deltas by field."""

    kind: Any
    sent: dict[str, Any]
    pieces: list[str] = field(default_factory=list)
    parts: dict[str, list[Any]] = field(default_factory=dict)

    def arguments(self) -> Any:
        """The input of a client call: the deltas, else the start block's own, else blank."""
        text = "".join(self.pieces)
        return text if text.strip() else scrub_deep(self.sent.get("input")) or ""

    def add(self, delta: dict[str, Any]) -> None:
        for key, value in delta.items():
            if key != "type" and value is not None:
                self.parts.setdefault(key, []).append(value)

    def whole(self) -> dict[str, Any]:
        """The block as it would stand in an answer that is not streamed."""
        block = self.sent
        text = "".join(self.pieces)
        if text.strip():
            block["input"] = parse_arguments(scrub(text))[0]
        elif self.pieces:
            block.setdefault("input", {})
        for key, values in self.parts.items():
            if isinstance(values[0], str) and block.get(key) is not None:
                values.insert(0, block[key])
            texts = [value for value in values if isinstance(value, str)]
            block[key] = "".join(texts) if len(texts) == len(values) else values[-1]
        whole: dict[str, Any] = scrub_deep(block)
        return whole


def read_exactly(raw: bytes) -> dict[str, Any]:
    """The payload once more, with every integer exact; empty where that fails (nested too deeply)."""
    try:
        payload = loads_exact(raw)
    except NotJSON:
        return {}
    return payload if type(payload) is dict else {}
