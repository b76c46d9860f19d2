from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.events import Reasoning, Text, ToolCall
from agent.jsonio import dumps, loads
from agent.messages import Message, ToolSpec, message_to_dict, system, tool_result, user
from agent.trim import LONG_VALUE, PLACEHOLDER, base_size, cap, trim, units
from tests.shared import SHARED, needs_shared


def size(messages):
    return sum(len(dumps(message_to_dict(message)).decode()) for message in messages)


def say(text):
    return Message("assistant", parts=(Text(text),))


def unit(*results, text="", **values):
    """An assistant message with a call for each result, and the results."""
    calls = [ToolCall(f"c{n}", "read", dict(values)) for n in range(len(results))]
    parts = (*([Text(text)] if text else []), *calls)
    return [Message("assistant", parts=parts), *map(tool_result, calls, results)]


def history(*older):
    """A task, older messages, and six recent ones that must stay."""
    return [user("task"), *older, *unit("r" * 50), *unit("r" * 50), say("so"), user("next")]


def test_a_request_that_fits_stays_as_it_is():
    messages = history(*unit("x" * 5_000))
    done = trim(messages, 200_000)
    assert (done.messages, done.fits, done.changed) == (messages, True, False)
    assert done.before == done.after == size(messages)
    assert trim(messages, size(messages) + 7, base=7).messages == messages
    assert trim(messages, size(messages) + 6, base=7).changed


def test_first_the_oldest_results_become_a_placeholder():
    messages = history(*unit("x" * 1_000, "y" * 1_000), *unit("z" * 1_000))
    done = trim(messages, size(messages) - 1)
    assert [message.text for message in done.messages[2:4]] == [PLACEHOLDER, PLACEHOLDER], "a unit is trimmed as one"
    assert done.messages[4:] == messages[4:]
    assert (done.results, done.inputs, done.units, done.fits) == (2, 0, 0, True)
    assert done.messages[2].id == messages[2].id


def test_then_long_values_in_inputs_are_shortened():
    long = {"path": "a", "edits": [{"text": "é" * 5_000, "n": 1}], "short": "s" * LONG_VALUE}
    messages = history(*unit("ok", **long))
    done = trim(messages, size(messages) - 1)
    (call,) = done.messages[1].tool_calls
    assert (done.inputs, done.units, done.fits) == (1, 0, True)
    assert (call.id, call.input["path"], call.input["short"]) == ("c0", "a", long["short"])
    shortened = call.input["edits"][0]["text"]
    assert shortened.startswith("é" * 900)
    assert shortened.endswith("[trimmed: budget, 5000 characters]")
    assert len(shortened) <= LONG_VALUE
    assert call.input["edits"][0]["n"] == 1


def test_then_the_oldest_units_are_dropped_whole():
    messages = history(*unit("a", "b", text="t" * 400), say("kept"), *unit("c", text="u" * 400))
    done = trim(messages, size(messages) - 300)
    assert (done.units, done.fits) == (1, True)
    assert done.messages == [messages[0], *messages[4:]]


def test_what_is_pinned_stays_and_what_is_still_too_long_is_said():
    messages = [system("s" * 500), user("t" * 500), *unit("x" * 500), *history()[1:], user("u" * 500)]
    done = trim(messages, 100)
    assert not done.fits
    assert done.messages == [*messages[:2], *messages[4:]]
    assert done.after == size(done.messages) > 100


def test_the_tail_is_widened_to_whole_units():
    messages = [user("task"), *unit(*["x" * 500] * 8)]
    done = trim(messages, 100)
    assert (done.messages, done.fits) == (messages, False)
    assert trim(messages, 100, keep_tail=0).messages == messages[:1]


def test_unparsed_arguments_stay_an_object():
    call = ToolCall("c", "write", {"_raw": "{" + "x" * 5_000}, True)
    messages = history(Message("assistant", parts=(call,)), tool_result(call, "no", ok=False))
    shorter = trim(messages, size(messages) - 1).messages[1].tool_calls[0]
    assert shorter.unparsed
    assert list(shorter.input) == ["_raw"]
    assert len(shorter.input["_raw"]) <= LONG_VALUE


@needs_shared
def test_handed_case_60_a_call_and_its_results_are_one_unit():
    """The sizes of the case are those of the contents. A request also holds the JSON around them and the tools, so
    that neither placeholders nor shorter inputs make it fit in the 500 characters, and the unit goes whole."""
    case = loads((SHARED / "cases/60-trim-orphans.json").read_bytes())
    expected = loads((SHARED / "cases/60-trim-orphans.expect.json").read_bytes())["expected"]
    messages, calls = [], {}
    for entry in case["history"]:
        if "tool_calls" in entry:
            half = "p" * (entry["size"] // len(entry["tool_calls"]))
            calls = {id: ToolCall(id, "read_file", {"path": half}) for id in entry["tool_calls"]}
            messages.append(Message("assistant", parts=tuple(calls.values())))
        elif entry["role"] == "tool":
            messages.append(tool_result(calls[entry["id"]], "r" * entry["size"]))
        else:
            messages.append(user(entry["text"]) if entry["role"] == "user" else say(entry["text"]))
    tools = [ToolSpec("read_file", "Read a file.", {"type": "object", "properties": {"path": {"type": "string"}}})]
    done = trim(messages, case["budget"], base=base_size(None, tools), keep_tail=2)
    kept = [f"{m.role} {m.text or ''.join(part.text for part in m.parts)}" for m in done.messages]
    assert kept == expected["kept"]
    assert done.fits


texts = st.sampled_from(["", "a", "é" * 40, '\n"' * 300, "x" * 1_000, "y" * 1_001, "z" * 4_000])
inputs = st.recursive(
    texts | st.integers(0, 3) | st.none(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=4,
)
blocks = st.one_of(
    st.builds(lambda text: [user(text)], texts),
    st.builds(lambda text: [say(text)], texts),
    st.builds(lambda text: [system(text)], texts),
    st.builds(lambda opaque: [Message("assistant", parts=(Reasoning("", opaque),))], texts),
    st.builds(
        lambda results, value, text: unit(*results, text=text, value=value),
        st.lists(texts, min_size=1, max_size=4),
        inputs,
        texts,
    ),
)


@given(st.lists(blocks, max_size=10), st.integers(0, 15_000), st.integers(0, 8), st.integers(0, 300))
def test_laws_of_trimming(older, budget, keep_tail, base):
    messages = [user("task"), *(message for block in older for message in block)]
    done = trim(messages, budget, base=base, keep_tail=keep_tail)
    assert done.after == base + size(done.messages)
    assert done.fits == (done.after <= budget)
    assert done.changed == (done.messages != messages)
    again = trim(done.messages, budget, base=base, keep_tail=keep_tail)
    assert (again.messages, again.changed, again.fits) == (done.messages, False, done.fits)
    assert done.messages[0] == messages[0]
    if keep_tail:
        assert done.messages[-keep_tail:] == messages[-keep_tail:]
    outside = [m for m in messages if m.role != "tool" and not m.tool_calls]
    assert [m for m in done.messages if m.role != "tool" and not m.tool_calls] == outside
    for whole in units(done.messages):
        calls = done.messages[whole.start].tool_calls
        assert [call.id for call in calls] == [done.messages[index].id for index in whole[1:]]
        assert all(isinstance(call.input, dict) for call in calls)
    in_units = {index for whole in units(done.messages) for index in whole}
    assert all(m.role != "tool" or n in in_units for n, m in enumerate(done.messages)), "an orphaned result"


@pytest.mark.parametrize("limit", [0, 1, 60, 61, 100, 20_000])
@pytest.mark.parametrize("length", [0, 10, 100, 20_000, 20_001, 1_000_000])
def test_cap(limit, length):
    text = "".join(str(n % 10) for n in range(length))
    short = cap(text, limit)
    assert len(short) <= limit
    assert cap(short, limit) == short
    if length <= limit:
        assert short == text
    elif limit >= 100:
        assert short[0] == text[0]
        assert short[-1] == text[-1]
        assert "characters left out" in short
