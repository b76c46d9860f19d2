"""`harness doctor`: what is installed and configured, for bug reports."""

from __future__ import annotations

import os
from collections.abc import Iterable

import click

from agent.jsonio import dumps
from harness.config import current_folder
from harness.doctor import DISTRIBUTION, Report, examine

EXIT_PROBLEM = 1


@click.command(name="doctor")
@click.option("--json", "as_json", is_flag=True, help="All of it as one JSON object.")
@click.pass_context
def command(ctx: click.Context, /, as_json: bool) -> None:
    """Tell what is installed and configured here, ready to be pasted into a bug report.

    Versions, extras, providers with a key, configuration, folders, and the variables that count. Of variables only the
    names are shown, never the values. Exit status: 1 when something is wrong.

    \b
    harness doctor
    harness doctor --json
    """
    report = examine(current_folder(), os.environ)
    if as_json:
        click.echo(dumps(report.to_dict()))
    else:
        for line in _lines(report):
            click.echo(line)
    ctx.exit(EXIT_PROBLEM if report.problems else 0)


def _lines(report: Report) -> Iterable[str]:
    width = max(map(len, report.versions))
    for name, version in report.versions.items():
        yield f"{name.ljust(width)}  {version}"
    yield ""
    present = [extra.name for extra in report.extras if not extra.missing]
    yield f"extras present: {', '.join(present) or 'none'}"
    for extra in report.extras:
        if extra.missing:
            yield f"  not {extra.name}: pip install '{DISTRIBUTION}[{extra.name}]' ({', '.join(extra.missing)} missing)"
    yield ""
    keys = [f"{one.name} ({one.key})" for one in report.providers if one.key is not None]
    free = [one.name for one in report.providers if one.key is None and not one.needs_key]
    own = [one.name for one in report.providers if one.own]
    yield f"providers with a key: {', '.join(keys) or 'none'}"
    yield f"providers that need none: {', '.join(free) or 'none'}"
    if own:
        yield f"providers of your own: {', '.join(own)}"
    yield ""
    yield f"configuration: {report.config or 'none ([tool.harness] in pyproject.toml)'}"
    yield f"model: {report.model or 'none by default'}"
    for folder in report.folders:
        state = "writable" if folder.writable else "NOT writable"
        yield f"{folder.use}: {folder.path} ({state}{'' if folder.exists else ', not there yet'})"
    yield f"variables set: {', '.join(report.variables) or 'none that count'}"
    yield ""
    for problem in report.problems:
        yield f"problem: {problem}"
    if not report.problems:
        yield "no problem found"
