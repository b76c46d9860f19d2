"""When two JSON values are the same for whoever reads them: `1 == 1.0`, `true != 1`, the order of keys is free. Pure.

So checks and diffs compare: arguments that are written otherwise are not other arguments. What is sent to a provider
is compared as it is written (`agent.jsonio.canonical`, `harness.differences`): there `1` and `1.0` are two.

`same_scalar` compares two values, `tidy` gives both of them one form, for keys; they say the same.
"""

from __future__ import annotations

from typing import Any

from agent.jsonio import canonical, loads_exact

_LARGE = 2**63
"""From here on not every whole number has a short form as an integer."""


def same_scalar(one: Any, other: Any) -> bool:
    """Whether two values are the same of which one at least is neither an object nor a list."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return one == other
    return type(one) is type(other) and bool(one == other)


def tidy(value: Any) -> Any:
    """The value with each number in the one form that all numbers equal to it have: values are the same where the
    canonical JSON of what comes out is. Below 400 levels it is cut, as in all that is written."""
    if isinstance(value, dict | list):
        return _tidy(loads_exact(canonical(value)))
    return _tidy(value)


def _tidy(value: Any) -> Any:
    """`canonical` leaves no more than 400 levels."""
    if isinstance(value, dict):
        return {name: _tidy(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_tidy(item) for item in value]
    if isinstance(value, float) and value.is_integer() and abs(value) < _LARGE:
        return int(value)
    if isinstance(value, int) and abs(value) >= _LARGE:
        return _as_float(value)
    return value


def _as_float(value: int) -> int | float:
    """A float where one has exactly this value."""
    try:
        return number if (number := float(value)) == value else value
    except OverflowError:
        return value
