from __future__ import annotations

from pathlib import Path

import pytest

from harness.errors import HarnessError
from harness.paths import find_files, find_recordings

FILES = ("a/x.jsonl", "a/b/y.jsonl.gz", "a/notes.txt", "a/.git/config", "a/node_modules/m.js", "z.jsonl")


@pytest.fixture
def tree(tmp_path, monkeypatch):
    for name in FILES:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    (tmp_path / "a/broken").symlink_to("nowhere")
    (tmp_path / "a/loop").symlink_to(tmp_path / "a", target_is_directory=True)
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("tree")
@pytest.mark.parametrize(
    ("paths", "found"),
    [
        (["a"], ["a/b/y.jsonl.gz", "a/x.jsonl"]),
        (["z.jsonl", "a", "z.jsonl"], ["z.jsonl", "a/b/y.jsonl.gz", "a/x.jsonl"]),
        (["a/notes.txt"], ["a/notes.txt"]),
        (["*.jsonl"], ["z.jsonl"]),
    ],
)
def test_recordings(paths, found):
    assert find_recordings(paths) == [Path(name) for name in found]


@pytest.mark.usefixtures("tree")
def test_files_of_any_kind():
    assert find_files(["a", "z.jsonl"]) == [
        Path(name) for name in ("a/b/y.jsonl.gz", "a/notes.txt", "a/x.jsonl", "z.jsonl")
    ]
    assert find_files(["a/.git"]) == [Path("a/.git/config")]


@pytest.mark.usefixtures("tree")
@pytest.mark.parametrize("find", [find_recordings, find_files])
def test_a_path_that_names_nothing(find):
    with pytest.raises(HarnessError, match="no such file"):
        find(["nothing-here"])


def test_a_folder_without_recordings(tmp_path):
    with pytest.raises(HarnessError, match="no recording in this folder"):
        find_recordings([str(tmp_path)])
    assert find_files([str(tmp_path)]) == []
