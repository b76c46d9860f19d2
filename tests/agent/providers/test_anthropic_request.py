"""Anthropic's request half: neutral messages and tools to a body, headers and URL."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.events import Reasoning, Text, ToolCall
from agent.jsonio import dumps
from agent.messages import Message, ToolSpec, assistant, note, system, tool_result, user
from agent.providers.anthropic import ADAPTER
from agent.providers.base import Target, WireRequest
from tests.agent.providers.streams import run

TARGET = Target("anthropic", "anthropic", "https://api.anthropic.com/v1", key="sk-test", key_variable="K")
SIGNED = {"type": "thinking", "signature": "c2ln"}
REDACTED = {"type": "redacted_thinking", "data": "x"}
SEARCH = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "tides"}}
CONTAINER = {"type": "container", "id": "container_1", "expires_at": "2025-10-14T10:02:00Z"}


def request(messages: list[Message], target: Target = TARGET, **kind: Any) -> WireRequest:
    return ADAPTER.request(target, model="claude-sonnet-4-5", messages=messages, **kind)


def turns(*messages: Message) -> Any:
    return request(list(messages)).body["messages"]


def said(*parts: Any, wire: str | None = "anthropic") -> Message:
    return Message("assistant", parts=parts, wire=wire)


def call(id: str, name: str = "read", **values: Any) -> ToolCall:
    return ToolCall(id, name, values)


def test_the_whole_request():
    tool = ToolSpec("read", "Read a file.", {"type": "object", "properties": {"path": {"type": "string"}}})
    made = request([system("Be brief."), user("Hi")], tools=[tool], params={"temperature": 0, "top_p": None})
    assert (made.method, made.url) == ("POST", "https://api.anthropic.com/v1/messages")
    assert dict(made.headers) == {
        "content-type": "application/json", "anthropic-version": "2023-06-01", "x-api-key": "sk-test",
    }  # fmt: skip
    assert made.body == {
        "model": "claude-sonnet-4-5",
        "max_tokens": 8192,
        "temperature": 0,
        "system": "Be brief.",
        "messages": [{"role": "user", "content": "Hi"}],
        "tools": [
            {
                "name": "read",
                "description": "Read a file.",
                "input_schema": {"type": "object", "properties": {"path": {"type": "string"}}},
            }
        ],
        "stream": True,
    }


def test_no_key_no_header_and_the_rows_headers_win():
    target = Target(
        "x", "anthropic", "http://localhost:1/v1", headers=(("Anthropic-Version", "2024-01-01"), ("a", "b"))
    )
    made = request([user("Hi")], target, stream=False)
    assert made.headers == (("content-type", "application/json"), ("Anthropic-Version", "2024-01-01"), ("a", "b"))
    assert "stream" not in made.body


@pytest.mark.parametrize(
    ("explicit", "expected"), [(None, "One.\n\nTwo."), ("Mine.", "Mine."), ("", None)], ids=["joined", "wins", "empty"]
)
def test_system(explicit, expected):
    body = request([system("One."), user("Hi"), system("Two.")], system=explicit).body
    assert body.get("system") == expected
    assert body["messages"] == [{"role": "user", "content": "Hi"}]


def test_max_tokens_and_params_pass_but_not_over_the_request():
    body = request([user("Hi")], params={"max_tokens": 100, "thinking": {"type": "enabled"}, "messages": []}).body
    assert body["max_tokens"] == 100
    assert body["thinking"] == {"type": "enabled"}
    assert body["messages"] == [{"role": "user", "content": "Hi"}]


def test_tools_of_the_provider_join_the_own_ones():
    server = {"type": "web_search_20250305", "name": "web_search"}
    body = request([user("Hi")], tools=[ToolSpec("now", "", {})], params={"tools": [server]}).body
    assert body["tools"] == [{"name": "now", "input_schema": {"type": "object"}}, server]


def test_tool_results_merge_and_come_first():
    a, b = call("toolu_1", path="a"), call("toolu_2", path="b")
    found = turns(user("Go"), said(Text("Reading."), a, b), tool_result(a, "A"), note("local"), user("and?"),
                  tool_result(b, "no such file", ok=False), user("well?"))  # fmt: skip
    assert found == [
        {"role": "user", "content": "Go"},
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "Reading."},
                {"type": "tool_use", "id": "toolu_1", "name": "read", "input": {"path": "a"}},
                {"type": "tool_use", "id": "toolu_2", "name": "read", "input": {"path": "b"}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "toolu_1", "content": "A"},
                {"type": "tool_result", "tool_use_id": "toolu_2", "content": "no such file", "is_error": True},
                {"type": "text", "text": "and?"},
                {"type": "text", "text": "well?"},
            ],
        },
    ]


def test_thinking_goes_back_with_its_signature():
    parts = (
        Reasoning("First "), Reasoning("this."), Reasoning("", SIGNED), Reasoning("", REDACTED),
        Reasoning("unsigned"), Text("Answer"), Reasoning("", SIGNED), call("toolu_1"),
    )  # fmt: skip
    assert turns(user("Hi"), said(*parts))[1]["content"] == [
        {"type": "thinking", "thinking": "First this.", "signature": "c2ln"},
        REDACTED,
        {"type": "text", "text": "Answer"},
        {"type": "thinking", "thinking": "", "signature": "c2ln"},
        {"type": "tool_use", "id": "toolu_1", "name": "read", "input": {}},
    ]


def test_opaque_data_goes_only_to_its_own_format():
    parts = (Reasoning("Hm."), Reasoning("", SIGNED), Reasoning("", SEARCH), Text("A", {"thoughtSignature": "s"}),
             ToolCall("toolu_1", "read", {}, opaque={"caller": {"type": "code"}}))  # fmt: skip
    for wire in ("gemini", None):
        assert turns(user("Hi"), said(*parts, wire=wire))[1]["content"] == [
            {"type": "text", "text": "A"},
            {"type": "tool_use", "id": "toolu_1", "name": "read", "input": {}},
        ]
    own = turns(user("Hi"), said(*parts))[1]["content"]
    assert own[1] == SEARCH
    assert own[3]["caller"] == {"type": "code"}


def test_an_assistant_turn_does_not_end_in_thinking():
    assert turns(user("Hi"), said(Text("A"), Reasoning("Hm."), Reasoning("", SIGNED)), user("Go on"))[1] == {
        "role": "assistant", "content": "A",
    }  # fmt: skip


def test_blank_messages_are_not_sent_and_their_neighbours_join():
    assert turns(user("Hi"), said(Text(""), Text("\n")), user("Still there?"), user(" ")) == [
        {"role": "user", "content": [{"type": "text", "text": "Hi"}, {"type": "text", "text": "Still there?"}]}
    ]


def test_a_paused_answer_goes_back_in_one_turn_with_its_container():
    first, second = said(Text("Searching. "), Reasoning("", CONTAINER), Reasoning("", SEARCH)), said(Text("Found. \n"))
    body = request([user("Hi"), first, second]).body
    assert body["messages"][1]["content"] == [
        {"type": "text", "text": "Searching. "}, SEARCH, {"type": "text", "text": "Found."},
    ]  # fmt: skip
    assert body["container"] == "container_1"
    assert "container" not in request([user("Hi"), first, user("Next")]).body
    assert "container" not in request([user("Hi"), Message("assistant", parts=first.parts, wire="gemini")]).body
    assert request([user("Hi"), first], params={"container": "mine"}).body["container"] == "mine"


def test_unparsed_arguments_go_out_as_an_object():
    part = ToolCall("toolu_1", "read", {"_raw": '{"a":'}, unparsed=True)
    assert turns(user("Hi"), said(part))[1]["content"][0]["input"] == {"_raw": '{"a":'}


def test_an_error_result_is_not_empty():
    part = call("toolu_1")
    block = turns(said(part), tool_result(part, " ", ok=False))[1]["content"][0]
    assert block == {"type": "tool_result", "tool_use_id": "toolu_1", "content": "error", "is_error": True}


def test_ids_and_names_are_made_fit_and_unique():
    odd, blank, long, plain, again = (call(id) for id in ("fc|1:2", "", "x" * 90, "call_0", "call_0"))
    first = [odd, blank, long, plain, again]
    messages = [said(*first), *(tool_result(part, part.id) for part in first), said(plain), tool_result(plain, "late")]
    found = turns(*messages)
    calls = [block["id"] for turn in found for block in turn["content"] if block["type"] == "tool_use"]
    results = [block["tool_use_id"] for turn in found for block in turn["content"] if block["type"] == "tool_result"]
    assert calls == results
    assert len(set(calls)) == len(calls) == 6
    assert calls[3:] == ["call_0", "call_0_2", "call_0_3"]
    assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", id) for id in calls)
    assert turns(*messages) == found
    name = turns(said(call("toolu_1", "mcp.read file"), call("toolu_2", "")))[0]["content"]
    assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,128}", block["name"]) for block in name)


def test_an_answer_comes_back_as_it_was_sent():
    blocks = [
        {"type": "thinking", "thinking": "Look.", "signature": "c2ln"},
        REDACTED,
        {"type": "text", "text": "I'll look."},
        SEARCH,
        {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []},
        {"type": "compaction", "content": "so far"},
        {"type": "tool_use", "id": "toolu_1", "name": "read", "input": {"n": 10**30}},
        {"type": "tool_use", "id": "toolu_2", "name": "now", "input": {}},
    ]
    body = dumps({"type": "message", "content": blocks, "stop_reason": "tool_use"})
    events = run("anthropic", body, content_type="application/json")
    assert turns(user("Hi"), assistant(events, "anthropic"))[1]["content"] == blocks


texts = st.sampled_from(["", " ", "a", "b \n", "\ud83d"])
parts = st.one_of(
    st.builds(Text, texts),
    st.builds(Reasoning, texts, st.sampled_from([None, SIGNED, SEARCH, CONTAINER, {}, {"type": 1}, "x", []])),
    st.builds(ToolCall, st.sampled_from(["", "a", "b|c"]), texts, st.just({"x": 1})),
)
messages = st.lists(
    st.one_of(
        st.builds(user, texts),
        st.builds(note, texts),
        st.builds(system, texts),
        st.builds(
            lambda parts, wire: said(*parts, wire=wire), st.lists(parts), st.sampled_from(["anthropic", "gemini"])
        ),
        st.builds(lambda id, ok: Message("tool", "r", id=id, ok=ok), st.sampled_from(["", "a", "b|c"]), st.booleans()),
    )
)


@given(messages)
def test_turns_alternate_and_hold_what_the_api_takes(history):
    body = request(history).body
    dumps(body)
    roles = [turn["role"] for turn in body["messages"]]
    assert all(first != second for first, second in pairwise(roles))
    calls: list[str] = []
    for turn in body["messages"]:
        content = turn["content"] if isinstance(turn["content"], list) else [{"type": "text", "text": turn["content"]}]
        assert content
        kinds = [block.get("type") == "tool_result" for block in content]
        assert kinds == sorted(kinds, reverse=True)
        assert all(block["text"].strip() for block in content if block.get("type") == "text")
        calls += [block["id"] for block in content if block.get("type") == "tool_use"]
    assert len(set(calls)) == len(calls)
