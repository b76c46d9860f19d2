from __future__ import annotations

import pytest

from harness.cli.suite import COMMANDS, command
from tests.harness.cli.cli import call, refusal


def test_help_lists_the_commands():
    result = call("suite", "--help")
    assert result.exit_code == 0
    for name, says in COMMANDS.items():
        assert f"  {name} " in result.output
        assert says in result.output


@pytest.mark.parametrize("name", COMMANDS)
def test_each_has_a_help_with_an_example(name):
    result = call("suite", name, "--help")
    assert result.exit_code == 0
    assert f"  harness suite {name} " in result.output


def test_misuse_is_one_line():
    assert refusal("suite", "rum").startswith("harness suite: No such command 'rum'")
    assert refusal("suite", "run") == "harness suite run: Missing argument 'PATHS...' (see `harness suite run --help`)"
    assert command.get_command(None, "rum") is None
