"""The options by which `harness scan` and `harness scrub` are told what a secret is."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar

import click

from harness.config import current
from harness.errors import HarnessError
from harness.redaction.finder import Finder
from harness.redaction.key_shapes import MIN_LENGTH, is_secret
from harness.redaction.kingfisher import Kingfisher, available
from harness.redaction.redactor import Rule

_Command = TypeVar("_Command", bound=Callable[..., Any])

_OPTIONS = (
    click.option("--env", "variables", multiple=True, metavar="NAME", help="The value of this variable is a secret."),
    click.option("--value", "values", multiple=True, help="This value is a secret (it stays in the shell's history)."),
    click.option("--pattern", "patterns", multiple=True, metavar="[NAME=]REGEX", help="What this matches is a secret."),
    click.option(
        "--kingfisher/--no-kingfisher", default=None, help="Ask that scanner too [default: where it is installed]."
    ),
)


def secret_options(command: _Command) -> _Command:
    """Add the options to a command; their values go to `make_finder` and `make_foreign`."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def make_finder(*, variables: tuple[str, ...], values: tuple[str, ...], patterns: tuple[str, ...]) -> Finder:
    """Looks for the keys in use, the configured rules, and what the options name. Raises `HarnessError`."""
    config = current()
    secrets = [*config.key_values().values()]
    for name in variables:
        value = os.environ.get(name, "")
        if not is_secret(value):
            raise HarnessError(f"--env {name}: {_unfit(value) if value else 'the variable is not set'}")
        secrets.append(value)
    for value in values:
        if not is_secret(value):
            raise HarnessError(f"--value: {_unfit(value)}")
        secrets.append(value)
    try:
        return Finder(secrets, [*config.redact, *map(_rule, patterns)])
    except ValueError as error:
        raise HarnessError(f"--pattern: {error}") from None


def make_foreign(kingfisher: bool | None) -> Kingfisher | None:
    """The further scanner: if asked for, or by default where it is installed. Raises `HarnessError`."""
    return Kingfisher() if kingfisher or (kingfisher is None and available()) else None


def _rule(text: str) -> Rule:
    name, mark, pattern = text.partition("=")
    if mark and pattern and name.replace("-", "").replace("_", "").replace(".", "").isalnum() and name.isascii():
        return Rule(name, pattern)
    return Rule("pattern", text)


def _unfit(value: str) -> str:
    if len(value) < MIN_LENGTH:
        return f"the value is too short to be looked for ({MIN_LENGTH} characters at least)"
    return "the value is a well-known dummy, which is let be"
