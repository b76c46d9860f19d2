"""Suites as test items, in runs of pytest."""

from __future__ import annotations

import shutil
import sys

import pytest

from tests.harness.plugin_runs import QUIET, ROOT, WITH_PLUGIN, XDIST

pytest_plugins = ["pytester"]

NAMES = ("openai-chat-text", "gemini-parallel-calls", "openai-chat-parallel-calls")
SUITE = """
[[check]]
type = "no_error"

[[case]]
name = "says hello"
recording = "openai-chat-text.jsonl"
[[case.check]]
type = "text"
contains = ["HELLO"]

[[case]]
name = "looks twice"
recording = "*-parallel-calls.jsonl"
[[case.check]]
type = "tool_count"
total = 2
"""


@pytest.fixture
def folder(pytester):
    folder = pytester.mkdir("recordings")
    for name in NAMES:
        shutil.copy(ROOT / "recordings" / f"{name}.jsonl", folder)
    (folder / "garden.suite.toml").write_text(SUITE.replace("HELLO", "Hello"))
    return folder


def test_an_item_for_each_recording_of_a_case(run, folder):
    result = run("recordings/garden.suite.toml", "-v")
    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines([
        "recordings/garden.suite.toml::says hello PASSED*",
        "recordings/garden.suite.toml::looks twice [[]gemini-parallel-calls.jsonl[]] PASSED*",
        "recordings/garden.suite.toml::looks twice [[]openai-chat-parallel-calls.jsonl[]] PASSED*",
    ])  # fmt: skip
    run("recordings/").assert_outcomes(passed=6)
    run("recordings/garden.suite.toml::says hello").assert_outcomes(passed=1)


def test_failures_are_readable(run, folder):
    (folder / "garden.suite.toml").write_text(SUITE + '[[case]]\ntask = "no such task"\n')
    result = run("recordings/garden.suite.toml")
    result.assert_outcomes(passed=2, failed=2)
    result.stdout.fnmatch_lines(["text: *HELLO*", "in *openai-chat-text.jsonl"])
    result.stdout.fnmatch_lines(['*case[[]2[]] (case "no such task"): no recording in *'])
    result.stdout.no_fnmatch_line("*Traceback*")


def test_a_wrong_suite_is_one_line(run, folder):
    (folder / "garden.suite.toml").write_text(SUITE.replace("contains", "contians"))
    result = run("recordings/garden.suite.toml")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(['*case[[]0[]].check[[]0[]].contians (case "says hello"): unknown key; did you mean*'])
    result.stdout.no_fnmatch_line("*Traceback*")


def test_nothing_is_collected_unasked(run, pytester, folder):
    pytester.makepyfile("def test_one(): pass")
    run().assert_outcomes(passed=1)
    run(".").assert_outcomes(passed=7)


def test_in_parallel(run, pytester, folder):
    pytest.importorskip("xdist")
    run(*XDIST, "recordings/garden.suite.toml", other=True).assert_outcomes(passed=3)


def test_a_foreign_agent_is_one_line(run, pytester, folder):
    pytester.makepyfile(**{"agent/__init__": "", "test_mine": "import agent\ndef test_mine(): assert agent.__file__"})
    script = (
        "import sys; sys.path.insert(0, '.'); import pytest;"
        f"sys.exit(pytest.main({[*WITH_PLUGIN, *QUIET]!r} + sys.argv[1:]))"
    )
    done = pytester.run(sys.executable, "-c", script, "recordings/garden.suite.toml", "test_mine.py")
    done.stdout.fnmatch_lines(["*/agent is imported as `agent`, the name of a package that *needs*"])
