from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import harness
from harness.checks.golden import differences, golden_of
from harness.errors import CheckError
from tests.harness.checks.runs import USAGE

RECORDINGS = Path(__file__).resolve().parents[3] / "recordings"
GOLDEN = {
    "calls": [
        {"content": [{"type": "text", "text": "Tea is at four."}], "usage": USAGE, "stop_reason": "stop"},
        {"content": [{"type": "tool_call", "name": "a", "input": {"x": 1}, "id": 0}], "errors": []},
    ]
}


@pytest.mark.parametrize("path", sorted(RECORDINGS.glob("*.jsonl")), ids=lambda path: path.stem)
def test_the_golden_form_is_stable(path):
    golden = golden_of(harness.open(path))
    assert differences(golden, golden_of(harness.open(path))) == []
    assert json.loads(json.dumps(golden)) == golden
    assert len(golden["calls"]) == len(harness.open(path).calls)


def test_what_it_holds():
    golden = golden_of(harness.open(RECORDINGS / "openai-chat-parallel-calls.jsonl"))
    first, last = golden["calls"]
    tools = [part for part in first["content"] if part["type"] == "tool_call"]
    assert [(part["name"], part["id"]) for part in tools] == [("list_dir", 0), ("read_file", 1)]
    assert [*first] == ["content", "usage", "model", "stop_reason", "stop_reason_raw", "complete", "errors"]
    assert [part["type"] for part in last["content"]] == ["text"]
    assert (last["complete"], last["stop_reason"], last["errors"]) == (True, "stop", [])


def test_an_error_stands_in_it():
    golden = golden_of(harness.open(RECORDINGS / "anthropic-error-in-stream.jsonl"))
    assert [error["kind"] for error in golden["calls"][0]["errors"]] == ["overloaded"]


def test_recorded_events_do_not_matter(tmp_path):
    source = RECORDINGS / "openai-chat-text.jsonl"
    lines = [line for line in source.read_text().splitlines(keepends=True) if '"type":"text"' not in line]
    (tmp_path / "x.jsonl").write_text("".join(lines))
    assert golden_of(harness.open(tmp_path / "x.jsonl")) == golden_of(harness.open(source))


def changed(change):
    new = json.loads(json.dumps(GOLDEN))
    change(new["calls"])
    return new


DIFFERENCES = {
    "none": (lambda calls: None, []),
    "numbers": (lambda calls: calls[0]["usage"].update(input_tokens=100), []),
    "text": (
        lambda calls: calls[0]["content"][0].update(text="Tea is at five."),
        ['call 0: content[0].text: golden "Tea is at four.", now "Tea is at five."'],
    ),
    "usage": (
        lambda calls: calls[0]["usage"].update(input_tokens=7),
        ["call 0: usage.input_tokens: golden 100, now 7"],
    ),
    "a part gone": (
        lambda calls: calls[1]["content"].clear(),
        ['call 1: content[0]: golden {"id":0,"input":{"x":1},"name":"a","type":"tool_call"}, now nothing'],
    ),
    "a call gone": (
        lambda calls: calls.pop(),
        ['call 1: gone: [{"id":0,"input":{"x":1},"name":"a","type":"tool_call"}]'],
    ),
    "a new call": (lambda calls: calls.append({"content": []}), ["call 2: new: []"]),
    "two": (
        lambda calls: calls[0].update(stop_reason="length", usage=None),
        [
            'call 0: usage: golden {"cache_read_tokens":null,"cache_write_1h_tokens":null,'
            '"cache_write_tokens":nul…, now null',
            'call 0: stop_reason: golden "stop", now "length"',
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("change", "lines"), DIFFERENCES.values(), ids=DIFFERENCES)
def test_differences(change, lines):
    assert differences(GOLDEN, changed(change)) == lines


def test_long_texts_are_cut_to_where_they_differ():
    old = {"calls": [{"content": [{"text": "x" * 500 + "a"}]}]}
    new = {"calls": [{"content": [{"text": "x" * 500 + "b"}]}]}
    assert differences(old, new) == [
        f'call 0: content[0].text: golden "…{"x" * 20}a", now "…{"x" * 20}b"'
    ]  # fmt: skip


@pytest.mark.parametrize("golden", [[], {}, {"calls": {}}, {"calls": [1]}, "x", None])
def test_what_is_no_golden(golden):
    with pytest.raises(CheckError, match="no golden file"):
        differences(golden, GOLDEN)


def edited(tmp_path, change):
    path = tmp_path / "x.jsonl"
    shutil.copy(RECORDINGS / "openai-chat-text.jsonl", path)
    path.write_text(change(path.read_text()))
    return harness.open(path)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda text: text.replace('"wire":"openai-chat"', '"wire":null'), "call 0: its wire format is not known"),
        (lambda text: text.replace('"wire":"openai-chat"', '"wire":"new"'), "call 0: its wire format 'new' is none of"),
        (lambda text: text[: text.index('{"kind":"call_end"')], "the recording stops inside call 0"),
        (lambda text: text[: text.index('{"kind":"request"')], "the recording has no call"),
    ],
    ids=["unknown", "another", "not closed", "no call"],
)
def test_what_gives_no_golden(tmp_path, change, reason):
    with pytest.raises(CheckError, match=reason):
        golden_of(edited(tmp_path, change))
