"""How long a provider asks us to wait, in seconds. Pure: dates are read against the response's own `Date` header.

Sources: RFC 9110 10.2.3 (`Retry-After`: seconds or an HTTP date) and 5.6.7 (the three date forms), OpenAI's and
Azure's `retry-after-ms`, Google's `google.rpc.RetryInfo` (`retryDelay`, a protobuf Duration) in the body.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any

_NUMBER = re.compile(r"\d{1,9}(?:\.\d{1,9})?")
_DATE_FORMS = ("%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT", "%a %b %d %H:%M:%S %Y")
_DEPTH = 8


def from_headers(headers: Sequence[tuple[str, str]]) -> float | None:
    """The wait that response headers ask for; None where they ask for none or cannot be read."""
    found = {name.lower(): value.strip() for name, value in headers}
    milliseconds = found.get("retry-after-ms", "")
    if _NUMBER.fullmatch(milliseconds):
        return float(milliseconds) / 1000
    value = found.get("retry-after", "")
    if _NUMBER.fullmatch(value):
        return float(value)
    until, now = _date(value), _date(found.get("date", ""))
    if until is None or now is None:
        return None
    return max(0.0, (until - now).total_seconds())


def from_body(value: Any, depth: int = 0) -> float | None:
    """The wait that a Google `RetryInfo` anywhere in a parsed error body asks for."""
    if depth > _DEPTH:
        return None
    if isinstance(value, dict):
        if "retryDelay" in value:
            return _duration(value["retryDelay"])
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            found = from_body(item, depth + 1) if isinstance(item, dict | list) else None
            if found is not None:
                return found
    return None


def _date(text: str) -> datetime | None:
    for form in _DATE_FORMS:
        try:
            return datetime.strptime(text, form)
        except ValueError:
            continue
    return None


def _duration(value: Any) -> float | None:
    """A protobuf Duration: `"34.5s"` in JSON, or an object of seconds and nanos."""
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip().removesuffix("s")):
        return float(value.strip().removesuffix("s"))
    if isinstance(value, dict):
        seconds, nanos = str(value.get("seconds", 0)), str(value.get("nanos", 0))
        if _NUMBER.fullmatch(seconds) and _NUMBER.fullmatch(nanos):
            return float(seconds) + float(nanos) / 1e9
    return None
