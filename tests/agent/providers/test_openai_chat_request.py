from __future__ import annotations

import json
from typing import Any

import pytest

from agent.events import Reasoning, Text, ToolCall
from agent.messages import Message, ToolSpec, assistant, note, system, tool_result, user
from agent.providers.base import Target
from agent.providers.openai_chat import ADAPTER
from tests.agent.providers.streams import run

TARGET = Target("local", "openai-chat", "http://127.0.0.1:8080/v1")
SPEC = ToolSpec("look", "Looks.", {"type": "object", "properties": {"q": {"type": "string"}}})
CALL = ToolCall("c1", "look", {"q": "x"})


def body(messages: list[Message], target: Target = TARGET, **more: Any) -> dict[str, Any]:
    return ADAPTER.request(target, model="m", messages=messages, **more).body


def sent(messages: list[Message], provider: str = "local", **more: Any) -> list[dict[str, Any]]:
    return body(messages, Target(provider, "openai-chat", "http://h/v1"), **more)["messages"]


def test_request() -> None:
    target = Target("openrouter", "openai-chat", "https://h/api/v1", "k", "K", (("x-title", "t"),))
    request = ADAPTER.request(target, model="a/b", messages=[user("hi")], tools=[SPEC], params={"temperature": 0})
    assert (request.method, request.url) == ("POST", "https://h/api/v1/chat/completions")
    assert request.headers == (("content-type", "application/json"), ("authorization", "Bearer k"), ("x-title", "t"))
    assert request.body == {
        "model": "a/b",
        "messages": [{"role": "user", "content": "hi"}],
        "tools": [{"type": "function", "function": SPEC.to_dict()}],
        "stream": True,
        "stream_options": {"include_usage": True},
        "temperature": 0,
    }


def test_no_key_no_authorization() -> None:
    request = ADAPTER.request(TARGET, model="m", messages=[user("hi")])
    assert request.headers == (("content-type", "application/json"),)


def test_not_streamed_and_without_tools() -> None:
    assert body([user("hi")], stream=False) == {
        "model": "m",
        "messages": [{"role": "user", "content": "hi"}],
        "stream": False,
    }


def test_params() -> None:
    target = Target("openai", "openai-chat", "https://h/v1", max_tokens_param="max_completion_tokens")
    own = {"type": "web_search"}
    shaped = body(
        [user("hi")],
        target,
        tools=[SPEC],
        params={"max_tokens": 9, "stream_options": None, "top_p": None, "tools": [own], "model": "x", "stream": False},
    )
    assert shaped["max_completion_tokens"] == 9
    assert [tool["type"] for tool in shaped["tools"]] == ["function", "web_search"]
    assert (shaped["model"], shaped["stream"]) == ("m", True)
    assert not shaped.keys() & {"max_tokens", "stream_options", "top_p"}
    assert "max_tokens" not in body([user("hi")])


def test_mistral_refuses_stream_options_and_reports_usage_unasked() -> None:
    assert "stream_options" not in body([user("hi")], Target("mistral", "openai-chat", "https://api.mistral.ai/v1"))
    assert "stream_options" in body([user("hi")], Target("mistral", "openai-chat", "http://127.0.0.1:8080/v1"))


MISTRAL = Target("mistral", "openai-chat", "https://api.mistral.ai/v1")


def test_mistral_is_given_ids_and_an_order_that_it_takes() -> None:
    """A conversation of another provider, whose turns ended with tool results, and without an answer."""
    call = ToolCall("call_0_1", "look", {})
    history = [
        user("hi"), assistant([call], "anthropic"), tool_result(call, "ok"), user("and?"),
        assistant([Reasoning("hm")], "anthropic"), user("so?"), assistant([CALL], "openai-chat"),
        tool_result(CALL, "1"),
    ]  # fmt: skip
    shaped = body(history, MISTRAL)["messages"]
    assert [message["role"] for message in shaped] == [
        "user", "assistant", "tool", "assistant", "user", "user", "assistant", "tool",
    ]  # fmt: skip
    assert shaped[3]["content"]
    ids = [shaped[1]["tool_calls"][0]["id"], shaped[6]["tool_calls"][0]["id"]]
    assert [shaped[2]["tool_call_id"], shaped[7]["tool_call_id"]] == ids
    assert all(len(id) == 9 and id.isalnum() and id.isascii() for id in ids)
    assert ids[0] != ids[1]


@pytest.mark.parametrize(
    ("explicit", "expected"),
    [(None, ["one\n\ntwo"]), ("given", ["given"]), ("", [])],
)
def test_system(explicit: str | None, expected: list[str]) -> None:
    messages = sent([system("one"), user("hi"), system("two"), note("local")], system=explicit)
    assert [message["content"] for message in messages if message["role"] == "system"] == expected
    assert messages[-1] == {"role": "user", "content": "hi"}
    assert "local" not in json.dumps(messages)


def test_a_round_of_tools() -> None:
    unparsed = ToolCall("call_0_1", "look", {"_raw": '{"q": "'}, unparsed=True, synthetic_id=True)
    messages = sent(
        [user("hi"), assistant([CALL, unparsed], "openai-chat"), tool_result(CALL, "ok"),
         tool_result(unparsed, "bad", ok=False), assistant([Text("Do"), Text("ne")], "openai-chat")]
    )  # fmt: skip
    assert messages[1:] == [
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"q":"x"}'}},
                {
                    "id": "call_0_1",
                    "type": "function",
                    "function": {"name": "look", "arguments": '{"_raw":"{\\"q\\": \\""}'},
                },
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "ok"},
        {"role": "tool", "tool_call_id": "call_0_1", "content": "bad"},
        {"role": "assistant", "content": "Done"},
    ]


def test_big_integers_go_out_exact() -> None:
    call = ToolCall("c", "f", {"n": 2**70, "t": "\ud83d"})
    arguments = sent([assistant([call], "openai-chat")])[0]["tool_calls"][0]["function"]["arguments"]
    assert json.loads(arguments) == {"n": 2**70, "t": "\ufffd"}


def test_empty_assistant_text() -> None:
    assert sent([assistant([], "openai-chat")]) == [{"role": "assistant", "content": ""}]
    assert sent([assistant([Reasoning("hm")], "openai-chat")]) == [{"role": "assistant", "content": ""}]


@pytest.mark.parametrize(
    ("provider", "wire", "expected"),
    [
        ("deepseek", "openai-chat", ["Hm.", ""]), ("local", "openai-chat", ["Hm.", ""]),
        ("openai", "openai-chat", [None, None]), ("groq", "openai-chat", [None, None]),
        ("mistral", "openai-chat", [None, None]), ("deepseek", "anthropic", [None, None]),
    ],
)  # fmt: skip
def test_reasoning_text_goes_back_with_tool_calls(provider: str, wire: str, expected: list[str | None]) -> None:
    last = assistant([Reasoning("x"), Text("y")], wire)
    turns = [assistant([Reasoning("Hm."), CALL], wire), assistant([CALL], wire), last]
    shaped = sent(turns, provider)
    assert [message.get("reasoning_content") for message in shaped] == [*expected, None]


def test_no_reasoning_no_field() -> None:
    assert "reasoning_content" not in sent([assistant([CALL], "openai-chat")], "deepseek")[0]


DETAILS = [
    {"type": "reasoning.text", "text": "First.", "signature": "QQ==", "format": "f", "index": 0},
    {"type": "reasoning.encrypted", "data": "Qg==", "format": "f", "index": 1},
    {"type": "reasoning.summary", "summary": "Second.", "format": "f", "index": 2},
    {"type": "reasoning.encrypted", "data": "Qw==", "id": "rs_1", "format": "f", "index": 2},
]


def test_reasoning_details_of_a_body_go_back_as_they_came() -> None:
    message = {"role": "assistant", "content": "ok", "reasoning": "First.Second.", "reasoning_details": DETAILS}
    events = run(
        "openai-chat",
        json.dumps({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}).encode(),
        content_type="application/json",
    )
    shaped = sent([assistant(events, "openai-chat")], "openrouter")[0]
    assert shaped == {"role": "assistant", "content": "ok", "reasoning_details": DETAILS}
    assert "reasoning_details" not in sent([assistant(events, "anthropic")], "openrouter")[0]


def test_reasoning_details_of_a_stream_are_joined() -> None:
    head = {"type": "reasoning.text", "format": "f", "index": 0}
    pieces = [
        {"reasoning": "Fi", "reasoning_details": [{**head, "text": "Fi"}]},
        {"reasoning": "rst.", "reasoning_details": [{**head, "text": "rst."}]},
        {"reasoning": None, "reasoning_details": [{**head, "signature": "QQ=="}]},
        *({"reasoning_details": [entry]} for entry in DETAILS[1:]),
        {"content": "ok"},
    ]
    stream = b"".join(
        b"data: " + json.dumps({"choices": [{"index": 0, "delta": delta}]}).encode() + b"\n\n" for delta in pieces
    )
    events = run("openai-chat", stream + b"data: [DONE]\n\n")
    assert sent([assistant(events, "openai-chat")], "openrouter")[0]["reasoning_details"] == DETAILS


def test_entries_without_index_stay_apart_and_take_their_signature() -> None:
    entry = {"type": "reasoning.text", "format": "f"}
    parts = [Reasoning("a", entry), Reasoning("", {**entry, "signature": "s"}), Reasoning("b", entry)]
    details = sent([assistant(parts, "openai-chat")], "openrouter")[0]["reasoning_details"]
    assert details == [{**entry, "text": "a", "signature": "s"}, {**entry, "text": "b"}]


def test_signatures_of_calls_and_unknown_parts_go_back_to_this_format_only() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:,"}}
    extra = {"extra_content": {"google": {"thought_signature": "x"}}}
    parts = [Text("see"), Reasoning("", image), ToolCall("c", "f", {}, opaque=extra)]
    own = sent([assistant(parts, "openai-chat")])[0]
    assert own["content"] == [{"type": "text", "text": "see"}, image]
    assert own["tool_calls"][0]["extra_content"] == extra["extra_content"]
    other = sent([assistant(parts, "gemini")])[0]
    assert other["content"] == "see"
    assert other["tool_calls"][0].keys() == {"id", "type", "function"}


def test_odd_opaque_data_is_left_out() -> None:
    parts = [Reasoning("a", "text"), Text("b", ["c"]), ToolCall("c", "f", {}, opaque="x")]
    shaped = sent([assistant(parts, "openai-chat")], "openrouter")[0]
    assert shaped["content"] == "b"
    assert "reasoning_details" not in shaped
