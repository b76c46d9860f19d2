"""The table of base-URL variables: consistent in itself, and the guide lists all of it."""

from __future__ import annotations

from pathlib import Path

from agent.providers.table import PROVIDERS
from harness.serving.variables import FURTHER, VARIABLES

GUIDE = Path(__file__).resolve().parents[3] / "docs" / "any-language.md"


def test_each_variable_stands_once():
    names = [variable.name for variable in VARIABLES]
    assert len(names) == len(set(names))


def test_each_path_can_be_appended_to():
    for variable in VARIABLES:
        assert variable.path == "" or (variable.path.startswith("/") and not variable.path.endswith("/"))


def test_further_providers_are_in_no_row_of_the_table():
    assert not FURTHER.keys() & PROVIDERS.keys()
    assert FURTHER.keys() <= {variable.provider for variable in VARIABLES}


def test_the_guide_lists_each_variable():
    text = GUIDE.read_text("utf-8")
    assert [variable.name for variable in VARIABLES if f"`{variable.name}`" not in text] == []
