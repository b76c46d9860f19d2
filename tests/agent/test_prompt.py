from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from agent.prompt import is_system_prompt, system_prompt
from agent.tools import MODES


@pytest.mark.parametrize("mode", MODES)
def test_it_says_where_when_and_what(mode):
    text = system_prompt(mode, Path("/home/zoë/garden"), date(2026, 3, 9))
    assert "/home/zoë/garden" in text
    assert "2026-03-09" in text
    assert ("not change" in text) == (mode == "PLAN")
    assert ("shell" in text) == (mode in ("BUILD", "SWE"))
    assert len(text) < 600


def test_each_mode_has_its_own():
    assert len({system_prompt(mode, Path("/x"), date(2026, 1, 1)) for mode in MODES}) == len(MODES)


@pytest.mark.parametrize("mode", MODES)
def test_it_is_known_again(mode):
    text = system_prompt(mode, Path("/a folder\nof two lines"), date(2026, 1, 1))
    assert is_system_prompt(text)
    assert not is_system_prompt(text + " Be brief.")
    assert not is_system_prompt("You are a careful software engineer.")
