from __future__ import annotations

import os

import pytest

from agent.tools.tool import ToolError
from agent.tools.walk import show, walk
from agent.tools.workspace import Workspace


@pytest.fixture
def tree(root):
    for path in ("b/x/deep", "a/y", "c", ".git/config", "sub/.git", "b/.hidden"):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("")
    (root / "b/loop").symlink_to("..")
    (root / "z").symlink_to("/etc/passwd")
    os.mkfifo(root / "fifo")
    return root


def found(root, depth, start=()):
    return [("/".join(e.parts), e.kind, e.depth) for e in walk(Workspace(root), start, depth)]


def test_order_depth_and_kinds(tree):
    assert found(tree, 1) == [
        ("a", "folder", 1), ("b", "folder", 1), ("c", "file", 1), ("fifo", "special", 1), ("sub", "folder", 1),
        ("z", "link", 1),
    ]  # fmt: skip
    assert [entry[0] for entry in found(tree, 9)] == [
        "a", "a/y", "b", "b/.hidden", "b/loop", "b/x", "b/x/deep", "c", "fifo", "sub", "z",
    ]  # fmt: skip
    assert found(tree, 2, ("b",)) == [
        ("b/.hidden", "file", 1), ("b/loop", "link", 1), ("b/x", "folder", 1), ("b/x/deep", "file", 2),
    ]  # fmt: skip


@pytest.mark.parametrize(("start", "error"), [(("c",), ToolError), (("nowhere",), FileNotFoundError)])
def test_a_start_that_is_no_folder(tree, start, error):
    with pytest.raises(error):
        found(tree, 1, start)


def test_a_folder_that_went_away_is_told_and_the_walk_goes_on(tree):
    entries = walk(Workspace(tree), (), 9)
    assert next(entries).parts == ("a",)
    (tree / "b").rename(tree.parent / "gone")
    (tree / "b").symlink_to(tree.parent / "gone")
    rest = list(entries)
    assert [e.parts[0] for e in rest] == ["a", "b", "c", "fifo", "sub", "z"]
    assert "symlink" in rest[1].error


def test_deep_trees_need_few_descriptors(root):
    parts = ("d",) * 300
    here = os.open(root, os.O_RDONLY)
    for part in parts:
        os.mkdir(part, dir_fd=here)
        below = os.open(part, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    assert len(found(root, 1000)) == 300


def test_names_are_shown_on_one_line():
    assert show(("a\nb", "\x1b[31m", "é 日")) == "a\\x0ab/\\x1b[31m/é 日"
