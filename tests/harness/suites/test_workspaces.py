from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from harness.errors import HarnessError
from harness.suites import workspaces
from harness.suites.workspaces import copy_tree, keep, remove_tree, workspace_digest


@pytest.fixture
def garden(tmp_path):
    folder = tmp_path / "garden"
    (folder / "beds" / "north").mkdir(parents=True)
    (folder / "plan.txt").write_text("Tea at four.\n")
    (folder / "water.sh").write_text("echo\n")
    (folder / "water.sh").chmod(0o750)
    (folder / "beds" / "north" / "link").symlink_to("../../plan.txt")
    (folder / "nowhere").symlink_to("not/there")
    (folder / "beds").chmod(0o555)
    yield folder
    (folder / "beds").chmod(0o755)


def test_a_copy_has_files_links_and_permissions(garden, tmp_path):
    copy = tmp_path / "copy"
    copy_tree(garden, copy)
    assert workspace_digest(copy) == workspace_digest(garden)
    assert os.readlink(copy / "beds" / "north" / "link") == "../../plan.txt"
    assert stat.S_IMODE((copy / "water.sh").stat().st_mode) == 0o750
    assert stat.S_IMODE((copy / "beds").stat().st_mode) == 0o555
    (copy / "beds" / "north" / "link").write_text("changed")
    assert (garden / "plan.txt").read_text() == "Tea at four.\n"
    remove_tree(copy)
    assert not copy.exists()


@pytest.mark.parametrize(
    "change",
    [
        lambda g: (g / "plan.txt").write_text("Tea at five.\n"),
        lambda g: (g / "plan.txt").chmod(0o600),
        lambda g: (g / "plan.txt").rename(g / "plans.txt"),
        lambda g: (g / "new").mkdir(),
        lambda g: ((g / "nowhere").unlink(), (g / "nowhere").symlink_to("not/here")),
    ],
    ids=["content", "permissions", "name", "folder", "link"],
)
def test_the_digest_tells_changes(garden, change):
    before = workspace_digest(garden)
    assert workspace_digest(garden) == before
    change(garden)
    assert workspace_digest(garden) != before


@pytest.mark.parametrize(
    ("place", "target", "problem"),
    [
        ("link", "../secret", "leads outside"),
        ("beds/north/link2", "../../../garden/plan.txt", "leads outside"),
        ("link", "/etc/passwd", "is absolute"),
        ("link", "up/../..", "leads outside"),
    ],
    ids=["outside", "out and in again", "absolute", "by another link"],
)
def test_links_that_lead_outside_are_refused(garden, place, target, problem):
    (garden / "up").symlink_to("beds/north/../..")
    (garden / place).symlink_to(target)
    with pytest.raises(HarnessError, match=problem) as caught:
        workspace_digest(garden)
    assert str(garden / place) in str(caught.value)


@pytest.mark.parametrize("target", ["circle", "beds/../plan.txt", "./plan.txt", "beds/north/link"])
def test_links_that_stay_inside(garden, target):
    (garden / "circle").symlink_to(target)
    assert workspace_digest(garden)


def test_what_no_copy_can_be_made_of(garden, tmp_path):
    os.mkfifo(garden / "pipe")
    with pytest.raises(HarnessError, match="neither file, folder nor link"):
        workspace_digest(garden)
    copy_tree(garden, tmp_path / "copy")
    assert not (tmp_path / "copy" / "pipe").exists()


def test_a_missing_folder_is_one_line(tmp_path):
    with pytest.raises(HarnessError, match="cannot be read"):
        workspace_digest(tmp_path / "none")


@pytest.mark.parametrize("across", [False, True], ids=["one disk", "across disks"])
def test_keeping_replaces_what_lies_there(garden, tmp_path, monkeypatch, across):
    def refuse(self: Path, target: object) -> None:
        raise OSError(errno.EXDEV, "Invalid cross-device link")

    place = tmp_path / "kept.workspace"
    (place / "old").mkdir(parents=True)
    digest = workspace_digest(garden)
    if across:
        monkeypatch.setattr(workspaces.Path, "rename", refuse)
    keep(garden, place)
    assert workspace_digest(place) == digest
    assert not garden.exists()
    garden.mkdir()
    (garden / "beds").mkdir()


@pytest.mark.parametrize("instead", [None, "link", "file"])
def test_a_workspace_that_the_agent_removed(tmp_path, instead):
    (tmp_path / "target").mkdir()
    gone = tmp_path / "gone"
    if instead == "link":
        gone.symlink_to("target")
    elif instead == "file":
        gone.write_bytes(b"")
    keep(gone, tmp_path / "kept")
    assert not (tmp_path / "kept").is_symlink()
    assert [*(tmp_path / "kept").iterdir()] == []


def test_other_faults_of_keeping_are_told(garden, tmp_path):
    with pytest.raises(OSError, match="No such file"):
        keep(garden, tmp_path / "none" / "kept")


def test_removing_what_is_no_folder(tmp_path):
    (tmp_path / "target").mkdir()
    (tmp_path / "link").symlink_to("target")
    remove_tree(tmp_path / "link")
    remove_tree(tmp_path / "link")
    assert [path.name for path in tmp_path.iterdir()] == ["target"]
