"""Values of records as the type they should have; None, or empty, where a file holds something else."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from math import isfinite
from typing import Any

from agent.jsonio import dumps


def text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def any_text(value: Any) -> str:
    """A string as it is, nothing for null, anything else as JSON."""
    return value if isinstance(value, str) else "" if value is None else dumps(value).decode()


def count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        found = float(value)
    except OverflowError:
        return None
    return found if isfinite(found) else None


def mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def dollars(value: Any) -> Decimal | None:
    """A recorded `cost_usd`: a decimal string."""
    if not isinstance(value, str):
        return None
    try:
        amount = Decimal(value)
    except InvalidOperation:
        return None
    return amount if amount.is_finite() and -12 <= amount.adjusted() <= 12 else None


def difference(later: float | None, earlier: float | None) -> float | None:
    """Seconds between two times, to the microsecond."""
    return None if later is None or earlier is None else round(later - earlier, 6)
