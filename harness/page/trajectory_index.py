"""`harness show --format html`: the page of one recording, or of several under an index with a link to each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from harness.errors import RecordingError
from harness.page.blocks import Blocks
from harness.page.embedded import folded
from harness.page.shell import escaped, page
from harness.page.trajectory import trajectory
from harness.page.trajectory_sheet import UNLIMITED, Limits
from harness.recording.opening import Recording
from harness.recording.opening import open as open_recording
from harness.report.figures import plural
from harness.report.listing import HEADERS, NUMBERS, cells, summary
from harness.report.report import Table
from harness.report.scan import Row

MOST = 200
"""Recordings that are shown under the index; the index has all of them."""


def recording_page(recording: Recording, version: str, *, full: bool = False, only: int | None = None) -> str:
    """The HTML page of one recording. `full`: leave nothing out. `only`: the number of the one call to show."""
    body = trajectory(recording, limits=UNLIMITED if full else None, only=only)
    return page(recording.path.name, [body], version, parts=("viewer",))


def recordings_page(rows: Sequence[Row], version: str, *, full: bool = False) -> str:
    """The HTML page of several recordings. `rows`: of all of them; those that can be read are opened one by one."""
    return page(plural(len(rows), "recording"), _body(rows, full), version, parts=("viewer",))


def _body(rows: Sequence[Row], full: bool) -> Iterator[str]:
    readable = [row for row in rows if row.fault is None]
    shown = readable if full else readable[:MOST]
    places = {id(row): f"r{number}" for number, row in enumerate(shown)}
    yield f"<p>{escaped(summary(rows))}</p>"
    links = {row.path: places[id(row)] for row in shown}
    yield from Blocks(links).write(Table(HEADERS, [cells(row) for row in rows], NUMBERS, title="Recordings"))
    if len(shown) < len(readable):
        left = plural(len(readable) - len(shown), "recording")
        yield f'<p class="tj-cut">{left} more only in the table: name fewer, or give <code>--full</code></p>'
    limits = UNLIMITED if full else Limits().among(len(shown))
    for row in shown:
        place = places[id(row)]
        try:
            part = trajectory(open_recording(Path(row.path)), place, limits=limits)
        except RecordingError as error:  # it changed since it was looked at
            part = f'<p class="bad" id="{place}">{escaped(str(error))}</p>'
        yield folded(row.path, place, part)
