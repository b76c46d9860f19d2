"""Lines on stderr: what they quote does nothing to a terminal."""

from __future__ import annotations

import sys

import pytest

from harness.cli.saying import say
from tests.harness.cli.cli import refusal

HOSTILE = "a\x1b[31mb\x9b2J\u202ec"
HARMLESS = "a\\x1b[31mb\\x9b2J\\u202ec"


def test_a_line_is_said_on_stderr(capsys):
    say("two lines,\nlike a difference")
    assert capsys.readouterr() == ("", "harness: two lines,\nlike a difference\n")


def test_what_is_quoted_cannot_steer_a_terminal(capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)  # elsewhere click leaves colours out
    say(HOSTILE)
    assert capsys.readouterr().err == f"harness: {HARMLESS}\n"


@pytest.mark.parametrize("key", ["recording", "task"])
def test_so_do_errors_that_name_what_a_file_holds(tmp_path, key):
    suite = tmp_path / "odd.suite.toml"
    text = HOSTILE.replace("\x1b", "\\u001b").replace("\x9b", "\\u009b").replace("\u202e", "\\u202e")
    suite.write_text(f'[[case]]\nname = "{text}"\n{key} = "nothing"\n[[case.check]]\ntype = "no_error"\n')
    assert f'(case "{HARMLESS}")' in refusal("suite", "run", suite)
