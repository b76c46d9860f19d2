from __future__ import annotations

import json

import pytest

from harness.errors import HarnessError
from harness.suites.accept import Golden, goldens, stale, write
from harness.suites.recordings import Recordings
from tests.harness.sessions import Turn, chat, record
from tests.harness.suites.suite_files import suite, with_recordings

EVENTS = '[[case.check]]\ntype = "events"\n'


def found_of(folder, recording: str = "gemini-text.jsonl") -> tuple[Golden, ...]:
    text = f'[[case]]\nname = "Says it"\nrecording = "{recording}"\n{EVENTS}[[case]]\nname = "other"\n'
    return tuple(goldens(suite(folder, text + '[[case.check]]\ntype = "no_error"\n').cases, Recordings()))


def test_added_then_unchanged_then_changed(tmp_path):
    with_recordings(tmp_path, "gemini-text")
    (golden,) = found_of(tmp_path)
    path = tmp_path / "goldens" / "a" / "says-it.json"
    assert (golden.path, golden.what, golden.case, golden.lines) == (path, "added", "Says it", ())
    write(golden)
    text = path.read_text("utf-8")
    assert text == json.dumps(json.loads(text), indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    assert [one.what for one in found_of(tmp_path)] == ["unchanged"]
    path.write_text(text.replace("foxes", "vixens"), "utf-8")
    (golden,) = found_of(tmp_path)
    assert golden.what == "changed"
    assert len(golden.lines) == 1
    assert "vixens" in golden.lines[0]
    assert "foxes" in golden.lines[0]
    path.write_text(text.replace("\n", ""), "utf-8")
    assert [(one.what, one.lines) for one in found_of(tmp_path)] == [("changed", ("only its layout",))]
    path.write_text("[]", "utf-8")
    assert [one.lines for one in found_of(tmp_path)] == [("what was there is no golden file",)]
    write(found_of(tmp_path)[0])
    assert path.read_text("utf-8") == text


def test_what_cannot_be_derived_is_an_error(tmp_path):
    (tmp_path / "empty.jsonl").write_bytes(b"")
    (golden,) = found_of(tmp_path, "empty.jsonl")
    assert (golden.what, golden.data) == ("error", None)
    assert str(tmp_path / "empty.jsonl") in golden.lines[0]
    write(golden)
    assert not golden.path.exists()
    with_recordings(tmp_path, "gemini-text")
    path = tmp_path / "gemini-text.jsonl"
    path.write_bytes(path.read_bytes().replace(b'{"kind":"event"', b'{"kind:"event"', 1))
    (golden,) = found_of(tmp_path)
    assert golden.what == "error"
    assert golden.lines[0].startswith(f"{path}: line ")


def test_recordings_of_one_case_have_to_agree(tmp_path):
    record(tmp_path / "r1.jsonl", Turn([chat("one")]))
    record(tmp_path / "r2.jsonl", Turn([chat("o", "ne")]))
    assert [one.what for one in found_of(tmp_path, "r*.jsonl")] == ["added"]
    record(tmp_path / "r3.jsonl", Turn([chat("two")]))
    (golden,) = found_of(tmp_path, "r*.jsonl")
    assert golden.what == "error"
    assert "a case has one golden" in golden.lines[0]


def test_stale_goldens_are_removed(tmp_path):
    with_recordings(tmp_path, "gemini-text")
    write(found_of(tmp_path)[0])
    old = tmp_path / "goldens" / "a" / "old.json"
    old.write_text("{}")
    other = tmp_path / "goldens" / "b" / "mine.json"
    other.parent.mkdir()
    other.write_text("{}")
    cases = suite(tmp_path, f'[[case]]\nname = "Says it"\nrecording = "gemini-text.jsonl"\n{EVENTS}').cases
    (golden,) = stale(cases)
    assert (golden.path, golden.what, golden.case) == (old, "removed", None)
    write(golden)
    assert not old.exists()
    assert other.exists()
    assert stale(cases) == []


def test_folders_and_files_in_the_way_are_one_line(tmp_path):
    with_recordings(tmp_path, "gemini-text")
    (golden,) = found_of(tmp_path)
    (tmp_path / "goldens").write_text("")
    with pytest.raises(HarnessError, match=r"says-it\.json: cannot be written: "):
        write(golden)
    (golden,) = found_of(tmp_path)
    assert (golden.what, golden.lines) == ("error", ("cannot be read: Not a directory",))
