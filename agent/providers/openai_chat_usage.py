"""Token counts of a chat answer, from the many places and names in which servers report them.

Sources: OpenAI API reference (usage: input includes cached, output includes reasoning tokens), Moonshot and Databricks
(`cached_tokens`, `cache_read_input_tokens` at the top), DeepSeek (`prompt_cache_hit_tokens`), OpenRouter
(`prompt_tokens_details.cache_write_tokens`), xAI (reasoning outside `completion_tokens`, seen from the total).
Web searches that are billed beside the tokens: OpenRouter (`server_tool_use`).
"""

from __future__ import annotations

from typing import Any

from agent.events import Usage

_TOP = {
    "prompt_tokens": "input",
    "input_tokens": "input",
    "completion_tokens": "output",
    "output_tokens": "output",
    "total_tokens": "total",
    "reasoning_tokens": "reasoning",
    "cached_tokens": "cache_read",
    "prompt_cache_hit_tokens": "cache_read",
    "cache_read_input_tokens": "cache_read",
    "cache_write_tokens": "cache_write",
    "cache_creation_input_tokens": "cache_write",
}
_DETAILS = {
    "cached_tokens": "cache_read",
    "cache_write_tokens": "cache_write",
    "cache_creation_tokens": "cache_write",
    "cache_creation_input_tokens": "cache_write",
    "reasoning_tokens": "reasoning",
    "web_search_requests": "searches",
}
_DETAIL_OBJECTS = (
    "prompt_tokens_details", "input_tokens_details", "completion_tokens_details", "output_tokens_details",
    "server_tool_use",
)  # fmt: skip


class Counts:
    """Counts gathered over one response: the last non-null value of a field wins, nothing is summed."""

    __slots__ = ("_seen",)

    def __init__(self) -> None:
        self._seen: dict[str, int] = {}

    def add(self, usage: Any) -> None:
        """Take one usage object. Within it the documented names win over the others, and details over the top level."""
        if type(usage) is not dict:
            return
        found: dict[str, int] = {}
        for name in _DETAIL_OBJECTS:
            details = usage.get(name)
            if type(details) is dict:
                for key, field in _DETAILS.items():
                    _set(found, field, details.get(key))
        for key, field in _TOP.items():
            _set(found, field, usage.get(key))
        self._seen |= found

    def usage(self) -> Usage | None:
        """The counts so far, or None where there were none.

        Reasoning is a part of the output, unless the total shows that it was counted beside it; then it is added. It
        may exceed the output, and is kept as sent.
        """
        seen = self._seen
        if not seen:
            return None
        input, output, reasoning = seen.get("input"), seen.get("output"), seen.get("reasoning")
        if input is not None and output is not None and reasoning and seen.get("total") == input + output + reasoning:
            output += reasoning
        searches = {"web_search": seen["searches"]} if seen.get("searches") else None
        read, write = seen.get("cache_read"), seen.get("cache_write")
        return Usage(input, output, read, write, None, reasoning, provider_tools=searches)


def _set(found: dict[str, int], field: str, value: Any) -> None:
    """The first count of a field wins; what is no count (null, negative, text) says nothing."""
    if field not in found and (type(value) is int or (type(value) is float and value == value // 1)) and value >= 0:
        found[field] = int(value)
