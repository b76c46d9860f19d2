"""Options of the commands that take suites."""

from __future__ import annotations

import click

filter_option = click.option(
    "--filter",
    "expression",
    metavar="EXPR",
    help="Only cases with EXPR in the name of suite, case or task; with *, ? or [ it is a pattern for all of it.",
)
"""The option of commands that choose cases by `harness.suites.running.is_chosen`, as `expression`."""
