"""The recordings that a report is about, shown on its page: those that did not pass, and those that differ."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from harness.errors import RecordingError
from harness.page.shell import escaped
from harness.page.trajectory import trajectory
from harness.page.trajectory_sheet import Limits
from harness.recording.opening import open as open_recording

MOST = 12
"""The recordings of one page."""

_LIMITS = Limits(text=50_000, texts=1_500_000, raw=1_000_000)
"""Of all of them together, so that a report can still be sent."""


def embedded(name: str, data: dict[str, Any]) -> tuple[list[str], dict[str, str]]:
    """The markup of the section, and by path the id of each recording that is there; nothing of a report without.

    `name`, `data`: of the report. One that cannot be read is left out: the report says so itself.
    """
    choose = _CHOICES.get(name)
    paths = [*dict.fromkeys(() if choose is None else choose(data))]
    limits = _LIMITS.among(min(len(paths), MOST))
    links: dict[str, str] = {}
    shown: list[str] = []
    for path in paths[:MOST]:
        place = f"recording-{len(links)}"
        try:
            part = trajectory(open_recording(Path(path)), place, limits=limits)
        except RecordingError:
            continue
        links[path] = place
        shown.append(folded(path, place, part))
    if not shown:
        return [], {}
    return ["<h2>Recordings</h2>", *_left_out(len(paths)), *shown], links


def folded(path: str, place: str, part: str) -> str:
    """A trajectory under a line with its path, closed at first. `place`: its id. `part`: its markup."""
    return f'<details class="tj-file" id="{place}-file"><summary>{escaped(path)}</summary>\n{part}\n</details>'


def _left_out(found: int) -> Iterator[str]:
    if found > MOST:
        yield (
            f'<p class="tj-cut">The first {MOST} of {found:,} that did not pass or that differ; '
            "the others by <code>harness show FILE --format html</code></p>"
        )


def _of_suites(data: dict[str, Any]) -> Iterator[str]:
    for suite in data["suites"]:
        yield from (one["recording"] for one in suite["results"] if one["status"] != "pass")


def _of_comparison(data: dict[str, Any]) -> Iterator[str]:
    if data["kind"] == "runs":
        yield from (one["path"] for one in data["contenders"])
        return
    for task in data["tasks"]:
        yield from _failed(task["runs"])
    for task in data["tasks"]:
        yield from _differing(task)


def _failed(contenders: Sequence[Sequence[dict[str, Any]]]) -> Iterator[str]:
    """Of each contender the first run that did not pass, which the report names."""
    for runs in contenders:
        yield from [run["path"] for run in runs if run["status"] != "pass"][:1]


def _differing(task: dict[str, Any]) -> Iterator[str]:
    """Both runs of each pair that differs, in a task with one run of each: repeats nearly always differ."""
    first, *others = task["runs"]
    for runs, comparisons in zip(others, task["comparisons"], strict=True):
        if task["expected"] == 1 and any(not one["same"] for one in comparisons):
            yield from (run["path"] for run in (*first, *runs))


_CHOICES: dict[str, Callable[[dict[str, Any]], Iterator[str]]] = {
    "suite": _of_suites,
    "diff": _of_comparison,
    "trials": lambda data: _of_comparison(data["comparison"]),
}
