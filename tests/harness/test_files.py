from __future__ import annotations

import os
from pathlib import Path

import pytest

from harness.errors import HarnessError
from harness.files import find_files

FILES = ("a/x.jsonl", "a/b/y.bin", "a/notes.txt", "a/.git/config", "a/node_modules/m.js", "a/.env", "z.jsonl")


@pytest.fixture(autouse=True)
def tree(tmp_path, monkeypatch):
    for name in FILES:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    (tmp_path / "a/broken").symlink_to("nowhere")
    (tmp_path / "a/loop").symlink_to(tmp_path / "a", target_is_directory=True)
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("paths", "found"),
    [
        (["a", "z.jsonl", "a"], ["a/.env", "a/b/y.bin", "a/notes.txt", "a/x.jsonl", "z.jsonl"]),
        (["a/.git"], ["a/.git/config"]),
        (["*.jsonl"], ["z.jsonl"]),
        (["a/[b]"], ["a/b/y.bin"]),
        (["empty"], []),
    ],
)
def test_files_that_are_named(paths, found):
    assert find_files(paths) == [Path(name) for name in found]


@pytest.mark.parametrize("path", ["nothing-here", "*.none", "a\0b"])
def test_a_path_that_names_nothing(path):
    with pytest.raises(HarnessError, match=r"no such file|cannot be looked up"):
        find_files([path])


@pytest.fixture
def closed(monkeypatch):
    """`a/b` may not be read."""
    scandir = os.scandir

    def scan(path):
        if Path(path) == Path("a/b"):
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", scan)


@pytest.mark.usefixtures("closed")
def test_a_folder_that_cannot_be_searched():
    with pytest.raises(HarnessError, match=r"^a/b: cannot be searched: Permission denied$"):
        find_files(["a"])
    told = []
    assert find_files(["a"], told) == [Path("a/.env"), Path("a/notes.txt"), Path("a/x.jsonl")]
    assert told == ["a/b: cannot be searched: Permission denied"]
