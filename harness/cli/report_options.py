"""`--format` and `--out` of the commands that make reports, and the writing of these."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

import click

from harness.cli.terminal import terminal_width
from harness.errors import HarnessError
from harness.paths import SUFFIXES
from harness.report.rendering import FORMATS, NAME, render
from harness.report.report import Report
from harness.writing import write_whole

_PAGE = "html"
_SUFFIXES = {".txt": "text", ".md": "markdown", ".csv": "csv", ".json": "json", ".html": _PAGE, ".htm": _PAGE}
_BY_DEFAULT = "\0"
"""The value of `--out` where it names no file."""

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


@dataclass(slots=True, frozen=True)
class Output:
    """What the two options say. `form` None: by the file's suffix, else text."""

    form: str | None
    out: str | None

    @property
    def tells_all(self) -> bool:
        """Whether the report shows all of its data: for programs, and in plots."""
        return (self.form or _SUFFIXES.get(Path(self.out or "").suffix.lower())) in ("json", _PAGE)


def writable(better: str) -> Callable[[click.Context, click.Parameter, Any], Any]:
    """The callback of an option that names a file to write: what cannot be written is refused before anything is read,
    run or paid for. `better`: a name for it. Raises `HarnessError`."""

    def check(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
        if value not in (None, _BY_DEFAULT):
            path = Path(value)
            _refuse(path, better)
            special = path.exists() and not path.is_file()  # such as /dev/stdout
            place = path if special else next(above for above in path.absolute().parents if above.exists())
            if not (special or place.is_dir()) or not os.access(place, os.W_OK):
                raise HarnessError(f"{path}: cannot be written: {place} takes no file")
        return value

    return check


def _refuse(path: Path, better: str) -> None:
    refuse_input(path, better)
    if path.is_dir():
        raise HarnessError(f"{path}: this is a folder: name a file in it, such as {path / better}")


def report_options(command: Decorated) -> Decorated:
    """Adds the options; the command gets them as `form` and `out`, for `Output(form, out)`."""
    return report_options_as("--out")(command)


def report_options_as(flag: str) -> Callable[[Decorated], Decorated]:
    """The same for a command whose `--out` is something else: `flag` in its place, which the command gets under its own
    name."""
    form = click.option(
        "--format",
        "form",
        type=click.Choice([*FORMATS, _PAGE]),
        help="Of the report; markdown fits a pull-request comment, html is one page with plots that opens offline.  "
        f"[default: as the name of {flag} says, else text]",
    )
    out = click.option(
        flag,
        is_flag=False,
        flag_value=_BY_DEFAULT,
        metavar="[FILE]",
        callback=writable("report.md"),
        help="Write the report to this file; without a name to one in reports/.",
    )
    return lambda command: form(out(command))


def deliver(report: Report, output: Output, name: str) -> None:
    """Print the report, or write it. `name`: that of its file where the user gave none, without suffix.

    Raises `HarnessError` for a file that cannot be written.
    """
    if output.out is None:
        _print(_rendered(report, output.form or "text", name, terminal_width()))
        return
    path, form = _place(output, name)
    _refuse(path, f"{name}.md")
    write(path, _rendered(report, form, name))


def _rendered(report: Report, form: str, name: str, width: int | None = None) -> str:
    if form != _PAGE:
        return render(report, form, version(NAME), width)
    from harness.page.report import report_page

    return report_page(report, name, version(NAME))


def refuse_input(path: Path, better: str) -> None:
    """Raises `HarnessError` where a report would take the place of a recording or a suite. `better`: a name for it."""
    from harness.suites.case import SUFFIX  # it brings hashlib with it

    kind = "recording" if path.name.endswith(SUFFIXES) else "suite" if path.name.endswith(SUFFIX) else None
    if kind is not None:
        raise HarnessError(f"{path}: a report does not go into a {kind}: give it a name such as {better}")


def write(path: Path, text: str) -> None:
    """Write a file whole or not at all, its folder too where it is not there. Raises `HarnessError`."""
    write_whole(path, text.encode("utf-8", "backslashreplace"))


def _print(text: str) -> None:
    try:
        click.echo(text.encode("utf-8", "backslashreplace").decode(), nl=False)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise HarnessError(f"the report cannot be printed: {error.strerror}") from None


def _place(output: Output, name: str) -> tuple[Path, str]:
    if output.out == _BY_DEFAULT:
        from harness.config import current

        form = output.form or "markdown"
        suffix = next(suffix for suffix, one in _SUFFIXES.items() if one == form)
        return current().reports / f"{name}{suffix}", form
    path = Path(output.out or "")
    return path, output.form or _SUFFIXES.get(path.suffix.lower(), "text")
