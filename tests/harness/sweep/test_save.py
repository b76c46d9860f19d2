from __future__ import annotations

import json
from dataclasses import replace

import pytest

from agent.events import DecodeOptions, End, to_dict
from harness.errors import HarnessError
from harness.sweep.cases import Corrupt, Cut, Whole
from harness.sweep.decode import decode
from harness.sweep.save import save
from harness.sweep.streams import make_stream, read_fixture
from harness.sweep.tally import Broken, Example
from tests.harness.sweep.swept import chat, unknown

STREAM = chat({"content": "é"})
CUT = Cut(1, 0, "reset")


def test_the_smallest_stream_is_saved_before_the_case(tmp_path):
    small = Example(replace(STREAM, pieces=STREAM.pieces[:2]), CUT, "how it shows")
    path = save(Broken("kept", Example(STREAM, CUT, "other"), small=small), "what it says", tmp_path / "new")
    assert path.parent == tmp_path / "new" / "openai-chat"
    found = read_fixture(path)
    assert (found.pieces, found.wire, found.status) == (STREAM.pieces[:2], "openai-chat", 200)
    assert list(found.expected) == [to_dict(event) for event in decode(found, Whole().answer(found)).events]
    expect = json.loads(path.with_name(f"{path.stem}.expect.json").read_text("utf-8"))
    assert expect["why"] == "what it says. Broken by this case: cut before frame 1, reset. how it shows"


def test_a_damaged_stream_is_saved_as_it_was_damaged(tmp_path):
    path = save(Broken("usage", Example(STREAM, Corrupt(0, 2, 0x58, "timeout"), "x")), "says", tmp_path)
    found = read_fixture(path)
    assert found.body == b"daXa" + STREAM.body[4:]
    assert found.end == End("error", "ReadTimeout", "no data in time")


def test_recorded_events_are_kept(tmp_path):
    stream = replace(STREAM, expected=({"type": "text", "text": "recorded"},), options=DecodeOptions(think_tags=True))
    found = read_fixture(save(Broken("known", Example(stream, Whole(), "x")), "says", tmp_path))
    assert (found.expected, found.options) == (stream.expected, stream.options)


def test_an_http_error_keeps_its_headers(tmp_path):
    headers = [("retry-after", "3"), ("content-type", "application/json")]
    stream = unknown(make_stream("gemini", b"{}", headers, status=429))
    path = save(Broken("usage", Example(stream, Whole(), "x")), "says", tmp_path)
    assert path.suffix == ".body"
    assert {*read_fixture(path).headers} == {*headers}


def test_a_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(HarnessError, match="cannot be written"):
        save(Broken("usage", Example(STREAM, Whole(), "x")), "says", tmp_path / "file")
