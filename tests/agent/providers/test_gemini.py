from __future__ import annotations

import json
from typing import Any

import pytest

from agent.events import DecodeOptions, Error, Reasoning, Text, ToolCall, UsageEvent
from agent.providers import adapter
from agent.providers.gemini_payload import BLOCK_NUMBERS, FAILURES, FINISH_NUMBERS, STOPS
from tests.agent.providers.streams import closing, error_of, joined, run, run_all_ways, tool_calls


def payload(*parts: Any, **candidate: Any) -> dict[str, Any]:
    return {"candidates": [{"content": {"role": "model", "parts": list(parts)}, "index": 0, **candidate}]}


def stream(*payloads: Any) -> bytes:
    return b"".join(b"data: " + json.dumps(one).encode() + b"\r\n\r\n" for one in payloads)


@pytest.mark.parametrize("word", [*STOPS, "ESCALATION"])
def test_every_finish_word(word: str) -> None:
    events = run_all_ways("gemini", stream(payload({"text": "a"}), payload(finishReason=word)), every=(1,), seeds=1)
    end = closing(events)
    assert (end.stop_reason, end.stop_reason_raw, end.complete) == (STOPS.get(word, "content_filter"), word, True)
    failure = error_of(events)
    assert (failure is None) == (word not in FAILURES)
    assert (failure is not None) == (end.stop_reason == "error")
    assert joined(events, Text) == "a"


@pytest.mark.parametrize(("number", "word"), FINISH_NUMBERS.items())
def test_finish_numbers_read_like_their_words(number: int, word: str) -> None:
    assert run("gemini", stream(payload(finishReason=number))) == run("gemini", stream(payload(finishReason=word)))


@pytest.mark.parametrize("reason", [*BLOCK_NUMBERS.values(), *BLOCK_NUMBERS, "JAILBREAK", 77])
def test_every_block_reason(reason: str | int) -> None:
    events = run("gemini", stream({"promptFeedback": {"blockReason": reason}}))
    failure, end = events
    assert isinstance(failure, Error)
    assert (failure.kind, failure.retryable, failure.status) == ("content_blocked", False, 200)
    raw = reason if isinstance(reason, str) else BLOCK_NUMBERS.get(reason, "77")
    assert end == UsageEvent(None, None, "content_filter", raw, True)


@pytest.mark.parametrize("unset", ["FINISH_REASON_UNSPECIFIED", 0, "", None, [], {}, 1.5, True])
def test_an_unset_finish_reason_is_no_end_mark(unset: Any) -> None:
    assert closing(run("gemini", stream(payload({"text": "a"}, finishReason=unset)))).stop_reason == "truncated"


def test_a_lower_case_word_is_known_and_kept_as_sent() -> None:
    end = closing(run("gemini", stream(payload({"text": "a"}, finishReason="max_tokens"))))
    assert (end.stop_reason, end.stop_reason_raw) == ("length", "max_tokens")


def test_a_limit_before_any_content_is_an_end_mark() -> None:
    events = run("gemini", stream(payload(finishReason="MAX_TOKENS"), payload({"text": "stray"})))
    assert events == [UsageEvent(None, None, "length", "MAX_TOKENS", True)]


def test_the_last_end_mark_counts() -> None:
    end = closing(run("gemini", stream(payload({"text": "a"}, finishReason="STOP"), payload(finishReason="SAFETY"))))
    assert (end.stop_reason, end.stop_reason_raw) == ("content_filter", "SAFETY")


def test_only_the_first_failure_is_told() -> None:
    events = run(
        "gemini",
        stream(
            payload(finishReason="OTHER"),
            payload(finishReason="MALFORMED_FUNCTION_CALL"),
            {"error": {"code": 500, "message": "late"}, "promptFeedback": {"blockReason": "SAFETY"}},
        ),
    )
    assert len([event for event in events if isinstance(event, Error)]) == 1
    assert (closing(events).stop_reason, closing(events).stop_reason_raw) == ("error", "OTHER")


def test_synthetic_ids_hold_the_call_number() -> None:
    body = stream(payload({"functionCall": {"name": "a", "args": {}}}, {"functionCall": {"name": "b", "args": {}}}))
    assert [call.id for call in tool_calls(run("gemini", body, call=7))] == ["call_7_0", "call_7_1"]


def test_a_named_part_ends_the_open_call() -> None:
    opened = {
        "functionCall": {"name": "a", "willContinue": True, "partialArgs": [{"jsonPath": "$.x", "numberValue": 1}]}
    }
    half = {
        "functionCall": {
            "name": "b",
            "willContinue": True,
            "partialArgs": [{"jsonPath": "$.x", "stringValue": "h", "willContinue": True}],
        }
    }
    whole = {"functionCall": {"name": "c", "args": {"x": 2}}}
    calls = tool_calls(run("gemini", stream(payload(opened), payload(half), payload(whole, finishReason="STOP"))))
    assert [(call.name, call.input, call.unparsed) for call in calls] == [
        ("a", {"x": 1}, False),
        ("b", {"_raw": '{"x":"h"'}, True),
        ("c", {"x": 2}, False),
    ]


def test_a_part_with_the_same_id_goes_on_with_the_call() -> None:
    def piece(text: str, **more: Any) -> dict[str, Any]:
        value = {"jsonPath": "$.x", "stringValue": text, **more}
        return payload({"functionCall": {"id": "k", "name": "a", "partialArgs": [value], **more}})

    body = stream(piece("one ", willContinue=True), piece("two"), payload(finishReason="STOP"))
    assert tool_calls(run("gemini", body)) == [ToolCall("k", "a", {"x": "one two"})]


def test_the_signature_of_a_later_piece_stays_on_the_call() -> None:
    body = stream(
        payload({"functionCall": {"name": "a", "willContinue": True}}),
        payload({"functionCall": {"args": {"x": 1}}, "thoughtSignature": "c2ln"}, finishReason="STOP"),
    )
    assert tool_calls(run("gemini", body)) == [
        ToolCall("call_0_0", "a", {"x": 1}, synthetic_id=True, opaque={"thoughtSignature": "c2ln"})
    ]


def test_text_between_the_pieces_of_a_call_comes_first() -> None:
    body = stream(
        payload({"functionCall": {"name": "a", "willContinue": True}}),
        payload({"text": "wait"}),
        payload({"functionCall": {"args": {"x": 1}}}, finishReason="STOP"),
    )
    assert [type(event) for event in run("gemini", body)] == [Text, ToolCall, UsageEvent]


def test_a_part_that_is_only_a_signature() -> None:
    events = run("gemini", stream(payload({"text": None, "thoughtSignature": "c2ln"}, finishReason="STOP")))
    assert events[0] == Text("", {"thoughtSignature": "c2ln"})


def test_big_integers_are_exact_in_opaque_parts() -> None:
    body = b'data: {"candidates":[{"content":{"parts":[{"toolResponse":{"n":98765432109876543210987}}]}}]}\n\n'
    assert run("gemini", body)[0] == Reasoning("", {"toolResponse": {"n": 98765432109876543210987}})


def test_unknown_parts_and_malformed_data_are_counted() -> None:
    decoder = adapter("gemini").decoder()
    parts = [{"hologram": 1}, {"hologram": 2}, 3, {"text": 5}, {"functionCall": {}}]
    decoder.parse_body(json.dumps([payload(*parts), "no payload"]).encode())
    assert decoder.unknown == {"part: hologram": 2, "part: int": 1, "part: text": 1, "functionCall without a name": 1}
    assert decoder.malformed == 1


def test_think_tags_are_an_option() -> None:
    body = stream(payload({"text": "<thi"}), payload({"text": "nk>a</think>b"}), payload(finishReason="STOP"))
    assert joined(run("gemini", body), Text) == "<think>a</think>b"
    events = run_all_ways("gemini", body, options=DecodeOptions(think_tags=True))
    assert (joined(events, Reasoning), joined(events, Text)) == ("a", "b")


ARRAY = [
    payload({"text": "é"}),
    payload({"functionCall": {"name": "a", "args": {"n": 2**70}}}),
    payload(finishReason="STOP"),
]


@pytest.mark.parametrize("gap", ["", "\n,\r\n"], ids=["tight", "spaced"])
def test_a_cut_array_gives_its_whole_elements_at_every_byte(gap: str) -> None:
    elements = [json.dumps(one, indent=1 if gap else None, ensure_ascii=False) for one in ARRAY]
    body = f"[{(gap or ',').join(elements)}]".encode()
    full = run("gemini", body, content_type="application/json")
    assert [type(event) for event in full] == [Text, ToolCall, UsageEvent]
    for cut in range(len(body)):
        events = run("gemini", body[:cut], content_type="application/json")
        whole = sum(len("[" + gap.join(elements[:n])) <= cut - 8 for n in (1, 2, 3))
        fed = [event for event in events if isinstance(event, Text | ToolCall)]
        assert fed == full[: len(fed)]
        assert len(fed) >= min(whole, 2)
        assert closing(events).complete or error_of(events) is not None


def test_a_byte_order_mark_before_a_body() -> None:
    for body in (ARRAY, ARRAY[2]):
        sent = b"\xef\xbb\xbf" + json.dumps(body).encode()
        assert closing(run("gemini", sent, content_type="application/json")).complete


@pytest.mark.parametrize("body", [b"", b"[", b"[]", b"[NaN]", b"{", b"null", b'{"candidates"', b"[[[", b'["\xff"]'])
def test_bodies_without_an_answer_are_truncated(body: bytes) -> None:
    end = closing(run("gemini", body, content_type="application/json"))
    assert not end.complete


@pytest.mark.parametrize("depth", [300, 900, 5_000])
@pytest.mark.parametrize("leaf", ["", "\\ud83d"])
def test_deep_nesting_does_not_raise(depth: int, leaf: str) -> None:
    deep = '{"a":' * depth + f'"{leaf}"' + "}" * depth
    parts = '[{"functionCall":{"name":"f","args":' + deep + '}},{"x":' + deep + "}]"
    one = '{"candidates":[{"content":{"parts":' + parts + "}}]}"
    assert run("gemini", f"data: {one}\n\n".encode())
    assert run("gemini", f"[{one}]".encode(), content_type="application/json")
