from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from harness.pytest_plugin.recording import recording_path


def item(name, cls=None):
    return SimpleNamespace(name=name, cls=cls, path=Path("/p/tests/test_a.py"))


class TestX: ...


@pytest.mark.parametrize(
    ("name", "cls", "expected"),
    [
        ("test_one", None, "test_one.jsonl"),
        ("test_one", TestX, "TestX.test_one.jsonl"),
        ("test_one[openai/gpt-4.1:x]", None, "test_one[openai-gpt-4.1-x].jsonl"),
        ("test_one[\\u00e9]", None, "test_one[-u00e9].jsonl"),
        ("test_one[..]", None, "test_one[..].jsonl"),
    ],
)
def test_where_the_recording_of_a_test_lies(name, cls, expected):
    assert recording_path(item(name, cls)) == Path("/p/tests/recordings/test_a") / expected


def test_long_names_are_cut_and_stay_apart():
    paths = {recording_path(item(f"test_one[{'é' * 300}{end}]")) for end in "ab"}
    assert len(paths) == 2
    assert all(len(path.name.encode()) < 240 for path in paths)
