"""Neutral messages and tools as a Responses request."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.events import Reasoning, Text, ToolCall
from agent.jsonio import dumps, loads
from agent.messages import Message, ToolSpec, assistant, note, system, tool_result, user
from agent.providers.base import Target
from agent.providers.openai_responses import ADAPTER
from tests.agent.providers.streams import run

WIRE = "openai-responses"
FIXTURES = Path(__file__).resolve().parents[3] / "fixtures" / WIRE
TARGET = Target("openai", WIRE, "https://api.openai.com/v1", key="k", headers=(("x-extra", "1"),))
ENCRYPTED = {"type": "reasoning", "id": "rs_1", "status": "completed", "summary": [], "encrypted_content": "gAAA"}
FULL_TEXT = {"type": "reasoning", "id": "rs_2", "summary": [], "content": [{"type": "reasoning_text", "text": "Hm."}]}
SEARCH = {"type": "web_search_call", "id": "ws_1", "status": "completed"}
CALL = ToolCall("call_1", "get_weather", {"city": "Paris"})
CALL_ITEM = {"type": "function_call", "call_id": "call_1", "name": "get_weather", "arguments": '{"city":"Paris"}'}


def body(*messages, model="gpt-4.1", target=TARGET, **kind):
    return ADAPTER.request(target, model=model, messages=messages, **kind).body


def answer(*parts, wire=WIRE):
    return Message("assistant", parts=parts, wire=wire)


def said(text, **more):
    return {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}], **more}


def fixture(name):
    return assistant(run(WIRE, (FIXTURES / f"{name}.sse").read_bytes()), WIRE)


def test_url_headers_and_fields():
    sent = ADAPTER.request(TARGET, model="gpt-4.1", messages=[user("Hi")])
    assert (sent.method, sent.url) == ("POST", "https://api.openai.com/v1/responses")
    assert sent.headers == (("content-type", "application/json"), ("authorization", "Bearer k"), ("x-extra", "1"))
    assert sent.body == {
        "model": "gpt-4.1",
        "input": [{"role": "user", "content": "Hi"}],
        "stream": True,
        "store": False,
    }


def test_no_key_no_header():
    sent = ADAPTER.request(Target("x", WIRE, "http://127.0.0.1/v1"), model="m", messages=[], stream=False)
    assert sent.headers == (("content-type", "application/json"),)
    assert sent.body["stream"] is False


def test_system_messages_join_in_order():
    sent = body(system("One."), user("Hi"), system(""), system("Two."))
    assert sent["input"] == [{"role": "system", "content": "One.\n\nTwo."}, {"role": "user", "content": "Hi"}]


@pytest.mark.parametrize(("explicit", "items"), [("Mine.", [{"role": "system", "content": "Mine."}]), ("", [])])
def test_an_explicit_system_wins(explicit, items):
    assert body(system("Other."), user("Hi"), system=explicit)["input"] == [*items, {"role": "user", "content": "Hi"}]


def test_notes_stay_here():
    assert body(note("local"), user("Hi"))["input"] == [{"role": "user", "content": "Hi"}]


def test_tools_are_flat_and_not_strict():
    schema = {"type": "object", "properties": {"city": {"type": "string"}}}
    (tool,) = body(user("Hi"), tools=[ToolSpec("get_weather", "Weather.", schema)])["tools"]
    assert tool == {
        "type": "function", "name": "get_weather", "description": "Weather.", "parameters": schema, "strict": False,
    }  # fmt: skip


@pytest.mark.parametrize("name", ["max_tokens", "max_completion_tokens", "max_output_tokens"])
def test_the_output_limit_has_its_own_name_here(name):
    assert body(user("Hi"), params={name: 50, "temperature": 0})["max_output_tokens"] == 50
    assert name == "max_output_tokens" or name not in body(user("Hi"), params={name: 50})


def test_the_output_limit_is_sent_only_if_given():
    assert "max_output_tokens" not in body(user("Hi"))


def test_params_win():
    sent = body(user("Hi"), model="gpt-5", params={"store": True, "include": [], "metadata": {"a": "b"}})
    assert (sent["store"], sent["include"], sent["metadata"]) == (True, [], {"a": "b"})


@pytest.mark.parametrize(
    ("model", "asked"),
    [
        ("gpt-5-mini", True), ("gpt-5.3-codex", True), ("o3", True), ("o4-mini-2025-04-16", True),
        ("openai/gpt-5-nano", True), ("codex-mini-latest", True), ("grok-4.3", True), ("gpt-10", True),
        ("gpt-4.1", False), ("gpt-4o", False), ("gpt-5-chat-latest", False), ("grok-4-fast-non-reasoning", False),
        ("grok-3", False), ("tiny", False), ("gpt-oss-20b", False), ("omni", False),
    ],
)  # fmt: skip
def test_encrypted_reasoning_is_asked_of_models_that_reason(model, asked):
    """Other models refuse it with status 400."""
    assert body(user("Hi"), model=model).get("include") == (["reasoning.encrypted_content"] if asked else None)


def test_encrypted_reasoning_is_asked_where_parameters_or_history_show_it():
    history = [user("Hi"), answer(Reasoning("", ENCRYPTED), Text("Yes.")), user("And?")]
    for sent in (body(user("Hi"), params={"reasoning": {"effort": "low"}}), body(*history)):
        assert sent["include"] == ["reasoning.encrypted_content"]


def test_parts_go_back_in_order():
    message = answer(
        Reasoning("Think."), Reasoning("", ENCRYPTED), Text("One "), Text("moment."), Reasoning("", SEARCH), CALL
    )
    sent = body(user("Hi"), message, tool_result(CALL, "sunny"))["input"]
    encrypted = {"type": "reasoning", "summary": [], "encrypted_content": "gAAA"}
    result = {"type": "function_call_output", "call_id": "call_1", "output": "sunny"}
    assert sent[1:] == [encrypted, said("One moment."), SEARCH, CALL_ITEM, result]


def test_ids_of_reasoning_go_back_only_where_they_can_be_found():
    message = answer(Reasoning("", ENCRYPTED), Reasoning("", FULL_TEXT), CALL)
    assert body(message)["input"][:2] == [
        {"type": "reasoning", "summary": [], "encrypted_content": "gAAA"},
        FULL_TEXT,
    ]
    assert body(message, params={"store": True})["input"][:2] == [ENCRYPTED, FULL_TEXT]


def test_reasoning_that_led_to_nothing_stays_here():
    """The provider refuses a reasoning item without the item that followed it."""
    message = answer(Text("Half."), Reasoning("", SEARCH), Reasoning("", ENCRYPTED), Reasoning("", FULL_TEXT))
    assert body(user("Hi"), message, user("Go on"))["input"][1:] == [
        said("Half."), SEARCH, {"role": "user", "content": "Go on"},
    ]  # fmt: skip


def test_opaque_data_of_another_format_stays_here():
    call = ToolCall("call_1", "get_weather", {"city": "Paris"}, opaque={"thoughtSignature": "x"})
    message = answer(Reasoning("T", {"signature": "s"}), Text("Hi.", {"phase": "x"}), call, wire="anthropic")
    assert body(message)["input"] == [said("Hi."), CALL_ITEM]


def test_an_empty_answer_sends_nothing():
    assert body(user("Hi"), answer(), answer(Text("")), user("Hello?"))["input"] == [
        {"role": "user", "content": "Hi"}, {"role": "user", "content": "Hello?"},
    ]  # fmt: skip


def test_unparsed_arguments_go_out_as_json():
    call = ToolCall("call_1", "f", {"_raw": '{"city": "Par'}, unparsed=True)
    (item,) = body(answer(call))["input"]
    assert loads(item["arguments"].encode()) == {"_raw": '{"city": "Par'}


def test_arguments_keep_big_integers():
    (item,) = body(answer(ToolCall("c", "f", {"id": 12345678901234567890123})))["input"]
    assert item["arguments"] == '{"id":12345678901234567890123}'


def test_a_custom_call_and_its_result_go_back_in_their_own_form():
    message = fixture("custom-call")
    (call,) = message.tool_calls
    assert body(message, tool_result(call, "done"))["input"] == [
        {"type": "custom_tool_call", "call_id": "call_1", "name": "apply_patch", "input": "*** Begin Patch\n"},
        {"type": "custom_tool_call_output", "call_id": "call_1", "output": "done"},
    ]


def test_a_custom_call_with_an_object_goes_back_as_json():
    (item,) = body(fixture("custom-call-json"))["input"]
    assert loads(item["input"].encode()) == {"query": "from:xai", "limit": 20}


def test_a_custom_call_of_another_format_is_a_function_call():
    call = ToolCall("call_1", "f", {}, opaque={"type": "custom_tool_call"})
    sent = body(answer(call, wire="openai-chat"), tool_result(call, "done"))["input"]
    assert [item["type"] for item in sent] == ["function_call", "function_call_output"]


def test_extra_fields_of_a_call_go_back():
    (item,) = body(fixture("call-extras"))["input"]
    assert (item["namespace"], item["caller"]) == ("shop", {"type": "program", "caller_id": "call_p"})
    assert "metadata" not in item


def test_phases_go_back_with_their_messages():
    assert body(fixture("phase"))["input"] == [
        said("Looking. ", phase="commentary"), said("Done.", phase="final_answer"),
    ]  # fmt: skip


def test_streamed_answers_go_back_as_they_came():
    assert body(fixture("reasoning-text"))["input"] == [FULL_TEXT | {"id": "r_1", "content": [
        {"type": "reasoning_text", "text": "The user asks."}]}, CALL_ITEM]  # fmt: skip
    assert body(fixture("item-ids-change"))["input"] == [
        {"type": "reasoning", "summary": [], "encrypted_content": "gAAA2"}, said("Let me see"), CALL_ITEM,
    ]  # fmt: skip


@pytest.mark.parametrize("path", sorted(FIXTURES.glob("*.sse")), ids=lambda path: path.stem)
def test_every_answer_makes_a_request_that_can_be_written(path):
    message = fixture(path.stem)
    sent = body(user("Hi"), message, *(tool_result(call, "x") for call in message.tool_calls))["input"]
    assert loads(dumps(sent)) == sent
    called = [item["call_id"] for item in sent if item.get("type") in ("function_call", "custom_tool_call")]
    answered = [item["call_id"] for item in sent if str(item.get("type")).endswith("_call_output")]
    assert called == answered
    for item in sent:
        if item.get("type") == "function_call":
            assert isinstance(loads(item["arguments"].encode()), dict)


def test_ids_that_are_too_long_for_openai_are_others_on_both_sides():
    call = ToolCall("toolu_" + "x" * 90, "look", {})
    history = (user("hi"), answer(call, wire="anthropic"), tool_result(call, "1"))
    own = Target("openai-responses", WIRE, "https://api.openai.com/v1")
    sent = [item["call_id"] for item in body(*history, target=own)["input"] if "call_id" in item]
    assert len(sent) == 2
    assert len(set(sent)) == 1
    assert len(sent[0]) == 64
    local = Target("local", WIRE, "http://127.0.0.1:8080/v1")
    assert {item.get("call_id") for item in body(*history, target=local)["input"]} == {None, call.id}
