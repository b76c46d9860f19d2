"""Options that all commands that take suites have alike."""

from __future__ import annotations

from importlib import import_module

import pytest


@pytest.mark.parametrize("name", ["suite_run", "suite_accept", "suite_prove", "run"])
def test_one_declaration_for_all_that_filter(name):
    command = import_module(f"harness.cli.{name}").command
    (option,) = (one for one in command.params if "--filter" in one.opts)
    assert (option.name, option.metavar) == ("expression", "EXPR")
    assert option.help == (
        "Only cases with EXPR in the name of suite, case or task; with *, ? or [ it is a pattern for all of it."
    )
