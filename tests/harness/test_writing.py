from __future__ import annotations

import os
from pathlib import Path

import pytest

from harness.errors import HarnessError
from harness.writing import write_whole


def test_a_new_file_in_a_new_folder(tmp_path):
    write_whole(tmp_path / "a" / "b" / "x.md", b"text")
    assert (tmp_path / "a" / "b" / "x.md").read_bytes() == b"text"
    plain = tmp_path / "plain"
    plain.touch()
    assert (tmp_path / "a" / "b" / "x.md").stat().st_mode == plain.stat().st_mode


def test_an_old_file_keeps_its_mode_and_links_are_followed(tmp_path):
    path, link = tmp_path / "x.md", tmp_path / "link.md"
    path.write_bytes(b"old and longer")
    path.chmod(0o640)
    link.symlink_to(path)
    write_whole(link, b"new")
    assert path.read_bytes() == b"new"
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o640
    assert sorted(item.name for item in tmp_path.iterdir()) == ["link.md", "x.md"]


@pytest.mark.parametrize("where", ["chmod", "replace"])
def test_what_fails_leaves_what_was_there(tmp_path, monkeypatch, where):
    path = tmp_path / "x.md"
    path.write_bytes(b"old")

    def full(*args: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, where, full)
    with pytest.raises(HarnessError, match=r"x\.md: cannot be written: No space left on device"):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"
    assert [item.name for item in tmp_path.iterdir()] == ["x.md"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_devices_are_written_to():
    with pytest.raises(HarnessError, match="/dev/full: cannot be written: No space left"):
        write_whole(Path("/dev/full"), b"new")
    write_whole(Path("/dev/null"), b"new")
    assert not Path("/dev/null").is_file()


def test_a_folder_and_a_file_in_a_file(tmp_path):
    (tmp_path / "x").write_bytes(b"")
    with pytest.raises(HarnessError, match="this is a folder: name a file in it"):
        write_whole(tmp_path, b"")
    for path in (tmp_path / "x" / "y", tmp_path / ("a" * 300), tmp_path / "\0"):
        with pytest.raises(HarnessError, match="cannot be written: "):
            write_whole(path, b"")
