from __future__ import annotations

import pytest

from agent.providers.anthropic_blocks import Block, read_exactly


@pytest.mark.parametrize(
    ("sent", "pieces", "expected"),
    [
        ({}, [], ""),
        ({"input": {}}, ["", " "], ""),
        ({"input": {"a": 1}}, [""], {"a": 1}),
        ({"input": {"a": 1}}, ['{"b"', ":2}"], '{"b":2}'),
        ({"input": '{"a":1}'}, [], '{"a":1}'),
        ({"input": {"a": "\ud83d"}}, [], {"a": "\ufffd"}),
    ],
    ids=["none", "blank", "start", "deltas", "text", "surrogate"],
)
def test_arguments(sent, pieces, expected):
    assert Block("tool_use", sent, pieces).arguments() == expected


@pytest.mark.parametrize(
    ("sent", "deltas", "expected"),
    [
        ({"content": None}, [{"content": "a"}, {"content": None}, {"content": "b"}], {"content": "ab"}),
        ({"data": "a"}, [{"data": "b"}], {"data": "ab"}),
        ({"data": 1}, [{"data": "b"}], {"data": "b"}),
        ({}, [{"parts": [1]}, {"parts": [2]}], {"parts": [2]}),
        ({"data": "\ud83d"}, [{"data": "\ude00"}], {"data": "\U0001f600"}),
    ],
    ids=["null-start", "start-text", "start-number", "no-text", "surrogates"],
)
def test_other_deltas(sent, deltas, expected):
    block = Block("x", sent)
    for delta in deltas:
        block.add({"type": "x_delta", **delta})
    assert block.whole() == expected


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [(['{"a"', ":1}"], {"a": 1}), (['{"a'], {"_raw": '{"a'}), ([""], {})],
    ids=["object", "cut", "blank"],
)
def test_input_of_a_server_tool(pieces, expected):
    assert Block("server_tool_use", {}, pieces).whole() == {"input": expected}


def test_read_exactly():
    assert read_exactly(b'{"n": 123456789012345678901234567890}') == {"n": 123456789012345678901234567890}
    assert read_exactly(b"[1]") == read_exactly(b"{") == {}
