from __future__ import annotations

import os
import socket
import stat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.tools import workspace as module
from agent.tools.tool import ToolError
from agent.tools.workspace import LONGEST_PATH, Workspace


def plant(root):
    """Links of every kind, and a secret beside the workspace."""
    outside = root.parent / "outside"
    outside.mkdir()
    (outside / "secret").write_text("SECRET")
    (root / "dir").mkdir()
    (root / "dir" / "file").write_text("inside")
    for name, target in {
        "in": "dir", "in_file": "dir/file", "abs_in": str(root / "dir"), "out": "../outside", "out_abs": str(outside),
        "out_file": str(outside / "secret"), "loop": "loop2", "loop2": "loop", "dangling": "dir/new",
        "dangling_out": "../outside/new", "chain": "out/secret", "up": "..",
    }.items():  # fmt: skip
        (root / name).symlink_to(target)
    return root


@pytest.fixture
def tree(root):
    return plant(root)


@pytest.mark.parametrize(
    ("path", "parts"),
    [
        ("", ()), (".", ()), ("dir/..", ()), ("dir/file", ("dir", "file")), ("./dir//file", ("dir", "file")),
        ("in/file", ("dir", "file")), ("abs_in/file", ("dir", "file")), ("in_file", ("dir", "file")),
        ("dangling", ("dir", "new")), ("new/deep/er", ("new", "deep", "er")), ("dir/../dir/file", ("dir", "file")),
        ("../work/dir", ("dir",)), ("up/work/dir", ("dir",)), ("~", ("~",)), ("..dir", ("..dir",)),
    ],
)  # fmt: skip
def test_paths_inside(tree, path, parts):
    assert Workspace(tree).locate(path) == parts


@pytest.mark.parametrize(
    "path",
    [
        "..", "../outside/secret", "dir/../../outside/secret", "out/secret", "out_abs/secret", "out_file", "chain",
        "dangling_out", "up", "up/outside/secret", "/etc/passwd", "/", "in/../../outside", "nowhere/../../outside",
        "../workers", "out/../work/dir/../../outside/secret",
    ],
)  # fmt: skip
def test_paths_outside_are_refused(tree, path):
    workspace = Workspace(tree)
    for attempt in (workspace.locate, lambda p: workspace.read(p, 100), lambda p: workspace.write(p, b"x")):
        with pytest.raises(ToolError, match="outside the workspace"):
            attempt(path)
    assert sorted(p.name for p in (tree.parent / "outside").iterdir()) == ["secret"]


def test_absolute_paths_inside_are_accepted_also_through_a_link_to_the_root(tree):
    (tree.parent / "alias").symlink_to(tree)
    assert Workspace(tree).locate(str(tree / "dir")) == ("dir",)
    assert Workspace(tree).locate(str(tree.parent / "alias" / "dir")) == ("dir",)
    assert Workspace(tree.parent / "alias").locate(str(tree / "dir")) == ("dir",)


def test_a_root_of_the_whole_disk(tree):
    assert Workspace("/").locate(str(tree)) == tuple(str(tree).strip("/").split("/"))


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("a\0b", "NUL"), ("dir/file\0", "NUL"), ("a/" * LONGEST_PATH, "most is"), ("\ud800", "no path"),
        ("loop", "symlink that leads nowhere"), ("loop/file", "symlink that leads nowhere"), ("dir", "a folder"),
        (".", "a folder"), ("dir/file/x", "not a folder"),
    ],
)  # fmt: skip
def test_other_refusals(tree, path, words):
    for attempt in (lambda w: w.read(path, 10), lambda w: w.write(path, b"x")):
        with pytest.raises(ToolError, match=words):
            attempt(Workspace(tree))


def test_a_name_that_is_too_long_is_an_os_error(tree):
    with pytest.raises(OSError, match="too long"):
        Workspace(tree).write("n" * 300, b"x")


def test_fifos_sockets_and_devices_never_block(tree, monkeypatch):
    os.mkfifo(tree / "fifo")
    monkeypatch.chdir(tree)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        for name, words in (("fifo", "a FIFO"), ("socket", "a socket")):
            for attempt in (lambda w, n: w.read(n, 10), lambda w, n: w.write(n, b"x")):
                with pytest.raises(ToolError, match=words):
                    attempt(Workspace(tree), name)
    with pytest.raises(ToolError, match="a device"):
        Workspace("/dev").read("null", 10)


@pytest.mark.parametrize("swapped", ["dir", "dir/file"])
@pytest.mark.parametrize("writing", [False, True])
def test_a_symlink_put_in_between_check_and_open_is_refused(tree, monkeypatch, swapped, writing):
    outside = tree.parent / "outside"
    (outside / "file").write_text("SECRET")
    located = Workspace.locate

    def locate_then_swap(self, path):
        parts = located(self, path)
        (tree / swapped).rename(tree / "moved")
        (tree / swapped).symlink_to(outside if swapped == "dir" else outside / "file")
        return parts

    monkeypatch.setattr(Workspace, "locate", locate_then_swap)
    with pytest.raises(ToolError, match="symlink"):
        Workspace(tree).write("dir/file", b"x") if writing else Workspace(tree).read("dir/file", 10)
    assert (outside / "file").read_text() == "SECRET"


def test_a_fifo_put_in_between_check_and_open_does_not_block(tree, monkeypatch):
    opened = os.open

    def swap_then_open(name, flags, *rest, **more):
        if name == "file":
            (tree / "dir/file").unlink()
            os.mkfifo(tree / "dir/file")
        return opened(name, flags, *rest, **more)

    monkeypatch.setattr(module.os, "open", swap_then_open)
    with pytest.raises(ToolError, match="FIFO"):
        Workspace(tree).read("dir/file", 10)


def test_writing_through_a_link_inside_keeps_the_link(tree):
    assert Workspace(tree).write("in_file", b"new") is False
    assert (tree / "in_file").is_symlink()
    assert (tree / "dir/file").read_bytes() == b"new"
    assert Workspace(tree).write("dangling", b"made") is True
    assert (tree / "dir/new").read_bytes() == b"made"


def test_writing_leaves_the_other_name_of_a_hard_link_alone(tree):
    os.link(tree.parent / "outside/secret", tree / "hard")
    Workspace(tree).write("hard", b"x")
    assert (tree.parent / "outside/secret").read_text() == "SECRET"


@pytest.mark.parametrize("mode", [0o644, 0o600, 0o755, 0o660])
def test_writing_keeps_permission_bits(root, mode):
    (root / "f").write_text("old")
    (root / "f").chmod(mode)
    Workspace(root).write("f", b"new")
    assert stat.S_IMODE((root / "f").stat().st_mode) == mode


def test_new_files_follow_the_umask_and_folders_are_made(root):
    old = os.umask(0o027)
    try:
        assert Workspace(root).write("a/b/c", b"") is True
    finally:
        os.umask(old)
    assert stat.S_IMODE((root / "a/b/c").stat().st_mode) == 0o640


@pytest.mark.parametrize("path", [".git/hooks/pre-commit", "sub/.git/config", ".GIT/config", ".git"])
def test_nothing_is_written_into_git_folders(root, path):
    with pytest.raises(ToolError, match="git"):
        Workspace(root).write(path, b"x")


def test_read_only_files_and_folder_names_are_refused(root):
    (root / "f").write_text("old")
    (root / "f").chmod(0o444)
    with pytest.raises(ToolError, match="read-only"):
        Workspace(root).write("f", b"x")
    with pytest.raises(ToolError, match="names a folder"):
        Workspace(root).write("new/", b"x")


def test_a_failed_write_leaves_the_old_content_and_no_draft(root, monkeypatch):
    (root / "f").write_text("old")

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module.os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        Workspace(root).write("f", b"new")
    assert [p.name for p in root.iterdir()] == ["f"]
    assert (root / "f").read_text() == "old"


def test_read_stops_at_its_limit(root):
    (root / "f").write_bytes(b"x" * 3_000_000)
    assert Workspace(root).read("f", 2_000_000) == (b"x" * 2_000_000, 3_000_000)


def test_no_descriptor_is_left_open(tree):
    before = len(os.listdir("/dev/fd"))
    for path in ("dir/file", "loop/x", "nowhere/x", "dir/file/x", "dir"):
        for attempt in (lambda p: Workspace(tree).read(p, 10), lambda p: Workspace(tree).locate(p)):
            try:
                attempt(path)
            except (OSError, ToolError):
                continue
    assert len(os.listdir("/dev/fd")) == before


@pytest.mark.parametrize("path", ["nowhere", "file"])
def test_a_root_that_is_no_folder(tmp_path, path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match="is not a folder"):
        Workspace(tmp_path / path)


PIECES = ["..", ".", "", "dir", "file", "in", "in_file", "abs_in", "out", "out_abs", "out_file", "loop", "dangling_out",
          "chain", "up", "work", "outside", "secret", "new", "etc", "\0", "~", "é"]  # fmt: skip
PATHS = st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("/".join)


@given(st.lists(st.tuples(st.booleans(), PATHS | st.text(max_size=8)), max_size=8))
def test_no_path_leaves_the_workspace(tmp_path_factory, steps):
    root = tmp_path_factory.mktemp("guard") / "work"
    root.mkdir()
    workspace = Workspace(plant(root))
    before = sorted(p.name for p in root.parent.rglob("*") if root not in p.parents)
    for absolute, piece in steps:
        path = f"{root}/{piece}" if absolute else piece
        try:
            parts = workspace.locate(path)
            assert os.path.realpath(root.joinpath(*parts)) == str(root.joinpath(*parts)) or "loop" in path
            assert b"SECRET" not in workspace.read(path, 100)[0]
        except (ToolError, OSError):
            pass
        try:
            workspace.write(path, b"x")
        except (ToolError, OSError):
            continue
    assert sorted(p.name for p in root.parent.rglob("*") if root not in p.parents) == before
    assert (root.parent / "outside/secret").read_text() == "SECRET"
