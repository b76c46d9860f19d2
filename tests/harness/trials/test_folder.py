from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from harness.errors import HarnessError
from harness.recorder.recorder import Recorder
from harness.trials.folder import (
    aside,
    facts_aside,
    opened,
    read_plan,
    result_of,
    set_aside,
    start_over,
    write_plan,
)
from harness.trials.plan import Plan, PlannedModel
from tests.harness.sessions import Turn, change, chat, record
from tests.harness.trials.trial_runs import cases, trial

PLAN = Plan("1", (), (), (PlannedModel("one", "openai", "m", "http://h"),), 1)


@pytest.fixture
def one(tmp_path):
    found = trial(cases(tmp_path)[0], tmp_path / "trials")
    found.path.parent.mkdir(parents=True)
    return found


def write(one, status, workspace=True):
    if workspace:
        one.workspace.mkdir(exist_ok=True)
    made = record(one.path.with_name("made.jsonl"), Turn([chat("Tea at four.")]))
    change(made, lambda line: line["kind"] != "end" or (line.update(status=status) if status else False), one.path.name)
    made.unlink()


def test_the_scratch_folder_is_outside_and_goes(tmp_path):
    folder = tmp_path / "new" / "trials"
    with opened(folder) as scratch:
        (scratch / "copy").mkdir()
        assert not scratch.is_relative_to(folder)
        assert (folder / ".lock").read_text("utf-8") == str(scratch)
    assert not scratch.exists()
    assert (folder / ".lock").read_bytes() == b""


@pytest.mark.parametrize(
    ("noted", "goes"),
    [("harness-run-left", True), ("mine", False), ("harness-run-none", False)],
    ids=["left", "of someone else", "gone already"],
)
def test_what_a_killed_run_left(tmp_path, monkeypatch, noted, goes):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for name in ("harness-run-left", "mine"):
        (tmp_path / name).mkdir()
    folder = tmp_path / "trials"
    folder.mkdir()
    (folder / ".lock").write_text(str(tmp_path / noted), "utf-8")
    with opened(folder):
        pass
    assert (tmp_path / "harness-run-left").exists() is not goes
    assert (tmp_path / "mine").exists()


def test_folders_that_cannot_be_used(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis").write_bytes(b"")
    for name, problem in (("file", "cannot be written"), ("full", "it holds thesis but no trials")):
        with pytest.raises(HarnessError, match=problem), opened(tmp_path / name):
            pass


def test_a_full_disk_is_one_line(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "t"))
    (tmp_path / "t").mkdir()
    monkeypatch.setattr(os, "pwrite", full)
    with (
        pytest.raises(HarnessError, match=r"trials: cannot be written: No space left on device$"),
        opened(tmp_path / "trials"),
    ):
        pass
    assert [*(tmp_path / "t").iterdir()] == []


def test_a_folder_that_another_run_holds(tmp_path):
    with (
        opened(tmp_path / "held"),
        pytest.raises(HarnessError, match="another `harness run` works in it"),
        opened(tmp_path / "held"),
    ):
        pass


def test_the_plan_is_kept(tmp_path):
    assert read_plan(tmp_path) is None
    write_plan(tmp_path, PLAN)
    assert read_plan(tmp_path) == PLAN
    assert [path.name for path in tmp_path.iterdir()] == ["trials.json"]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": "trials", "version": 2}', "null"])
def test_a_plan_that_is_none(tmp_path, text):
    (tmp_path / "trials.json").write_text(text, "utf-8")
    with pytest.raises(HarnessError, match="it is no plan of trials of this version"):
        read_plan(tmp_path)


def test_a_plan_that_cannot_be_read_or_written(tmp_path):
    (tmp_path / "trials.json").mkdir()
    with pytest.raises(HarnessError, match="cannot be read"):
        read_plan(tmp_path)
    with pytest.raises(HarnessError, match=r"trials\.json: this is a folder"):
        write_plan(tmp_path, PLAN)


def test_starting_over_removes_trials_and_nothing_else(tmp_path, one):
    folder = tmp_path / "trials"
    write(one, "ok")
    set_aside(one)
    write(one, "ok")
    (one.path.parent / "notes.txt").write_text("mine", "utf-8")
    write_plan(folder, PLAN)
    start_over(folder, PLAN)
    assert [path.relative_to(folder).as_posix() for path in folder.rglob("*")] == ["one", "one/notes.txt"]


@pytest.mark.parametrize(
    ("status", "workspace", "whole"),
    [("ok", True, True), ("error", True, True), ("cancelled", True, False), (None, True, False), ("ok", False, True)],
)
def test_which_trials_came_to_their_end(one, status, workspace, whole):
    assert result_of(one) is None
    write(one, status, workspace)
    assert (result_of(one) is not None) is whole


def test_what_is_put_aside_is_numbered(one):
    for status in ("ok", "error", None):
        write(one, status)
        set_aside(one)
    names = [path.name for path in aside(one)]
    assert names == [f"tea.1.jsonl.set-aside-{number}" for number in (1, 2, 3)]
    assert [facts.status for facts in facts_aside(one)] == ["ok", "error", None]
    assert not one.workspace.exists()


def test_what_cannot_be_put_aside_is_one_line(one, monkeypatch):
    def refuses(path, target):
        raise PermissionError(13, "Permission denied", str(path))

    record(one.path, Turn([chat("a")]))
    monkeypatch.setattr(type(one.path), "rename", refuses)
    with pytest.raises(HarnessError, match=r"tea.1.jsonl: cannot be moved or removed: Permission denied$"):
        set_aside(one)


def test_what_holds_no_call_is_not_kept(one):
    set_aside(one)
    for content in (b"", b"no recording\n"):
        one.path.write_bytes(content)
        set_aside(one)
    Recorder(one.path).close()
    set_aside(one)
    assert os.listdir(one.path.parent) == []
    assert Path(one.path.parent).is_dir()
