from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.replaying import normalizers
from harness.replaying.normalizers import BUILT_IN, ids, names, normalizer

DATES = {
    "iso": ("Today is 2026-03-03.", "Today is [date]."),
    "rfc 3339": ("at 2026-03-03T10:11:12.123Z", "at [date]"),
    "offset": ("2026-03-03 10:11:12+02:00 x", "[date] x"),
    "english": ("It is Monday, March 3, 2026", "It is [date]"),
    "day first": ("3 March 2026 at 10:12 pm", "[date]"),
    "ordinal": ("March 3rd, 2026", "[date]"),
    "javascript": ("Tue Mar 03 2026 10:00:00 GMT+0100 (CET)", "[date] (CET)"),
    "ctime": ("Tue Mar  3 10:11:12 2026".replace("  ", " "), "[date]"),
    "american": ("04/05/2026, 10:00 AM", "[date]"),
    "german": ("14.03.2026", "[date]"),
    "time": ("It is 12:30 now", "It is [time] now"),
    "no date": ("version 1.2.3, ratio 3/4, port 80, may 3", "version 1.2.3, ratio 3/4, port 80, may 3"),
}
PATHS = {
    "working directory": ("Working directory: /home/ann/project\n", "Working directory: [path]\n"),
    "in a list": ("(/usr/lib/x, /tmp/a/b)", "([path], [path])"),
    "home": ("see ~/src/x.py", "see [path]"),
    "windows": (r"in C:\Users\ann\x.txt now", "in [path] now"),
    "url": ("https://a.example/b/c and file:///a/b", "https://a.example/b/c and file:///a/b"),
    "relative": ("src/x.py and and/or", "src/x.py and and/or"),
    "one part": ("/help", "/help"),
}


@pytest.mark.parametrize(("text", "expected"), DATES.values(), ids=DATES)
def test_dates(text, expected):
    assert normalizer("dates")({"messages": [{"content": text}]}) == {"messages": [{"content": expected}]}


@pytest.mark.parametrize(("text", "expected"), PATHS.values(), ids=PATHS)
def test_paths(text, expected):
    assert normalizer("paths")([text]) == [expected]


def test_uuids():
    uuid = "0b2c6a1e-5d0f-4a0e-9f43-2f1f3c1f7f10"
    assert normalizer("uuids")(f"session {uuid}!") == "session [uuid]!"
    assert normalizer("uuids")(f"x{uuid}") == f"x{uuid}"


def test_codex():
    text = "Chunk ID: 8f3a1c\nWall time: 0.0513 seconds\nOutput:\nChunk ID of mine"
    assert normalizer("codex")(text) == "Chunk ID: [id]\nWall time: [time] seconds\nOutput:\nChunk ID of mine"


CHAT = {
    "messages": [
        {"role": "assistant", "tool_calls": [{"id": "A", "type": "function", "function": {"name": "f"}}]},
        {"role": "tool", "tool_call_id": "A", "content": "ok"},
    ]
}
ANTHROPIC = {
    "messages": [
        {"role": "assistant", "content": [{"type": "tool_use", "id": "A", "name": "f", "input": {"id": "user-7"}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "A", "content": "ok"}]},
    ]
}
RESPONSES = {
    "previous_response_id": "A",
    "input": [
        {"type": "function_call", "id": "B", "call_id": "C", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "C", "output": "ok"},
    ],
}
GEMINI = {
    "contents": [
        {"parts": [{"functionCall": {"id": "A", "name": "f"}}]},
        {"parts": [{"functionResponse": {"id": "A", "name": "f"}}]},
    ]
}


@pytest.mark.parametrize("body", [CHAT, ANTHROPIC, RESPONSES, GEMINI], ids=["chat", "anthropic", "responses", "gemini"])
def test_ids_are_replaced_by_their_order(body):
    def renamed(value, names):
        if isinstance(value, dict):
            return {key: renamed(item, names) for key, item in value.items()}
        if isinstance(value, list):
            return [renamed(item, names) for item in value]
        return names.get(value, value)

    other = renamed(body, {"A": "x1", "B": "x2", "C": "x3"})
    assert other != body
    assert ids(other) == ids(body) != body
    assert "user-7" not in str(body) or "user-7" in str(ids(body)), "an id among a tool's arguments is the model's"


def test_an_id_that_points_elsewhere_is_a_difference():
    swapped = {"messages": [CHAT["messages"][0], {**CHAT["messages"][1], "tool_call_id": "B"}]}
    assert ids(swapped) != ids(CHAT)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@pytest.mark.parametrize("name", BUILT_IN)
@given(value=json_values)
def test_any_value_is_normalized_once_and_not_touched(name, value):
    before = repr(value)
    once = normalizer(name)(value)
    assert repr(value) == before
    if name != "ids":
        assert normalizer(name)(once) == once


def test_deep_values():
    deep = "2026-03-03"
    for _ in range(900):
        deep = [deep]
    for name in BUILT_IN:
        normalizer(name)(deep)


def test_installed_normalizers(monkeypatch):
    points = [EntryPoint("lower", "tests.harness.replaying.test_normalizers:lowered", normalizers.GROUP)]
    monkeypatch.setattr(
        normalizers, "entry_points", lambda group, name=None: [p for p in points if name in (None, p.name)]
    )
    normalizer.cache_clear()
    assert "lower" in names()
    assert normalizer("lower")("ABC") == "abc"
    with pytest.raises(ValueError, match=r"unknown normalizer 'x'; known are codex, dates, ids, lower"):
        normalizer("x")
    normalizer.cache_clear()


def lowered(value):
    return value.lower()
