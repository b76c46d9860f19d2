"""The outcome of one check, the same for replays, suites and live trials."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

Status = Literal["pass", "fail", "error"]

WORDS: Mapping[Status, str] = {"pass": "ok", "fail": "FAIL", "error": "ERROR"}
"""The statuses as reports write them."""


@dataclass(slots=True, frozen=True)
class Spent:
    """What was taken of one limit of a budget, in the unit of its name. `more`: there may be more, which is not
    known."""

    name: str
    amount: Decimal
    limit: Decimal
    more: bool = False


@dataclass(slots=True, frozen=True)
class Verdict:
    """`reason` says where it failed; `error` is a check that could not be made. `score`: 0 to 1, where a check has
    partial scores. `spent`: of each limit of a budget."""

    check: str
    status: Status
    reason: str | None = None
    score: float | None = None
    spent: tuple[Spent, ...] = ()


def worst(statuses: Iterable[Status]) -> Status:
    """The status of several together: an error counts more than a failure; of none it is a pass."""
    found = {*statuses}
    return "error" if "error" in found else "fail" if "fail" in found else "pass"
