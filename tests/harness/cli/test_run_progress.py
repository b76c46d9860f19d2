from __future__ import annotations

import io
import sys

import pytest

from harness.cli.run_progress import Progress
from harness.costs.priced_by import PricedBy
from harness.report.reading import read_facts
from tests.harness.sessions import Turn, chat, record
from tests.harness.trials.trial_runs import cases, trial


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def one(tmp_path):
    found = trial(cases(tmp_path)[0], tmp_path)
    found.path.parent.mkdir()
    return found


async def shown(one, reply):
    await _recorded(one, reply)
    with Progress(2, PricedBy()) as progress:
        await progress.done(one, read_facts(one.path))
        progress.say("a line\x1b for people")


async def _recorded(one, reply):
    from asyncio import to_thread

    await to_thread(record, one.path, Turn([reply]))


@pytest.mark.anyio
async def test_a_line_a_trial(one, capsys):
    await shown(one, chat("tea is at four"))
    first, second = capsys.readouterr().err.splitlines()
    assert first == "1/2 one, tea, repeat 1: 1 call, $0.010000, pass"
    assert second.startswith("harness: a line")
    assert "\x1b" not in second


@pytest.mark.anyio
async def test_a_failure_is_told_in_one_line(one, capsys):
    await shown(one, chat("no\nidea " * 200))
    line = capsys.readouterr().err.splitlines()[0]
    assert ", fail: text: " in line
    assert len(line) < 200


@pytest.mark.anyio
async def test_on_a_terminal_there_is_a_bar_as_well(one, monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    await shown(one, chat("tea is at four"))
    shown_text = terminal.getvalue()
    assert "trials" in shown_text
    assert "50%" in shown_text
    assert "1/2 one, tea, repeat 1: 1 call, $0.010000, pass\n" in shown_text


def test_without_trials_there_is_no_bar(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with Progress(0, PricedBy()):
        pass
    assert terminal.getvalue() == ""
