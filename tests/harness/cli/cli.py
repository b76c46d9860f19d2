"""Calls the `harness` command in this process, for tests of what it prints and how it exits."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from click.testing import CliRunner, Result

from agent.providers.table import PROVIDERS
from harness.cli import main

CLEAN = {
    variable: None for row in PROVIDERS.values() for variable in (*row.key_variables, "HARNESS_MODEL", "OLLAMA_HOST")
}


def call(*args: Any, stdin: bytes | str | None = None, environ: Mapping[str, str | None] | None = None) -> Result:
    """Run it with no key variable set. Whatever a user does, no exception may come out."""
    result = CliRunner().invoke(
        main, [str(arg) for arg in args], input=stdin, env={**CLEAN, **(environ or {})}, prog_name="harness"
    )
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def no_backoff(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call that failed is tried again at once."""
    monkeypatch.setattr("agent.steps.delay", lambda attempt, retry_after, jitter, limits=None: 0.0)


def refusal(*args: Any, **more: Any) -> str:
    """The one line on stderr of a command that could not begin: exit status 2, nothing on stdout."""
    result = call(*args, **more)
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    (line,) = result.stderr.splitlines()
    assert line.startswith("harness"), line
    return line


def lines_of(text: str) -> list[Any]:
    """JSON lines, every one of them valid."""
    return [json.loads(line) for line in text.split("\n") if line]
