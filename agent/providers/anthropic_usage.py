"""Anthropic's token counts: merged field by field over a response, then put in the project's words.

Source: https://docs.anthropic.com/en/api/messages (`usage`) and .../build-with-claude/prompt-caching: the counts of
`message_delta` are cumulative, so they replace, never add; `input_tokens` leaves out what was read from and written to
the cache; `cache_creation` splits the written tokens by lifetime. Of the server tools (`server_tool_use`) web searches
are billed by their number, fetches by nothing but their tokens (.../agents-and-tools/tool-use/web-search-tool).
"""

from __future__ import annotations

from typing import Any

from agent.events import Usage
from agent.jsonio import scrub_deep

_GROUPS = {
    "cache_creation": ("ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens"),
    "output_tokens_details": ("thinking_tokens",),
    "server_tool_use": ("web_search_requests",),
}
_FIELDS = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")


class TokenCounts:
    """The last known value of every field that the provider sent."""

    __slots__ = ("_iterations", "_values")

    def __init__(self) -> None:
        self._values: dict[str, int] = {}
        self._iterations: list[Any] | None = None

    def read(self, usage: dict[str, Any]) -> None:
        """Take the counts of one `usage` object; null and what is no count leave the value before."""
        self._take(usage, _FIELDS)
        for group, names in _GROUPS.items():
            inner = usage.get(group)
            if type(inner) is dict:
                self._take(inner, names)
        iterations = usage.get("iterations")
        if type(iterations) is list:
            self._iterations = scrub_deep(iterations)

    def _take(self, values: dict[str, Any], names: tuple[str, ...]) -> None:
        for name in names:
            value = values.get(name)
            if type(value) is int and value >= 0:
                self._values[name] = value

    def usage(self) -> Usage:
        """Inclusive totals. The one-hour part counts only where the split adds up to all that was written."""
        get = self._values.get
        read, written = get("cache_read_input_tokens"), get("cache_creation_input_tokens")
        short, long = get("ephemeral_5m_input_tokens"), get("ephemeral_1h_input_tokens")
        if written is None and short is not None and long is not None:
            written = short + long
        if long is not None and (short or 0) + long != written:
            long = None
        fresh, searches = get("input_tokens"), get("web_search_requests")
        return Usage(
            input_tokens=None if fresh is None else fresh + (read or 0) + (written or 0),
            output_tokens=get("output_tokens"),
            cache_read_tokens=read,
            cache_write_tokens=written,
            cache_write_1h_tokens=long,
            reasoning_tokens=get("thinking_tokens"),
            iterations=self._iterations,
            provider_tools={"web_search": searches} if searches else None,
        )
