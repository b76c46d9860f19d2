from __future__ import annotations

from typing import Any

import pytest

from agent.providers.openai_chat_tools import ToolCalls


def put_together(*fragments: Any) -> list[tuple[str, str, Any]]:
    tools = ToolCalls()
    for fragment in fragments:
        if not tools.append(fragment):
            tools.add(fragment)
    return [(call.id, call.name, call.arguments) for call in tools.calls()]


def part(index: Any = None, id: Any = None, name: Any = None, arguments: Any = None) -> dict[str, Any]:
    fragment: dict[str, Any] = {"function": {}}
    for key, value in (("index", index), ("id", id)):
        if value is not None:
            fragment[key] = value
    for key, value in (("name", name), ("arguments", arguments)):
        if value is not None:
            fragment["function"][key] = value
    return fragment


CASES: dict[str, tuple[list[Any], list[tuple[str, str, Any]]]] = {
    "by index": (
        [part(0, "a", "f", "{"), part(1, "b", "g", "["), part(0, arguments="}"), part(1, arguments="]")],
        [("a", "f", "{}"), ("b", "g", "[]")],
    ),
    "sorted by index": ([part(2, "a", "f", "1"), part(0, "b", "g", "2")], [("b", "g", "2"), ("a", "f", "1")]),
    "not sorted where one has no index": (
        [part(2, "a", "f", "1"), part(None, "b", "g", "2"), part(0, "c", "h", "3")],
        [("a", "f", "1"), ("b", "g", "2"), ("c", "h", "3")],
    ),
    "another id at an index": ([part(0, "a", "f", "1"), part(0, "b", "f", "2")], [("a", "f", "1"), ("b", "f", "2")]),
    "an id seen before at an index": (
        [part(0, "a", "f", "1"), part(0, "b", "f", "2"), part(0, "a", arguments="3"), part(0, arguments="4")],
        [("a", "f", "134"), ("b", "f", "2")],
    ),
    "the same id at another index": ([part(0, "a", "f"), part(1, "a", "g")], [("a", "f", ""), ("a", "g", "")]),
    "no index": (
        [part(None, "a", "f", "1"), part(arguments="2"), part(None, "b", "g", "3"), part(None, "a", arguments="4")],
        [("a", "f", "124"), ("b", "g", "3")],
    ),
    "no index, no id, another name": ([part(name="f", arguments="{}"), part(name="g", arguments="{}")],
                                      [("", "f", "{}"), ("", "g", "{}")]),
    "no index, no id, the same name again": ([part(name="f", arguments='{"a":1}'), part(name="f", arguments="{}")],
                                             [("", "f", '{"a":1}'), ("", "f", "{}")]),
    "no index, no id, a repeated name": ([part(name="f", arguments='{"a"'), part(name="f", arguments=":1}")],
                                         [("", "f", '{"a":1}')]),
    "index 0 and no ids": ([part(0, None, "f", "{}"), part(0, None, "g", "{}"), part(0, None, "g", "{}")],
                           [("", "f", "{}"), ("", "g", "{}"), ("", "g", "{}")]),
    "a late id": ([part(0, None, "f", "{"), part(0, "a", None, "}")], [("a", "f", "{}")]),
    "names": ([part(0, "a", "re"), part(0, "a", "ad"), part(0, "a", "read", "{}")], [("a", "read", "{}")]),
    "blank ids and names": ([part(0, "", ""), part(0, "a", "f"), part(0, "", "", "{}")], [("a", "f", "{}")]),
    "the id null": ([part(0, "null", "f", "{}")], [("", "f", "{}")]),
    "a number for an id": ([part(0, 12, "f", "{}")], [("12", "f", "{}")]),
    "nothing": ([None, 3, "x", [], {}, part(), part(0), {"index": 1, "function": None}], []),
    "an id alone": ([part(0, "a")], []),
    "arguments alone": ([part(0, None, None, "{}")], [("", "", "{}")]),
    "an object": ([part(0, "a", "f", {"x": 1})], [("a", "f", {"x": 1})]),
    "an object twice": ([part(0, "a", "f", {"x": 1}), part(0, "a", "f", {"x": 1})], [("a", "f", {"x": 1})]),
    "an empty object before text": ([part(0, "a", "f", {}), part(0, None, None, '{"x":1}')], [("a", "f", '{"x":1}')]),
    "text and an object": ([part(0, "a", "f", "[1,"), part(0, None, None, {"x": 1})], [("a", "f", '[1,{"x":1}')]),
    "an object and text": ([part(0, "a", "f", {"x": 1}), part(0, None, None, "!")], [("a", "f", '{"x":1}!')]),
    "a list": ([part(0, "a", "f", [1])], [("a", "f", [1])]),
    "indexes of other types": (
        [part("1", "b", "g", "1"), part(0.0, "a", "f", "2"), part(1, None, None, "3"), part(0, None, None, "4")],
        [("a", "f", "24"), ("b", "g", "13")],
    ),
    "an index that is none": ([part([], "a", "f", "1"), part(True, None, None, "2")], [("a", "f", "12")]),
    "name and arguments outside": ([{"id": "a", "name": "f", "arguments": "{}"}], [("a", "f", "{}")]),
}  # fmt: skip


@pytest.mark.parametrize(("fragments", "expected"), CASES.values(), ids=CASES)
def test_fragments(fragments: list[Any], expected: list[tuple[str, str, Any]]) -> None:
    assert put_together(*fragments) == expected


def test_a_signature_stays_on_its_call() -> None:
    tools = ToolCalls()
    tools.add(part(0, "a", "f", "{}"))
    tools.add(part(0) | {"extra_content": {"google": {"thought_signature": "x"}}})
    tools.add(part(1, "b", "g", "{}"))
    assert [call.extra for call in tools.calls()] == [{"google": {"thought_signature": "x"}}, None]
