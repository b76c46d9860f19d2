from __future__ import annotations

import itertools
import os
from decimal import Decimal

import pytest

from harness.errors import HarnessError, SuiteError
from harness.suites.loading import find_suites, load_suite, load_suites
from tests.harness.suites.suite_files import suite, write

CHECK = '[[case.check]]\ntype = "no_error"\n'
FULL = """
name = "garden"
[[check]]
type = "no_secret"
[[case]]
name = "moves tea"
task = "tea"
recording = ["a.jsonl", "b*.jsonl"]
prompt = "Move tea."
workspace = "garden"
mode = "fix"
system = ""
params = { temperature = 0.2 }
max_iterations = 4
tools = false
solution = "solved"
answer = "Done."
[[case.check]]
type = "budget"
cost_usd = 0.1
seconds = 1.5
"""


def refused(folder, text: str) -> str:
    with pytest.raises(SuiteError) as caught:
        suite(folder, text)
    message = str(caught.value)
    path = str(folder / "a.suite.toml")
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    return message.removeprefix(f"{path}: ")


def test_all_keys(tmp_path):
    for name in ("garden", "solved"):
        (tmp_path / name).mkdir()
    found = suite(tmp_path, FULL)
    (case,) = found.cases
    assert (found.name, case.suite, case.name, case.task, case.number) == ("garden", "garden", "moves tea", "tea", 0)
    assert (case.recordings, case.prompt, case.mode) == (("a.jsonl", "b*.jsonl"), "Move tea.", "FIX")
    assert (case.workspace, case.solution) == (tmp_path / "garden", tmp_path / "solved")
    assert (case.params, case.max_iterations, case.tools) == ({"temperature": 0.2}, 4, False)
    assert (case.system, case.answer) == ("", "Done.")
    assert [check.type for check in case.checks] == ["no_secret", "budget"]
    assert case.checks[1].cost_usd == Decimal("0.1")


@pytest.mark.parametrize(
    ("keys", "name", "task"),
    [
        ('name = "a b"', "a b", "a b"),
        ('task = "t"', "t", "t"),
        ('name = "a"\ntask = "t"', "a", "t"),
        ('recording = "x/y.jsonl"', "y", "y"),
        ('recording = ["y.jsonl.gz"]', "y", "y"),
    ],
)
def test_names(tmp_path, keys, name, task):
    (case,) = suite(tmp_path, f"[[case]]\n{keys}\n{CHECK}").cases
    assert (case.name, case.task, case.suite) == (name, task, "a")


def test_the_order_is_free(tmp_path):
    blocks = ['[[check]]\ntype = "no_error"\n', '[[case]]\nname = "a"\n', '[[case]]\nname = "b"\n']
    for order in itertools.permutations(blocks):
        found = suite(tmp_path, "".join(order))
        assert {case.name for case in found.cases} == {"a", "b"}
        assert [len(case.checks) for case in found.cases] == [1, 1]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "it has no case: write [[case]]"),
        ("a =", "it is not valid TOML: Invalid value (at end of document)"),
        ("cases = []", "cases: unknown key; did you mean case"),
        ("case = 3", "case: should be tables: write [[case]]"),
        ("case = [3]", "case[0]: should be a table"),
        ("check = 3", "check: should be tables: write [[check]]"),
        ('[[case]]\nname = "x"\n[case.check]\ntype = "no_error"', 'case[0].check (case "x"): should be tables: write'),
        ("name = 3", "name: should be a string"),
        ("name = ' '", "name: should not be empty"),
        ('[[case]]\nname = "x"\nparams = { a = nan }', 'case[0].params (case "x"): nan is not JSON'),
        ('[[case]]\nname = "x"\nparams = { a = 1e999 }', 'case[0].params (case "x"): inf is not JSON'),
        ("x_usd = 1e99999999999999999999", "a number in it is too long to be read"),
        ("x = " + "9" * 5000, "a number in it is too long to be read"),
        ("x = " + "[" * 5000, "its values are nested too deeply"),
        (f"[[case]]\nname = 'x'\nworkspace = '{'w' * 5000}'\n{CHECK}", 'case[0].workspace (case "x"): there is no'),
        (f"[[case]]\n{CHECK}", "case[0]: has no name: give it `name`, `task` or one `recording`"),
        (f'[[case]]\nrecording = "*.jsonl"\n{CHECK}', "case[0]: has no name: give it `name`"),
        (
            '[[case]]\nname = "x"',
            'case[0] (case "x"): has no check: write [[case.check]], or [[check]] for every case',
        ),
        ('[[case]]\nname = "x"\nparams = { a = 2026-01-01 }', 'case[0].params (case "x"): dates and times'),
        ('[[case]]\nname = "x"\nmoed = "fix"', 'case[0].moed (case "x"): unknown key; did you mean mode'),
        ('[[case]]\nname = "x"\nmode = "f"', 'case[0].mode (case "x"): should be one of PLAN, FIX, BUILD, SWE'),
        (
            f'[[case]]\nname = "x"\n{CHECK}[[case.check]]\ntype = "text"\ncontians = "a"',
            'case[0].check[1].contians (case "x"): unknown key; did you mean contains',
        ),
        (
            '[[check]]\ntype = "txt"\n[[case]]\nname = "x"',
            "check[0].type: unknown check 'txt'; did you mean 'text'",
        ),
        ('[[check]]\n[[case]]\nname = "x"', "check[0].type: is missing; known are budget, complete, events, file"),
        ('[[check]]\ntype = 3\n[[case]]\nname = "x"', "check[0].type: should be the name of a check"),
        (
            f'[[case]]\ntask = "x"\nworkspace = "gone"\n{CHECK}',
            'case[0].workspace (case "x"): there is no folder',
        ),
        (
            f'[[case]]\nname = "A b"\n{CHECK}[[case]]\nname = "a-B"\n{CHECK}',
            'case[1] (case "a-B"): has the name of case[0] "A b"; signs, blanks and capitals do not count',
        ),
        (f'[[case]]\nname = "a"\n{CHECK}[[case]]\nname = "a"\n{CHECK}', 'case[1] (case "a"): has the name of case[0]'),
        (
            '[[case]]\nname = "x"\n[[case.check]]\ntype = "tools"\ncalls = [{ nmae = "a" }]',
            'case[0].check[0].calls[0].nmae (case "x"): unknown key; did you mean name',
        ),
    ],
)  # fmt: skip
def test_faults_are_one_line(tmp_path, text, said):
    assert refused(tmp_path, text).startswith(said)


@pytest.mark.parametrize("data", [b"\xff", b"a = 1\x00", b"x = " + b"[" * 5000])
def test_no_file_makes_it_raise_anything_else(tmp_path, data):
    path = tmp_path / "a.suite.toml"
    path.write_bytes(data)
    with pytest.raises(SuiteError):
        load_suite(path)


def test_a_byte_order_mark_is_passed_over(tmp_path):
    path = tmp_path / "a.suite.toml"
    path.write_bytes(f'\ufeff[[case]]\r\nname = "x"\r\n{CHECK}'.encode())
    assert load_suite(path).cases[0].name == "x"


def test_a_pipe_is_no_suite(tmp_path):
    os.mkfifo(tmp_path / "a.suite.toml")
    with pytest.raises(SuiteError, match="it is no regular file"):
        load_suite(tmp_path / "a.suite.toml")


def test_money_stays_exact_and_other_numbers_are_floats(tmp_path):
    text = '[[case]]\nname = "x"\n[[case.check]]\ntype = "budget"\ncost_usd = 0.10000000000000000001\n' \
           '[[case.check]]\ntype = "tools"\ncalls = [{ name = "a", input = { x = 0.1 } }]\n'  # fmt: skip
    budget, tools = suite(tmp_path, text).cases[0].checks
    assert budget.cost_usd == Decimal("0.10000000000000000001")
    assert tools.calls[0].input == {"x": 0.1}


class TestFinding:
    def test_folders_files_and_patterns(self, tmp_path):
        text = f'[[case]]\nname = "x"\n{CHECK}'
        one, two = write(tmp_path, text), write(tmp_path, text, "in/b.suite.toml")
        write(tmp_path, text, "runs/x.workspace/c.suite.toml")
        write(tmp_path, text, "node_modules/d.suite.toml")
        assert find_suites([str(tmp_path)]) == [one, two]
        assert find_suites([str(tmp_path / "*.toml"), str(one), str(tmp_path / "in" / ".." / one.name)]) == [one]
        assert [found.path for found in load_suites([str(two), str(one)])] == [two, one]

    def test_links_in_a_circle(self, tmp_path):
        one, two = tmp_path / "a.suite.toml", tmp_path / "b.suite.toml"
        one.symlink_to(two)
        two.symlink_to(one)
        for path in (one, tmp_path):
            with pytest.raises(HarnessError):
                load_suites([str(path)])

    def test_what_names_nothing_is_an_error(self, tmp_path):
        with pytest.raises(HarnessError, match="no suite there"):
            find_suites([str(tmp_path)])
        with pytest.raises(HarnessError, match="there is no such file"):
            find_suites([str(tmp_path / "gone")])
        (tmp_path / "a.toml").write_text("")
        with pytest.raises(HarnessError, match="not a suite"):
            find_suites([str(tmp_path / "a.toml")])
