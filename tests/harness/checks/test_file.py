from __future__ import annotations

import os

import pytest
from pydantic import ValidationError

from harness.checks import file
from harness.checks.base import judged
from tests.harness.checks.runs import check, subject


@pytest.fixture
def run(tmp_path):
    """A workspace with some files, a suite folder with one, and a file outside of both."""
    workspace, suite = tmp_path / "workspace", tmp_path / "suite"
    (workspace / "notes").mkdir(parents=True)
    suite.mkdir()
    (workspace / "notes/plan.md").write_text("water the peas\n")
    (workspace / "image").write_bytes(b"\xff\xd8")
    (workspace / "data.json").write_text('{"a": 1}')
    (suite / "plan.md").write_text("water the peas\n")
    (suite / "other.md").write_text("water\nthe beans\n")
    (tmp_path / "outside.txt").write_text("secret")
    (workspace / "link").symlink_to(tmp_path / "outside.txt")
    (workspace / "way").symlink_to(tmp_path)
    (workspace / "inner").symlink_to("notes/plan.md")
    os.mkfifo(workspace / "pipe")
    return subject(folder=suite, workspace=workspace)


PASS = {
    "exists": {"path": "notes/plan.md"},
    "a folder": {"path": "notes"},
    "not there": {"path": "notes/none.md", "exists": False},
    "content": {"path": "notes/plan.md", "contains": ["peas"], "not_contains": "beans", "regex": "^water"},
    "same": {"path": "notes/plan.md", "same_as": "plan.md"},
    "schema": {"path": "data.json", "json_schema": {"required": ["a"]}},
    "bytes": {"path": "image"},
    "a symlink inside": {"path": "inner", "equals": "water the peas\n"},
}
FAIL = {
    "missing": ({"path": "notes/plans.md"}, "notes/plans.md is not there; the nearest is notes/plan.md"),
    "missing folder": ({"path": "none/plan.md"}, "none/plan.md is not there"),
    "below a file": ({"path": "image/x"}, "'image' is not a folder"),
    "there": ({"path": "image", "exists": False}, "image is there"),
    "content": ({"path": "notes/plan.md", "contains": "beans"}, 'notes/plan.md: "beans" is not there'),
    "another": ({"path": "notes/plan.md", "same_as": "other.md"}, "at byte 5 (line 1); 15 bytes, not 16"),
    "a folder with content": ({"path": "notes", "contains": "x"}, "'notes' is a folder, not a file"),
    "no text": ({"path": "image", "contains": "x"}, "image is no UTF-8 text"),
    "a symlink outside": ({"path": "link", "contains": "secret"}, "outside the workspace"),
    "through a symlink outside": ({"path": "way/outside.txt", "contains": "secret"}, "outside the workspace"),
    "a symlink outside, not there": ({"path": "link", "exists": False}, "link is there"),
    "a fifo": ({"path": "pipe", "contains": "x"}, "'pipe' is a FIFO, not a file"),
}
ERROR = {
    "nothing beside the suite": ({"path": "image", "same_as": "none"}, "none: cannot read it: No such file"),
    "a schema that is none": ({"path": "data.json", "json_schema": "none.json"}, "cannot read the schema"),
}


@pytest.mark.parametrize("keys", PASS.values(), ids=PASS)
def test_pass(keys, run):
    verdict = judged(check("file", **keys), run)
    assert (verdict.status, verdict.score, verdict.reason) == ("pass", 1.0, None)


@pytest.mark.parametrize(("keys", "reason"), FAIL.values(), ids=FAIL)
def test_fail(keys, reason, run):
    verdict = judged(check("file", **keys), run)
    assert verdict.status == "fail"
    assert reason in verdict.reason
    assert "secret" not in verdict.reason


@pytest.mark.parametrize(("keys", "reason"), ERROR.values(), ids=ERROR)
def test_error(keys, reason, run):
    verdict = judged(check("file", **keys), run)
    assert verdict.status == "error"
    assert reason in verdict.reason


def test_score(run):
    verdict = judged(check("file", path="notes/plan.md", contains=["peas", "beans"], same_as="plan.md"), run)
    assert verdict.score == pytest.approx(2 / 3)


def test_without_a_workspace(tmp_path):
    verdict = judged(check("file", path="x", exists=False), subject())
    assert (verdict.status, "there is no workspace" in verdict.reason) == ("error", True)
    gone = subject(workspace=tmp_path / "gone")
    assert judged(check("file", path="x", exists=False), gone).status == "error"


def test_too_large(run, monkeypatch):
    monkeypatch.setattr(file, "LIMIT", 4)
    verdict = judged(check("file", path="notes/plan.md"), run)
    assert verdict.reason == "notes/plan.md is too large to be judged: 15 bytes, the most is 4"


@pytest.mark.parametrize(
    "keys",
    [{}, {"path": ""}, {"path": "/etc/passwd"}, {"path": "../x"}, {"path": "a/../../x"}, {"path": "a\0"},
     {"path": "a", "exists": False, "contains": "x"}, {"path": "a", "exists": False, "same_as": "x"}],
)  # fmt: skip
def test_bad_keys(keys):
    with pytest.raises(ValidationError):
        check("file", **keys)
