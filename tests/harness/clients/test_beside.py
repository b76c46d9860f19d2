from __future__ import annotations

import os

import pytest

from harness.clients.beside import Beside
from harness.errors import RecordingError


def test_the_part_takes_the_place_of_the_file(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text("old")
    beside = Beside(path)
    beside.copy()
    assert beside.part.name == "a.jsonl.part"
    beside.part.write_text(beside.part.read_text() + " new")
    assert path.read_text() == "old"
    beside.swap_in()
    assert path.read_text() == "old new"
    assert not beside.part.exists()
    beside.discard()


def test_what_cannot_be_done_is_told_in_one_line(tmp_path):
    beside = Beside(tmp_path / "a.jsonl")
    with pytest.raises(RecordingError, match=r"a\.jsonl: cannot copy it: No such file"):
        beside.copy()
    with pytest.raises(RecordingError, match=r"a\.jsonl: cannot put a\.jsonl\.part in its place: No such file"):
        beside.swap_in()


def test_a_pipe_is_not_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(RecordingError, match="no regular file"):
        Beside(tmp_path / "pipe")
