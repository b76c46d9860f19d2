from __future__ import annotations

import pytest

import harness
from harness.report.call_facts import answer, call_facts, content, models_of
from harness.report.facts import recording_facts
from harness.report.reading import read_facts
from tests.harness.report.session import session, tool_result, usage, write
from tests.harness.sessions import Turn, chat, failure, record


@pytest.mark.parametrize(
    ("events", "parts"),
    [
        ([], []),
        ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], [{"type": "text", "text": "ab"}]),
        (
            [{"type": "reasoning", "text": "a"}, {"type": "text", "text": ""}, {"type": "text", "text": "b"}],
            [{"type": "reasoning", "text": "a"}, {"type": "text", "text": "b"}],
        ),
        (
            [
                {"type": "text", "text": "a"}, {"type": "reasoning", "text": "", "opaque": {"type": "server_tool"}},
                {"type": "text", "text": "b"},
            ],
            [{"type": "text", "text": "a"}, {"type": "opaque", "what": "server_tool"}, {"type": "text", "text": "b"}],
        ),
        ([{"type": "reasoning", "text": "", "opaque": "sig"}], [{"type": "opaque", "what": "str"}]),
        ([{"type": "reasoning", "text": "", "opaque": {"signature": "x"}}], [{"type": "opaque", "what": "signature"}]),
        ([{"type": "reasoning", "text": ""}, usage(), {"type": "error"}, {}], []),
        (
            [{"type": "tool_call", "id": "c", "name": "n", "input": {"_raw": "{"}, "unparsed": True}],
            [{"type": "tool_call", "id": "c", "name": "n", "input": {"_raw": "{"}, "unparsed": True}],
        ),
    ],
)  # fmt: skip
def test_events_add_up(events, parts):
    assert content(events) == parts


def test_figures_of_a_call(tmp_path):
    recording = harness.open(write(tmp_path / "x.jsonl", session()))
    call = recording.calls[1]
    started = call.started
    facts = call_facts(call, recording.turns[0].tool_results)
    assert (facts.call, facts.turn, facts.retry_of, facts.wire) == (1, 0, 0, "openai-chat")
    assert (facts.provider, facts.model, facts.answered_by) == ("openai", "m", "m-1")
    assert (facts.status, facts.content_type, facts.frames, facts.bytes) == (200, "a/b", 2, 18)
    assert facts.first_chunk == call.frames[0].t - started == 0.5
    assert facts.duration == 0.25 * 11
    assert (facts.ending, facts.complete, facts.stop_reason) == ("complete", True, "tool_calls")
    assert [part["type"] for part in facts.content] == ["reasoning", "text", "tool_call", "tool_call"]
    assert [(result["ok"], result["output"]) for result in facts.tool_results] == [
        (True, "out"),
        (False, "no such file"),
    ]


def test_the_first_chunk_may_end_inside_the_first_frame(tmp_path):
    records = session()
    frame = next(record for record in records if record["kind"] == "frame")
    frame |= {"cuts": [2, 9], "cut_t": [frame["t"] - 0.125]}
    call = harness.open(write(tmp_path / "x.jsonl", records)).calls[1]
    assert call_facts(call, []).first_chunk == 0.375


def test_models_that_answered_each_once(tmp_path):
    """Not one that was only asked: in a call that got no answer, be it tried again or not."""
    tried = record(tmp_path / "a.jsonl", Turn([failure(503), chat("a")]), Turn([chat("b")]))
    assert models_of(read_facts(tried).calls) == ("openai/m-1",)
    refused = record(tmp_path / "b.jsonl", Turn([failure(400)]))
    assert models_of(read_facts(refused).calls) == ()


def test_the_answer_has_each_result_beside_its_call(tmp_path):
    records = session()
    stray = {"seq": 0, "t": 8.5, **tool_result(7)}
    records.insert(-1, stray | {"seq": records[-1]["seq"]})
    facts = recording_facts(harness.open(write(tmp_path / "x.jsonl", records))).calls[1]
    found = [(part and part["type"], [result["position"] for result in results]) for part, results in answer(facts)]
    assert found == [("reasoning", []), ("text", []), ("tool_call", [0]), ("tool_call", [1]), (None, [7])]
    assert facts.tool_results[-1]["ended"] == 8.5
