"""The wire formats, by name. A new format is one module with `ADAPTER` and one line here."""

from __future__ import annotations

from importlib import import_module

from agent.providers.base import Adapter

WIRES = {
    "openai-chat": "agent.providers.openai_chat",
    "openai-responses": "agent.providers.openai_responses",
    "anthropic": "agent.providers.anthropic",
    "gemini": "agent.providers.gemini",
}


def adapter(wire: str) -> Adapter:
    """The adapter of a wire format; its module is loaded on first use. Raises `KeyError` for an unknown format."""
    found: Adapter = import_module(WIRES[wire]).ADAPTER
    return found
