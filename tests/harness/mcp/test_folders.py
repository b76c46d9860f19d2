"""Which files a client of the MCP server may name."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agent.tools.tool import ToolError
from harness.mcp.folders import Folders


@pytest.fixture
def tree(tmp_path):
    for name in ("in/a.jsonl", "in/deep/b.jsonl.gz", "in/note.txt", "out/c.jsonl", "other/d.jsonl"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}\n")
    (tmp_path / "in/folder.jsonl").mkdir()
    (tmp_path / "in/inside.jsonl").symlink_to("a.jsonl")
    (tmp_path / "in/outside.jsonl").symlink_to(tmp_path / "out/c.jsonl")
    (tmp_path / "in/gone.jsonl").symlink_to("nothing.jsonl")
    (tmp_path / "in/circle.jsonl").symlink_to("circle.jsonl")
    (tmp_path / "in/elsewhere").symlink_to(tmp_path / "out")
    return tmp_path


@pytest.mark.parametrize("name", ["a.jsonl", "deep/b.jsonl.gz", "inside.jsonl", "./a.jsonl", "deep/../a.jsonl"])
def test_recordings_inside_are_found(tree, name):
    found = Folders([tree / "in"]).find(name)
    assert found.read_text() == "{}\n"


@pytest.mark.parametrize(
    "name",
    [
        "../out/c.jsonl", "outside.jsonl", "elsewhere/c.jsonl", "gone.jsonl", "circle.jsonl", "folder.jsonl",
        "note.txt", "nothing.jsonl", "", ".", "/etc/passwd", "a.jsonl\0", "\0.jsonl", "\ud83d.jsonl",
        "x" * 5_000 + ".jsonl",
    ],
)  # fmt: skip
def test_nothing_else_is(tree, name):
    with pytest.raises(ToolError, match="there is no recording"):
        Folders([tree / "in"]).find(name)


def test_an_absolute_name_counts_only_inside(tree):
    folders = Folders([tree / "in"])
    assert folders.find(str(tree / "in/a.jsonl")) == tree / "in/a.jsonl"
    with pytest.raises(ToolError):
        folders.find(str(tree / "out/c.jsonl"))


def test_the_latest_comes_first(tree):
    os.utime(tree / "in/a.jsonl", (100, 100))
    os.utime(tree / "in/deep/b.jsonl.gz", (200, 200))
    folders = Folders([tree / "in"])
    names = [folders.name(path) for path in folders.newest_first()]
    assert names == ["deep/b.jsonl.gz", "a.jsonl", "inside.jsonl"]


def test_what_a_trial_left_in_its_workspace_is_not_listed(tree):
    left = tree / "in/tea.1.workspace/data.jsonl"
    left.parent.mkdir()
    left.write_text("{}\n")
    folders = Folders([tree / "in"])
    assert left not in folders.newest_first()
    assert len(folders.newest_first()) == 3
    assert Folders([left.parent]).newest_first() == [left]


def test_every_listed_name_is_found(tree, monkeypatch):
    monkeypatch.chdir(tree)
    for roots in ([Path("in")], [Path("in"), Path("other")], [tree / "in", tree / "other"]):
        folders = Folders(roots)
        listed = folders.newest_first()
        assert [folders.find(folders.name(path)) for path in listed] == listed
        assert len(listed) == 3 + (len(roots) - 1)


def test_a_folder_that_does_not_exist_yet(tree):
    folders = Folders([tree / "later"])
    assert folders.newest_first() == []
    (tree / "later").mkdir()
    (tree / "later/x.jsonl").write_text("{}\n")
    assert [folders.name(path) for path in folders.newest_first()] == ["x.jsonl"]
