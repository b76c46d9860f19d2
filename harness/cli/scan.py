"""`harness scan`: secrets that slipped into recordings and other files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from agent.jsonio import dumps
from harness.cli.saying import say
from harness.cli.secret_options import make_finder, make_foreign, secret_options
from harness.errors import HarnessError
from harness.files import find_files
from harness.redaction.scan import Scanned, scan_file

EXIT_FOUND = 1
EXIT_UNUSABLE = 2


@click.command(name="scan")
@click.argument("paths", nargs=-1, required=True, type=click.Path(readable=False))
@click.option("--json", "as_json", is_flag=True, help="One JSON object a finding, then one with the totals.")
@secret_options
@click.pass_context
def command(ctx: click.Context, /, paths: tuple[str, ...], as_json: bool, kingfisher: bool | None, **what: Any) -> None:
    """Look for secrets in recordings, fixtures and other files; none is ever shown.

    PATHS are files, folders or globs. Looked for are known key shapes, the values of the providers' key variables and
    of --env, and the rules of [tool.harness] and --pattern: as they are, JSON-escaped, percent-encoded, in base64, and
    split over the frames of a call. Placeholders are fine. Exit status: 1 when one is found, 2 when a file cannot be
    read, or a folder holds none.

    \b
    harness scan recordings/ fixtures/
    harness scan run.jsonl --env MY_TOKEN --pattern 'customer=CUST-[0-9]{8}'
    """
    finder = make_finder(**what)
    foreign = make_foreign(kingfisher)
    results: list[Scanned] = []
    unreadable: list[str] = []
    for path in _files(paths, unreadable):
        try:
            result = scan_file(path, finder, foreign)
        except HarnessError as error:
            unreadable.append(str(error))
            continue
        results.append(result)
        unreadable += [f"{path}: {warning}" for warning in result.unread]
        for finding in result.findings:
            click.echo(dumps(finding.to_dict()) if as_json else str(finding))
    for message in unreadable:
        say(message)
    _print_totals(results, len(unreadable), as_json)
    found = any(result.findings for result in results)
    ctx.exit(EXIT_UNUSABLE if unreadable else EXIT_FOUND if found else 0)


def _files(paths: tuple[str, ...], unreadable: list[str]) -> list[Path]:
    """The files to look into. Raises `HarnessError` for a folder without any: nothing found there is no proof."""
    found: dict[Path, None] = {}
    for path in paths:
        files = find_files([path], unreadable)
        if not files and not unreadable:
            raise HarnessError(f"{path}: there is no file in this folder to look into: check the path")
        found |= dict.fromkeys(files)
    return list(found)


def _print_totals(results: list[Scanned], unreadable: int, as_json: bool) -> None:
    findings = sum(len(result.findings) for result in results)
    placeholders = sum(result.placeholders for result in results)
    if as_json:
        totals = {"files": len(results), "findings": findings, "placeholders": placeholders, "unreadable": unreadable}
        click.echo(dumps({"totals": totals}))
        return
    files = len(results)
    parts = [
        f"{findings} secret{'' if findings == 1 else 's'} in {files} file{'' if files == 1 else 's'}",
        f"{placeholders} redacted already",
    ]
    click.echo(" · ".join(parts))
