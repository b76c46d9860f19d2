from __future__ import annotations

from decimal import Decimal

import pytest

from harness.costs.priced_by import PricedBy
from harness.errors import SuiteError
from harness.suites.prove import prove
from harness.suites.recordings import Recordings
from tests.harness.sessions import Turn, chat, record
from tests.harness.suites.suite_files import suite, with_recordings

PRICE = PricedBy(table=lambda usage, provider, model, at: Decimal(0))
TASK = '[[case]]\nname = "tea"\nprompt = "Move tea to five."\nworkspace = "garden"\n'
FILE = '[[case.check]]\ntype = "file"\npath = "plan.txt"\ncontains = "five"\n'
KEPT = '[[case.check]]\ntype = "file"\npath = "seeds.md"\n'
TEXT = '[[case.check]]\ntype = "text"\ncontains = "five"\n'
TOOLS = '[[case.check]]\ntype = "tools"\ncalls = [{ name = "edit_file", arguments = "ignore" }]\n'
SOLUTION, ANSWER = 'solution = "solved"\n', 'answer = "It is at five."\n'


@pytest.fixture
def folder(tmp_path):
    for name, text in (
        ("garden/plan.txt", "tea at four"),
        ("garden/seeds.md", "peas"),
        ("solved/plan.txt", "tea at five"),
    ):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return tmp_path


def proved(folder, text: str):
    (case,) = suite(folder, text).cases
    return prove(case, Recordings(), PRICE)


@pytest.mark.parametrize(
    ("text", "can_fail", "can_pass"),
    [
        (TASK + SOLUTION + ANSWER + FILE + TEXT, "pass", "pass"),
        (TASK + SOLUTION + FILE, "pass", "pass"),
        (TASK + ANSWER + TEXT, "pass", "pass"),
        (TASK + ANSWER + TEXT + KEPT, "pass", "pass"),
        (TASK + SOLUTION + KEPT, "fail", "pass"),
        (TASK + SOLUTION + ANSWER + FILE + TEXT.replace("five", "six"), "pass", "fail"),
        (TASK + SOLUTION + FILE.replace("five", "six"), "pass", "fail"),
        (TASK + SOLUTION + FILE + TEXT, "pass", "open"),
        (TASK + ANSWER + FILE + TEXT, "pass", "open"),
        (TASK + FILE, "pass", "open"),
        (TASK + SOLUTION + TOOLS, "open", "open"),
        (TASK + TOOLS, "open", "open"),
    ],
    ids=[
        "whole", "file", "text", "a file that stays", "nothing fails", "wrong answer", "wrong file", "no answer",
        "no solution", "no reference", "no outcome with reference", "no outcome",
    ],
)  # fmt: skip
def test_tasks(folder, text, can_fail, can_pass):
    found = proved(folder, text)
    assert (found.can_fail.status, found.can_pass.status) == (can_fail, can_pass), found
    order = ["error", "fail", "open", "pass"]
    assert found.status == min((can_fail, can_pass), key=order.index)


def test_what_is_said(folder):
    found = proved(folder, TASK + SOLUTION + ANSWER + FILE + KEPT + TEXT)
    assert found.can_fail.by.startswith("nothing done: file: plan.txt")
    assert found.can_pass.by == "the reference solution passes"
    assert found.idle == ("file",)
    assert proved(folder, TASK + SOLUTION + FILE + TEXT).can_pass.by == "text: the case gives no `answer`"
    assert proved(folder, TASK + TOOLS).can_fail.by == "it has no check of the outcome (text, file)"
    assert "nothing is recorded" in proved(folder, TASK + FILE).can_pass.by
    assert (folder / "garden" / "plan.txt").read_text() == "tea at four"


def test_a_recording_that_passes_proves_a_task(folder):
    good = record(folder / "good.jsonl", Turn([chat("It is at five.")]), task="tea")
    record(folder / "bad.jsonl", Turn([chat("No idea.")]), task="tea")
    found = proved(folder, TASK + TEXT)
    assert (found.can_pass.status, found.can_pass.by) == ("pass", f"{good} passes")
    good.unlink()
    found = proved(folder, TASK + TEXT)
    assert found.can_pass.status == "open"
    assert "no recording passes" in found.can_pass.by


RECORDED = '[[case]]\nname = "x"\nrecording = "*.jsonl"\n'


def check(kind: str, more: str = "") -> str:
    return f'[[case.check]]\ntype = "{kind}"\n{more}\n'


@pytest.mark.parametrize(
    ("checks", "can_fail", "can_pass"),
    [
        (check("text", 'contains = "tea is at four"'), "pass", "pass"),
        (check("no_error") + check("complete"), "fail", "pass"),
        (check("budget", "cost_usd = 1\ncalls = 3\noutput_tokens = 1000"), "fail", "pass"),
        (check("no_secret") + check("stop_reason", 'equals = "stop"'), "fail", "pass"),
        (check("requests"), "open", "pass"),
        (check("requests") + check("text", 'regex = "."'), "pass", "pass"),
        (check("text", 'contains = "six"'), "pass", "fail"),
        (check("file", 'path = "a"') + check("text", 'regex = "."'), "pass", "error"),
        (check("text", 'regex = "folder"'), "pass", "fail"),
    ],
)
def test_recordings_are_the_solution_of_a_case_without_a_prompt(tmp_path, checks, can_fail, can_pass):
    with_recordings(tmp_path, "gemini-parallel-calls", "openai-chat-parallel-calls")
    found = proved(tmp_path, RECORDED + checks)
    assert (found.can_fail.status, found.can_pass.status) == (can_fail, can_pass), found
    assert found.idle == ()


def test_golden_events_can_fail(tmp_path):
    with_recordings(tmp_path, "gemini-text")
    (case,) = suite(tmp_path, RECORDED + check("events")).cases
    case.goldens.mkdir(parents=True)
    case.golden.write_text('{"calls": []}')
    assert prove(case, Recordings(), PRICE).can_fail.status == "pass"


def test_a_case_without_a_prompt_needs_recordings(tmp_path):
    with pytest.raises(SuiteError, match="matches no recording"):
        proved(tmp_path, RECORDED + check("no_error"))
    with pytest.raises(SuiteError, match="matches no recording"):
        proved(tmp_path, RECORDED + 'prompt = "Go."\n' + check("text", 'regex = "."'))


def test_a_solution_that_cannot_be_laid_over_is_one_line(folder):
    (folder / "solved" / "seeds.md").mkdir()
    with pytest.raises(
        SuiteError, match=r'case\[0\] \(case "tea"\): no copy can be made of its workspace and solution: .*seeds.md: '
    ):
        proved(folder, TASK + SOLUTION + FILE)
