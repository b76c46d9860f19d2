from __future__ import annotations

import json

import pytest

from tests.harness.cli.cli import call, refusal
from tests.harness.suites.suite_files import with_recordings, write

GOOD = '[[case]]\nname = "good"\nprompt = "Say yes."\nanswer = "yes"\n[[case.check]]\ntype = "text"\nequals = "yes"\n'
WEAK = '[[case]]\nname = "weak"\nrecording = "gemini-text.jsonl"\n[[case.check]]\ntype = "no_error"\n'
BARE = '[[case]]\nname = "bare"\nprompt = "Say."\n[[case.check]]\ntype = "text"\nregex = "."\n'
ILL = WEAK.replace("weak", "ill") + '[[case.check]]\ntype = "events"\n'


@pytest.fixture
def folder(tmp_path, monkeypatch):
    with_recordings(tmp_path, "gemini-text")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("text", "status", "word"),
    [(GOOD, 0, "proved"), (GOOD + WEAK, 1, "FAIL"), (BARE, 0, "not proved"), (GOOD + WEAK + ILL, 2, "ERROR")],
)
def test_exit_status(folder, text, status, word):
    write(folder, text)
    result = call("suite", "prove", ".")
    assert result.exit_code == status
    assert word in result.output


def test_formats_and_filter(folder):
    write(folder, GOOD + WEAK)
    data = json.loads(call("suite", "prove", ".", "--filter", "good", "--format", "json").output)
    assert [case["case"] for case in data["cases"]] == ["good"]
    assert call("suite", "prove", ".", "--format", "markdown").output.startswith("| verdict | suite | case |")
    assert refusal("suite", "prove", ".", "--filter", "zzz").startswith('harness: no suite, case or task fits "zzz"')


def test_a_case_without_recordings_is_an_error(folder):
    write(folder, WEAK.replace("gemini-text", "gone"))
    assert refusal("suite", "prove", ".").startswith("harness: a.suite.toml: case[0].recording")
