"""Readers of Responses values: each takes any JSON value."""

from __future__ import annotations

import pytest

from agent.events import Usage
from agent.providers.openai_responses_items import (
    billed_tool,
    blank,
    call_extras,
    content,
    count,
    exact,
    goes_back,
    item_arguments,
    part_text,
    read_end,
    read_usage,
    reasoning_texts,
)


@pytest.mark.parametrize(
    ("value", "number"),
    [(0, 0), (7, 7), (7.0, 7), (10**30, 10**30), (7.5, None), (-1, None), (-1.0, None), (True, None), ("7", None),
     (None, None), ([], None), (float("inf"), None)],
)  # fmt: skip
def test_count(value, number):
    assert count(value) == number


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        ({}, None),
        (None, None),
        ([1], None),
        ({"input_tokens": "many"}, None),
        ({"input_tokens": 0}, Usage(input_tokens=0)),
        ({"input_tokens": 5, "output_tokens": 3, "total_tokens": 8}, Usage(5, 3)),
        (
            {"input_tokens": 5, "output_tokens": 3, "total_tokens": 10,
             "output_tokens_details": {"reasoning_tokens": 2}},
            Usage(5, 5, reasoning_tokens=2),
        ),
        (
            {"input_tokens": 5, "output_tokens": 3, "total_tokens": 8,
             "output_tokens_details": {"reasoning_tokens": 9}},
            Usage(5, 3, reasoning_tokens=9),
        ),
        (
            {"input_tokens_details": {"cached_tokens": 4, "cache_write_tokens": 0}},
            Usage(cache_read_tokens=4, cache_write_tokens=0),
        ),
    ],
)  # fmt: skip
def test_usage(sent, read):
    assert read_usage(sent, None) == read


def test_the_last_value_that_is_known_wins():
    assert read_usage({"input_tokens": None, "output_tokens": 4}, Usage(9, 1)) == Usage(9, 4)
    assert read_usage(None, Usage(9, 1)) == Usage(9, 1)


@pytest.mark.parametrize(
    ("kind", "response", "end"),
    [
        ("response.completed", {}, ("stop", "completed")),
        ("response.completed", {"status": "in_progress"}, ("stop", "completed")),
        ("response.completed", {"status": "incomplete"}, ("length", "incomplete")),
        ("response.completed", {"status": "failed"}, ("error", "failed")),
        ("response.completed", {"status": ["x"]}, ("stop", "completed")),
        ("response.incomplete", {"status": "completed"}, ("length", "incomplete")),
        ("response.incomplete", {"incomplete_details": {"reason": "max_output_tokens"}},
         ("length", "incomplete:max_output_tokens")),
        ("response.incomplete", {"incomplete_details": {"reason": "content_filter"}},
         ("content_filter", "incomplete:content_filter")),
        ("response.incomplete", {"incomplete_details": {"reason": 7}}, ("length", "incomplete")),
        ("response.incomplete", {"incomplete_details": ["max_output_tokens"]}, ("length", "incomplete")),
        ("response.failed", {"status": "completed"}, ("error", "failed")),
        ("response.cancelled", {}, ("cancelled", "cancelled")),
        (None, {"status": "completed"}, ("stop", "completed")),
        (None, {"status": "queued"}, ("stop", "queued")),
        (None, {"status": "splendid"}, ("stop", "splendid")),
        (None, {"status": ""}, ("stop", None)),
        (None, {"status": 3}, ("stop", None)),
    ],
)  # fmt: skip
def test_end(kind, response, end):
    assert read_end(kind, response) == end


@pytest.mark.parametrize(
    ("part", "text"),
    [
        ({"type": "output_text", "text": "a"}, ("a", False)),
        ({"type": "refusal", "refusal": "no"}, ("no", True)),
        ({"type": "refusal", "text": "no"}, ("", False)),
        ({"type": "refusal", "refusal": None}, ("", False)),
        ({"text": 5}, ("", False)),
        ("a", ("", False)),
        (None, ("", False)),
    ],
)
def test_part_text(part, text):
    assert part_text(part) == text


def test_content():
    assert content({"content": "plain"}) == [{"type": "output_text", "text": "plain"}]
    assert content({"content": [1]}) == [1]
    assert content({"content": {"a": 1}}) == content({}) == []


def test_reasoning_texts():
    item = {"summary": [{"text": "a"}, {"text": ""}, None, {"text": "b"}], "content": [{"text": "c"}]}
    assert list(reasoning_texts(item)) == [("summary", 0, "a"), ("summary", 3, "b"), ("content", 0, "c")]
    assert list(reasoning_texts({"summary": 3, "content": None})) == []


@pytest.mark.parametrize(
    ("item", "back"),
    [
        ({"encrypted_content": "x"}, True),
        ({"encrypted_content": "", "content": [{"text": "full"}]}, True),
        ({"encrypted_content": "", "content": []}, False),
        ({"encrypted_content": None, "summary": [{"text": "a"}]}, False),
        ({"id": "rs_1"}, False),
    ],
)
def test_goes_back(item, back):
    assert goes_back(item) is back


@pytest.mark.parametrize(
    ("item", "extras"),
    [
        ({"type": "function_call", "namespace": None, "metadata": {}}, None),
        ({"type": "function_call", "namespace": "n"}, {"namespace": "n"}),
        ({"type": "custom_tool_call"}, {"type": "custom_tool_call"}),
    ],
)
def test_call_extras(item, extras):
    assert call_extras(item) == extras


def test_item_arguments():
    assert item_arguments({"type": "function_call", "arguments": "{}", "input": "x"}) == "{}"
    assert item_arguments({"type": "custom_tool_call", "arguments": "{}", "input": "x"}) == "x"
    assert item_arguments({"type": ["function_call"], "arguments": "{}"}) is None


@pytest.mark.parametrize(("value", "is_blank"), [(None, True), ("", True), (" \n", True), ({}, False), (0, False)])
def test_blank(value, is_blank):
    assert blank(value) is is_blank


def test_exact():
    assert exact({"n": 1.2e22}, b'{"n":12345678901234567890123}') == {"n": 12345678901234567890123}
    assert exact({"n": 1}, b"{broken") == {"n": 1}
    assert exact({"n": 1}, b"[]") == {"n": 1}


@pytest.mark.parametrize(
    ("item", "tool"),
    [
        ({"type": "web_search_call", "action": {"type": "search", "query": "tea"}}, "web_search"),
        ({"type": "web_search_call"}, "web_search"),
        ({"type": "web_search_call", "action": {"type": "open_page"}}, None),
        ({"type": "web_search_call", "action": {"type": "find_in_page"}}, None),
        ({"type": "file_search_call", "action": 1}, "file_search"),
        ({"type": "mcp_call"}, None),
    ],
)
def test_tools_that_are_billed_by_use(item, tool):
    assert billed_tool(item) == tool
