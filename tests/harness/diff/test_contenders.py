"""Which recordings are runs of the same task."""

from __future__ import annotations

import pytest

from harness.diff.contenders import all_tasks, find_contenders
from harness.errors import HarnessError
from tests.harness.diff.runs import run, text


def write(folder, name, task=None):
    return run(folder / name, [text("end")], task=task)


def test_folders_by_task_and_by_name(tmp_path):
    for name, task in (("a/x.1.jsonl", "x"), ("a/deep/x.2.jsonl", "x"), ("a/y.jsonl", None), ("a/deep/z.jsonl", None)):
        write(tmp_path, name, task)
    write(tmp_path, "a/x.1.workspace/left.jsonl")
    write(tmp_path, "b/y.jsonl")
    one, other = find_contenders([str(tmp_path / "a"), str(tmp_path / "b")])
    assert (one.name, other.name) == ("a", "b")
    assert {task: [file.name for file in files] for task, files in one.tasks.items()} == {
        "deep/z": ["z.jsonl"], "x": ["x.2.jsonl", "x.1.jsonl"], "y": ["y.jsonl"],
    }  # fmt: skip
    assert all_tasks([one, other]) == ["deep/z", "x", "y"]


def test_two_files_are_runs_of_one_task_whatever_they_are_called(tmp_path):
    paths = [write(tmp_path, "a.jsonl", "one"), write(tmp_path, "b.jsonl", "other")]
    one, other = find_contenders([*map(str, paths)])
    assert one.tasks == {"one": [paths[0]]}
    assert other.tasks == {"one": [paths[1]]}


def test_a_file_and_a_folder_are_paired_by_task(tmp_path):
    file = write(tmp_path, "b.jsonl", "one")
    write(tmp_path, "a/x.jsonl", "one")
    one, other = find_contenders([str(tmp_path / "a"), str(file)])
    assert all_tasks([one, other]) == ["one"]


def test_names_tell_contenders_apart(tmp_path):
    for name in ("a/x", "b/x"):
        write(tmp_path, f"{name}/t.jsonl")
    paths = [str(tmp_path / name) for name in ("a/x", "b/x", "a/x")]
    assert [one.name for one in find_contenders(paths)] == [paths[0], paths[1], f"{paths[0]} (2)"]
    assert [one.name for one in find_contenders(paths[:1])] == ["x"]


def test_what_cannot_be_read_is_told(tmp_path):
    write(tmp_path, "a/x.jsonl")
    (tmp_path / "a/bad.jsonl").touch()
    (one,) = find_contenders([str(tmp_path / "a")])
    assert (len(one.unread), [*one.tasks]) == (1, ["x"])


@pytest.mark.parametrize("name", ["nowhere", "empty"])
def test_a_path_that_names_no_recording(tmp_path, name):
    (tmp_path / "empty").mkdir()
    with pytest.raises(HarnessError, match=name):
        find_contenders([str(tmp_path / name)])
