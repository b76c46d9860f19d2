"""Lines for people, on stderr."""

from __future__ import annotations

import click


def say(line: str) -> None:
    """Print it behind `harness: `. What is quoted in it, of a suite or a recording, cannot steer the terminal."""
    from harness.report.text import visible  # it brings Unicode's tables with it

    click.echo(f"harness: {visible(line)}", err=True)
