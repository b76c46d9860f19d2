"""Whatever a provider sends: nothing raises, one `usage` closes the call, and every cut gives a prefix."""

from __future__ import annotations

import copy
import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from agent.events import EOF, DecodeOptions, Error, Event
from agent.jsonio import NotJSON, dumps, loads
from agent.providers import adapter
from agent.sse import SSEDecoder
from tests.agent.providers.streams import assert_closed, run
from tests.agent.providers.test_fixtures import ROOT

KEYS = (
    "candidates", "content", "parts", "text", "thought", "thoughtSignature", "functionCall", "name", "id", "args",
    "partialArgs", "jsonPath", "stringValue", "numberValue", "boolValue", "nullValue", "willContinue", "finishReason",
    "finishMessage", "index", "promptFeedback", "blockReason", "usageMetadata", "promptTokenCount",
    "thoughtsTokenCount", "candidatesTokenCount", "toolUsePromptTokenCount", "totalTokenCount", "modelVersion",
    "error", "message", "status",
)  # fmt: skip
WORDS = ("", "STOP", "SAFETY", "$.a", "$.a[0]", "$['b'].c", "x", "\ud83e", "\udd8a", "é\u2028")
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-2, 20), st.just(2**80), st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(WORDS),
)  # fmt: skip
JUNK = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=12,
)


def fixture_payloads() -> list[list[Any]]:
    streams = []
    for path in sorted((ROOT / "gemini").glob("*.sse")):
        payloads = []
        for frame in SSEDecoder().feed(path.read_bytes()):
            try:
                payloads.append(loads(frame.data or b""))
            except NotJSON:
                continue
        streams.append(payloads)
    return streams


STREAMS = fixture_payloads()


def places(value: Any, found: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """Every (container, key) below `value`."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        found.append((value, key))
        places(item, found)
    return found


@st.composite
def mutated(draw: st.DrawFn) -> list[Any]:
    """The payloads of a fixture with some values replaced, dropped or doubled, in another order."""
    payloads = copy.deepcopy(draw(st.sampled_from(STREAMS)))
    for _ in range(draw(st.integers(1, 4))):
        container, key = draw(st.sampled_from(places(payloads, []) or [(payloads, None)]))
        how = draw(st.sampled_from(("replace", "drop", "double", "swap")))
        if key is None:
            break
        if how == "replace":
            container[key] = draw(JUNK)
        elif how == "drop":
            del container[key]
        elif isinstance(container, list) and how == "double":
            container.insert(key, copy.deepcopy(container[key]))
        elif isinstance(container, list):
            container.insert(0, container.pop(key))
    return payloads


def stream(payloads: list[Any]) -> bytes:
    return b"".join(b"data: " + json.dumps(payload).encode() + b"\n\n" for payload in payloads)


def fed_and_finished(frames: list[Any], options: DecodeOptions) -> tuple[list[Event], list[Event]]:
    decoder = adapter("gemini").decoder(options=options)
    fed = [event for frame in frames for event in decoder.feed(frame)]
    return fed, decoder.finish(EOF)


def check(payloads: list[Any], think_tags: bool) -> None:
    body = stream(payloads)
    options = DecodeOptions(think_tags=think_tags)
    frames = SSEDecoder().feed(body)
    fed, finished = fed_and_finished(frames, options)
    events = fed + finished
    assert_closed(events)
    assert sum(isinstance(event, Error) for event in events) <= 1
    assert loads(dumps([repr(event) for event in events]))
    assert run("gemini", body, 5, options=options) == events
    for cut in range(len(frames)):
        some, rest = fed_and_finished(frames[:cut], options)
        assert some == fed[: len(some)]
        assert_closed(some + rest)
    assert_closed(run("gemini", json.dumps(payloads).encode(), content_type="application/json", options=options))


@settings(max_examples=50, deadline=None)
@given(mutated(), st.booleans())
def test_mutated_fixtures(payloads: list[Any], think_tags: bool) -> None:
    check(payloads, think_tags)


@settings(max_examples=50, deadline=None)
@given(st.lists(JUNK, max_size=4), st.booleans())
def test_any_json(payloads: list[Any], think_tags: bool) -> None:
    check(payloads, think_tags)


@settings(max_examples=50, deadline=None)
@given(
    st.lists(
        st.fixed_dictionaries({}, optional=dict.fromkeys(("name", "id", "args", "partialArgs", "willContinue"), JUNK)),
        max_size=6,
    ),
    st.booleans(),
)
def test_any_function_calls(calls: list[dict[str, Any]], think_tags: bool) -> None:
    parts = [{"candidates": [{"content": {"parts": [{"functionCall": call}]}}]} for call in calls]
    check([*parts, {"candidates": [{"finishReason": "STOP"}]}], think_tags)


@settings(max_examples=50, deadline=None)
@given(st.binary(max_size=60), st.sampled_from([b"", b"[", b"{", b'[{"candidates":[{"finishReason":"STOP"}]}']))
def test_any_body(rest: bytes, start: bytes) -> None:
    assert_closed(run("gemini", start + rest, content_type="application/json"))
