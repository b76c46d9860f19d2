"""Rows of prices that a user wrote: which one holds for a model, and for a call of some size at some time. Pure.

A row has dollars per million tokens (see `agent.pricing.price_from_row`) and perhaps `tier`, a list of tables with
conditions and other prices.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, time
from typing import Any

Row = Mapping[str, Any]
"""`tier` entries: `above` (int), `since` and `until` (date), `between` (two times), and prices."""

_DATED = re.compile(r"-(?:20\d\d-\d\d-\d\d|20\d{6})$")
_BILLED_AS = {"openai-responses": ("openai",)}
"""Another API of a provider, at the same prices."""

_CONDITIONS = frozenset({"above", "since", "until", "between"})


def find_row(rows: Mapping[str, Row], provider: str, model: str) -> Row | None:
    """The row of `provider/model`, else that of the model without a date at its end (providers answer with
    `gpt-4.1-2025-04-14` where `gpt-4.1` was asked), else `provider/*`; those of `openai` for `openai-responses` too."""
    for owner in (provider, *_BILLED_AS.get(provider, ())):
        for name in (model, _DATED.sub("", model), "*"):
            row = rows.get(f"{owner}/{name}")
            if row is not None:
                return row
    return None


def row_at(row: Row, input_tokens: int | None, at: datetime | None) -> Row:
    """The prices that hold for a call: those of the last tier whose conditions all hold, over those of the row.

    `at` None is an unknown time: no condition of time holds then.
    """
    moment = None if at is None else at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC)
    for tier in reversed(row.get("tier") or ()):
        if _holds(tier, input_tokens, moment):
            return {**row, **{name: value for name, value in tier.items() if name not in _CONDITIONS}}
    return row


def _holds(tier: Row, input_tokens: int | None, at: datetime | None) -> bool:
    above, since, until, between = (tier.get(name) for name in ("above", "since", "until", "between"))
    if above is not None and (input_tokens is None or input_tokens <= above):
        return False
    if since is None and until is None and between is None:
        return True
    return at is not None and _on(at.date(), since, until) and (between is None or _within(at.time(), *between))


def _on(day: date, since: date | None, until: date | None) -> bool:
    return (since is None or day >= since) and (until is None or day < until)


def _within(now: time, start: time, end: time) -> bool:
    """From `start` to before `end`, over midnight where the end comes first."""
    return start <= now < end if start <= end else now >= start or now < end
