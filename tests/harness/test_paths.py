from __future__ import annotations

import os
from pathlib import Path

import pytest

from harness.errors import HarnessError
from harness.paths import find_recordings, without_suffix


@pytest.fixture(autouse=True)
def tree(tmp_path, monkeypatch):
    for name in (
        "a.jsonl",
        "notes.txt",
        "runs/c.jsonl",
        "runs/b.jsonl.gz",
        "runs/deep/d.jsonl",
        "other/x.json",
        "runs/a.workspace/deep/e.jsonl",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    (tmp_path / "empty").mkdir()
    (tmp_path / "runs" / "folder.jsonl").mkdir()
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("paths", "found"),
    [
        (["a.jsonl"], ["a.jsonl"]),
        (["notes.txt"], ["notes.txt"]),
        (["."], ["a.jsonl", "runs/b.jsonl.gz", "runs/c.jsonl", "runs/deep/d.jsonl"]),
        (["runs", "a.jsonl"], ["runs/b.jsonl.gz", "runs/c.jsonl", "runs/deep/d.jsonl", "a.jsonl"]),
        (["runs/c.jsonl", "./runs/c.jsonl", "runs/"], ["runs/c.jsonl", "runs/b.jsonl.gz", "runs/deep/d.jsonl"]),
        (["*.jsonl"], ["a.jsonl"]),
        (["runs/*/*.jsonl"], ["runs/deep/d.jsonl"]),
        (["runs/a.workspace"], ["runs/a.workspace/deep/e.jsonl"]),
        (["r*"], ["runs/b.jsonl.gz", "runs/c.jsonl", "runs/deep/d.jsonl"]),
    ],
)
def test_what_paths_name(paths, found):
    assert find_recordings(paths) == [Path(name) for name in found]


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("empty", "no recording in this folder"),
        ("other", "no recording in this folder"),
        ("missing.jsonl", "no such file or folder"),
        ("missing/*.jsonl", "matches nothing"),
        ("o*", "hold no recording"),
        ("x" * 5000, "cannot be looked up"),
        ("a\0b", "no such file"),
    ],
)
def test_what_names_none(path, said):
    with pytest.raises(HarnessError, match=said) as caught:
        find_recordings(["a.jsonl", path])
    assert "\n" not in str(caught.value)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_may_not_be_read(tmp_path):
    (tmp_path / "runs").chmod(0)
    try:
        with pytest.raises(HarnessError, match="Permission denied"):
            find_recordings(["runs/c.jsonl"])
    finally:
        (tmp_path / "runs").chmod(0o755)


def test_odd_names_are_found_as_they_are(tmp_path):
    (tmp_path / "[1].jsonl").write_text("")
    assert find_recordings(["[1].jsonl"]) == [Path("[1].jsonl")]


@pytest.mark.parametrize(
    ("name", "found"),
    [("a.jsonl", "a"), ("a.jsonl.gz", "a"), ("a.b.2.jsonl", "a.b.2"), ("a.json", "a.json"), ("a", "a"), (".jsonl", "")],
)
def test_names_without_suffix(name, found):
    assert without_suffix(name) == found


def test_a_folder_that_cannot_be_searched(monkeypatch):
    scandir = os.scandir

    def scan(path):
        if Path(path) == Path("runs/deep"):
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", scan)
    with pytest.raises(HarnessError, match=r"^runs/deep: cannot be searched: Permission denied$"):
        find_recordings(["runs"])
