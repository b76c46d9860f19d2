from __future__ import annotations

import pytest

from harness.report.asked import asked


@pytest.mark.parametrize(
    ("body", "line", "last"),
    [
        (
            {"model": "m", "stream": True, "tools": [{}], "messages": [{"content": "a"}, {"content": "b"}]},
            "m, 2 messages, 1 tool, streamed",
            "b",
        ),
        (
            {"messages": [{"content": [{"type": "text", "text": "a"}, {"image": 1}, {"text": "b"}]}]},
            "1 message",
            "a\nb",
        ),
        ({"messages": [{"content": [{"type": "tool_result", "content": "out"}]}]}, "1 message", "out"),
        ({"model": "m", "input": "hello"}, "m", "hello"),
        ({"input": [{"role": "user", "content": [{"text": "a"}]}]}, "1 message", "a"),
        ({"input": [{"type": "function_call_output", "output": "o"}]}, "1 message", "o"),
        (
            {"contents": [{"parts": [{"text": "a"}]}], "tools": [{"functionDeclarations": [{}, {}]}]},
            "1 message, 2 tools",
            "a",
        ),
        ({"messages": []}, "0 messages", None),
        ({"messages": [3], "tools": 4}, "1 message", None),
        ({"x": 1}, "JSON of an unknown shape", None),
        ({"messages": [[[[[[["deep"]]]]]]]}, "1 message", None),
        (b"", "no body", None),
        (b"abc", "3 bytes that are no JSON", None),
        ([1], "a body that cannot be shown", None),
        (None, "a body that cannot be shown", None),
    ],
)
def test_asked(body, line, last):
    assert asked(body) == (line, last)
