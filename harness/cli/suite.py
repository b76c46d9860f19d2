"""`harness suite`: recordings judged by cases and checks. Each subcommand is `harness.cli.suite_<name>`."""

from __future__ import annotations

import click

from harness.cli import LazyGroup

COMMANDS = {
    "run": "Judge recordings by the cases of suites.",
    "init": "Write a first suite from what recordings show.",
    "accept": "Take the recorded events as the golden ones.",
    "prove": "Show that the checks of a suite can fail, and can pass.",
}


@click.group(name="suite", cls=LazyGroup, sections={"Commands": COMMANDS}, modules="harness.cli.suite_")
def command() -> None:
    """Judge recordings by suites: cases with checks, in files NAME.suite.toml (docs/suites.md).

    \b
    harness suite init recordings/ --out recordings/garden.suite.toml
    harness suite run recordings/
    """
