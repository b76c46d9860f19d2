from __future__ import annotations

import csv
import io
import json
import sys
from types import ModuleType
from xml.etree import ElementTree

import pytest

from harness.checks.registry import check_class
from harness.suites import judging
from tests.command import harness
from tests.harness.cli.cli import call, refusal
from tests.harness.suites.suite_files import with_recordings, write

SUITE = """
[[check]]
type = "no_error"
[[case]]
name = "answers"
recording = "gemini-*.jsonl"
[[case]]
name = "calls"
task = "look"
recording = "openai-chat-parallel-calls.jsonl"
[[case.check]]
type = "tool_count"
total = 2
"""
FAILING = SUITE.replace("total = 2", "total = 3")
BROKEN = SUITE + '[[case.check]]\ntype = "events"\n'


@pytest.fixture
def folder(tmp_path, monkeypatch):
    with_recordings(tmp_path / "r", "gemini-text", "gemini-thoughts", "openai-chat-parallel-calls", "openai-chat-text")
    write(tmp_path, SUITE, "r/garden.suite.toml")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("text", "status"), [(SUITE, 0), (FAILING, 1), (BROKEN, 2), (FAILING + BROKEN[-34:], 2)])
def test_exit_status(folder, text, status):
    write(folder, text, "r/garden.suite.toml")
    assert call("suite", "run", "r").exit_code == status


def test_text(folder):
    write(folder, FAILING, "r/garden.suite.toml")
    result = call("suite", "run", "r")
    assert result.stderr == ""
    lines = result.output.splitlines()
    assert [line.split()[0] for line in lines[2:5]] == ["ok", "ok", "FAIL"]
    assert "FAIL garden: calls (r/openai-chat-parallel-calls.jsonl)" in lines
    assert "  tool_count: tools were called 2 times, not 3 (list_dir 1, read_file 1)" in lines
    assert "  1 recording that no case names: r/openai-chat-text.jsonl" in lines
    assert "tasks that did not pass: look" in lines
    assert call("suite", "run", "r").output == result.output
    quiet = call("suite", "run", "r", "-q").output
    assert "gemini-text" not in quiet
    assert "FAIL garden" in quiet


def test_processes_give_the_same(folder):
    one, two = (harness("suite", "run", "r", "--jobs", jobs, cwd=folder) for jobs in "12")
    assert (two.returncode, two.stdout, two.stderr) == (0, one.stdout, "")


def test_a_check_that_no_other_process_can_have_is_one_line(folder, monkeypatch):
    check_class("no_error")
    monkeypatch.setitem(sys.modules, "harness.checks.endings", ModuleType("harness.checks.endings"))
    assert call("suite", "run", "r").exit_code == 0
    said = refusal("suite", "run", "r", "--jobs", "2")
    assert said.startswith("harness: this cannot be handed to another process (")
    assert said.endswith("; leave out --jobs")


def test_formats(folder):
    data = json.loads(call("suite", "run", "r", "--json").output)
    assert data == json.loads(call("suite", "run", "r", "--format", "json").output)
    assert data["totals"]["pass"] == 3
    assert data["totals"]["cost_usd"] is not None
    rows = [*csv.DictReader(io.StringIO(call("suite", "run", "r", "--format", "csv").output))]
    assert [row["check"] for row in rows] == ["no_error", "no_error", "no_error", "tool_count"]
    assert call("suite", "run", "r", "--out", "out/x.md").output == ""
    assert (folder / "out" / "x.md").read_text("utf-8").startswith("| verdict |")
    call("suite", "run", "r", "--out", "x.json")
    assert json.loads((folder / "x.json").read_text("utf-8")) == data
    assert refusal("suite", "run", "r", "--json", "--format", "csv").startswith(
        "harness suite run: --json and --format"
    )


def test_costs_are_asked_for_only_where_they_are_told(folder, monkeypatch):
    def refuse(*_):
        raise AssertionError

    monkeypatch.setattr(judging, "_costs", refuse)
    assert call("suite", "run", "r").exit_code == 0


def test_prices_of_a_file(folder):
    (folder / "p.toml").write_text('exclusive = true\n["gemini/*"]\ninput = 1\noutput = 1\n')
    write(folder, SUITE + '[[case.check]]\ntype = "budget"\ncost_usd = 1\n', "r/garden.suite.toml")
    assert call("suite", "run", "r").exit_code == 0
    refused = call("suite", "run", "r", "--prices", "gone.toml")
    assert refused.exit_code == 2
    assert refused.output.startswith("harness: gone.toml: cannot read it")


def test_fail_fast_says_what_it_left(folder):
    write(folder, SUITE.replace('name = "answers"', 'name = "answers"\ncheck = [{ type = "text", equals = "" }]'),
          "r/garden.suite.toml")  # fmt: skip
    result = call("suite", "run", "r", "--fail-fast")
    assert result.exit_code == 1
    assert "0 passed, 1 failed · 1 case, 1 recording" in result.output
    assert "  4 checks not run after the failure" in result.output


def test_filters(folder):
    result = call("suite", "run", "r", "--filter", "look")
    assert "1 passed" in result.output
    assert "  2 checks left out by the filter" in result.output
    said = 'harness: no suite, case, task or recording fits "zzz"'
    assert refusal("suite", "run", "r", "--filter", "zzz").startswith(said)


def test_junit(folder):
    write(folder, FAILING, "r/garden.suite.toml")
    result = call("suite", "run", "r", "--junit", "out/report.xml", "-q")
    assert result.exit_code == 1
    root = ElementTree.parse(folder / "out" / "report.xml").getroot()
    assert (root.attrib["tests"], root.attrib["failures"]) == ("3", "1")
    (folder / "file").write_text("")
    assert refusal("suite", "run", "r", "--junit", "file/report.xml").startswith("harness: file/report.xml: cannot be")


@pytest.mark.parametrize(
    ("paths", "said"),
    [
        (["gone"], "harness: gone: there is no such file or folder"),
        (["empty"], "harness: empty: no suite there"),
        (["r/gemini-text.jsonl"], "harness: r/gemini-text.jsonl: not a suite"),
        (["wrong"], "harness: wrong/a.suite.toml: case[0].nmae: unknown key; did you mean name"),
        (["gap"], 'harness: gap/a.suite.toml: case[0].recording (case "x"): "*.jsonl" matches no recording in gap'),
        (["bare"], 'harness: bare/a.suite.toml: case[0] (case "x"): has no check'),
    ],
)
def test_what_matches_nothing_is_never_a_pass(folder, paths, said):
    (folder / "empty").mkdir()
    write(folder, '[[case]]\nnmae = "x"\n', "wrong/a.suite.toml")
    write(folder, '[[check]]\ntype = "no_error"\n[[case]]\nname = "x"\nrecording = "*.jsonl"\n', "gap/a.suite.toml")
    write(folder, '[[case]]\nname = "x"\nrecording = "*.jsonl"\n', "bare/a.suite.toml")
    assert refusal("suite", "run", *paths).startswith(said)


def test_a_recording_that_cannot_be_read_is_an_error(folder):
    (folder / "r" / "gemini-broken.jsonl").write_bytes(b"{}\n")
    result = call("suite", "run", "r")
    assert result.exit_code == 2
    assert (
        "ERROR garden: answers (r/gemini-broken.jsonl)\n  read: r/gemini-broken.jsonl:1: not a recording"
        in result.output
    )
