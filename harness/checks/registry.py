"""The checks there are, by the name that stands as their `type` in a suite.

Adding one is one module and one row; packages add theirs by an entry point of `GROUP`. A module is loaded only once a
suite names its check.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from harness.errors import CheckError, raised

if TYPE_CHECKING:
    from harness.checks.base import Check

GROUP = "trajectory_harness.checks"

BUILT_IN: Mapping[str, str] = {
    "budget": "harness.checks.budget:Budget",
    "complete": "harness.checks.endings:Complete",
    "events": "harness.checks.events:Events",
    "file": "harness.checks.file:File",
    "no_error": "harness.checks.endings:NoError",
    "no_secret": "harness.checks.no_secret:NoSecret",
    "requests": "harness.checks.requests:Requests",
    "stop_reason": "harness.checks.endings:StopReason",
    "text": "harness.checks.text:Text",
    "tool_count": "harness.checks.tool_count:ToolCount",
    "tools": "harness.checks.tools:Tools",
}


def entry_points(**wanted: str) -> Any:
    """`importlib.metadata.entry_points`, loaded on first use: it brings the email package with it."""
    from importlib import metadata

    return metadata.entry_points(**wanted)


def names() -> list[str]:
    """The names of all checks: built in and installed."""
    return sorted({*BUILT_IN, *(point.name for point in entry_points(group=GROUP))})


@cache
def check_class(name: str) -> type[Check]:
    """The class of a check; a built-in one wins.

    Raises `CheckError` for a name that is none, for one that two packages claim, and for an entry point that does not
    load or is no check.
    """
    if name in BUILT_IN:
        module, _, attribute = BUILT_IN[name].partition(":")
        found: type[Check] = getattr(import_module(module), attribute)
        return found
    points = [*entry_points(group=GROUP, name=name)]
    if not points:
        raise CheckError(f"unknown check {name!r}; {_nearest(name)}")
    if len({point.value for point in points}) > 1:
        raise CheckError(f"check {name!r}: several packages have one: {', '.join(map(_place, points))}")
    return _load(points[0])


def _load(point: Any) -> type[Check]:
    from harness.checks.base import Check

    try:
        loaded = point.load()
    except Exception as error:
        raise CheckError(f"check {point.name!r}: {_place(point)} does not load: {raised(error)}") from None
    if not (isinstance(loaded, type) and issubclass(loaded, Check)):
        raise CheckError(f"check {point.name!r}: {_place(point)} is no subclass of harness.checks.base.Check")
    return loaded


def _place(point: Any) -> str:
    """`module:Class of package`"""
    package = getattr(point.dist, "name", None)
    return f"{point.value}{f' of {package}' if package else ''}"


def _nearest(name: str) -> str:
    from difflib import get_close_matches

    known = names()
    near = get_close_matches(name, known, n=1, cutoff=0.5)
    return f"did you mean {near[0]!r}" if near else f"known are {', '.join(known)}"
