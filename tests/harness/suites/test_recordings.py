from __future__ import annotations

import gzip

import pytest

from harness.errors import SuiteError
from harness.paths import in_workspace
from harness.suites.recordings import Recordings, final_workspace
from tests.harness.sessions import Turn, chat, record
from tests.harness.suites.suite_files import suite, with_recordings

CHECK = '[[case.check]]\ntype = "no_error"\n'


def of(folder, keys: str, recordings: Recordings | None = None) -> list[str]:
    (case,) = suite(folder, f'[[case]]\nname = "x"\n{keys}\n{CHECK}').cases
    return [path.relative_to(folder).as_posix() for path in (recordings or Recordings()).of(case)]


@pytest.fixture
def folder(tmp_path):
    with_recordings(tmp_path / "in", "gemini-text", "gemini-thoughts")
    with_recordings(tmp_path, "openai-chat-text")
    (tmp_path / "in" / "odd[1].jsonl").write_bytes((tmp_path / "openai-chat-text.jsonl").read_bytes())
    (tmp_path / "notes.txt").write_text("")
    with_recordings(tmp_path / "in" / "t.workspace", "gemini-text")
    return tmp_path


@pytest.mark.parametrize(
    ("recording", "found"),
    [
        ('"openai-chat-text.jsonl"', ["openai-chat-text.jsonl"]),
        ('"in/gemini-*.jsonl"', ["in/gemini-text.jsonl", "in/gemini-thoughts.jsonl"]),
        ('"**/*-text.jsonl"', ["in/gemini-text.jsonl", "openai-chat-text.jsonl"]),
        ('"in"', ["in/gemini-text.jsonl", "in/gemini-thoughts.jsonl", "in/odd[1].jsonl"]),
        ('"in/odd[1].jsonl"', ["in/odd[1].jsonl"]),
        ('["openai-chat-text.jsonl", "*.jsonl"]', ["openai-chat-text.jsonl"]),
        ('"*"', ["openai-chat-text.jsonl"]),
    ],
)
def test_named(folder, recording, found):
    assert of(folder, f"recording = {recording}") == found


@pytest.mark.parametrize("recording", ['"gone.jsonl"', '"gone*"', '["openai-chat-text.jsonl", "gone"]', '"*.txt"'])
def test_what_matches_nothing_is_an_error(folder, recording):
    with pytest.raises(SuiteError, match=r'case\[0\].recording \(case "x"\): ".*" matches no recording in '):
        of(folder, f"recording = {recording}")


def test_by_task(tmp_path):
    (tmp_path / "runs").mkdir()
    one = record(tmp_path / "runs" / "one.jsonl", Turn([chat("hi")]), task="x")
    record(tmp_path / "two.jsonl", Turn([chat("hi")]), task="y")
    record(tmp_path / "none.jsonl", Turn([chat("hi")]))
    (tmp_path / "three.jsonl.gz").write_bytes(gzip.compress(one.read_bytes()))
    (tmp_path / "broken.jsonl").write_bytes(b"no json")
    recordings = Recordings()
    assert of(tmp_path, "", recordings) == ["runs/one.jsonl", "three.jsonl.gz"]
    assert of(tmp_path, 'task = "y"', recordings) == ["two.jsonl"]
    with pytest.raises(SuiteError, match=r'no recording in .* has the task "z": record it with `harness run`'):
        of(tmp_path, 'task = "z"', recordings)


def test_workspaces_of_trials(tmp_path):
    path = tmp_path / "a.jsonl.gz"
    assert final_workspace(path) is None
    (tmp_path / "a.workspace").mkdir()
    assert final_workspace(path) == tmp_path / "a.workspace"
    assert in_workspace(tmp_path / "a.workspace" / "b.jsonl")
    assert not in_workspace(tmp_path / "a.workspace")
