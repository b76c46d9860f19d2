from __future__ import annotations

from typing import Any

import pytest

from agent.providers.openai_chat_fields import exact_fragments, first_choice, fragments_of, is_failure, thinking_text


@pytest.mark.parametrize(
    ("choices", "expected"),
    [
        ([{"index": 1}, {"index": 0}], {"index": 0}),
        ([{"index": "1"}, {"index": "0"}], {"index": "0"}),
        ([{"index": 1}, {"a": 1}], {"a": 1}),
        ([{"index": 1}], None), ([None, 3], None), ([], None), (None, None), ({"0": {}}, None),
    ],
)  # fmt: skip
def test_first_choice(choices: Any, expected: Any) -> None:
    assert first_choice(choices) == expected


@pytest.mark.parametrize(
    ("code", "status", "expected"),
    [
        (400, None, True), ("429", None, True), (None, 503, True), ("InvalidParameter", None, True),
        (0, None, False), (200, 200, False), ("0", None, False), ("success", None, False), (True, None, False),
        (None, "processing", False), (None, None, False), ([], {}, False),
    ],
)  # fmt: skip
def test_is_failure(code: Any, status: Any, expected: bool) -> None:
    assert is_failure(code, status) is expected


def test_fragments() -> None:
    assert fragments_of({"tool_calls": [1], "function_call": {"name": "f"}}) == [1]
    assert fragments_of({"tool_calls": {"id": "a"}}) == [{"id": "a"}]
    assert fragments_of({"tool_calls": [], "function_call": {"name": "f"}}) == [{"function": {"name": "f"}}]


def test_exact_fragments() -> None:
    raw = b'{"choices":[{"%s":{"tool_calls":[{"function":{"arguments":{"n":18446744073709551617}}}]}}]}'
    for field in (b"delta", b"message"):
        assert exact_fragments(raw % field) == [{"function": {"arguments": {"n": 2**64 + 1}}}]
    assert exact_fragments(b'{"choices":[{"delta":{"tool_calls":[{"index":0}]}}]}') == []


@pytest.mark.parametrize(
    ("value", "expected"), [("a", "a"), (["a", {"text": "b"}, {"text": 3}, None], "ab"), (None, ""), ({"a": 1}, "")]
)
def test_thinking_text(value: Any, expected: str) -> None:
    assert thinking_text(value) == expected
