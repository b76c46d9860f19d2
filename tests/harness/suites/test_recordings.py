from __future__ import annotations

import gzip
import os

import pytest

from harness.errors import SuiteError
from harness.paths import in_workspace
from harness.suites.recordings import Recordings, final_workspace
from tests.harness.sessions import Turn, chat, record
from tests.harness.suites.suite_files import suite, with_recordings

CHECK = '[[case.check]]\ntype = "no_error"\n'


def of(folder, keys: str, recordings: Recordings | None = None) -> list[str]:
    (case,) = suite(folder, f'[[case]]\nname = "x"\n{keys}\n{CHECK}').cases
    return [os.path.relpath(path, folder) for path in (recordings or Recordings()).of(case)]


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


@pytest.mark.parametrize("pattern", ["{0}/openai*.jsonl", "{0}/openai-chat-text.jsonl", "../{1}/openai*"])
def test_places_outside(folder, pattern):
    (case,) = suite(folder / "suites", f'[[case]]\nname = "x"\nrecording = "../*.jsonl"\n{CHECK}').cases
    assert [path.name for path in Recordings().of(case)] == ["openai-chat-text.jsonl"]
    assert of(folder, f'recording = "{pattern.format(folder, folder.name)}"') == of(folder, 'recording = "*"')


def test_each_counts_once(folder):
    again = f'"openai-chat-text.jsonl", "./in/../openai-chat-text.jsonl", "{folder}/*.jsonl"'
    assert of(folder, f"recording = [{again}]") == ["openai-chat-text.jsonl"]


def test_the_nearest_is_named(folder):
    with pytest.raises(
        SuiteError, match=r'"in/odd.jsonl" matches no recording in .*; the nearest is in/odd\[1\].jsonl'
    ):
        of(folder, 'recording = "in/odd.jsonl"')
    with pytest.raises(SuiteError, match=r'"a+… matches no recording in '):
        of(folder, f'recording = "{"a" * 5000}"')


def test_what_is_no_file(folder):
    os.mkfifo(folder / "pipe.jsonl")
    for name in ("pipe.jsonl", "/dev/null"):
        with pytest.raises(SuiteError, match="is no regular file"):
            of(folder, f'recording = "{name}"')
    assert of(folder, 'recording = "*"') == ["openai-chat-text.jsonl"]


def test_a_name_too_long_for_a_workspace(tmp_path):
    assert final_workspace(tmp_path / f"{'a' * 248}.jsonl") is None


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
