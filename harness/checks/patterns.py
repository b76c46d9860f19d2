"""Regular expressions of suites: Python's, compiled once. Pure.

There is no limit to how long one may search: Python's `re` backtracks, and `(a+)+$` may take twice as
long for each letter more.
"""

from __future__ import annotations

import re
import warnings
from functools import lru_cache

_LOOKS_AROUND = re.compile(r"[$\\]|\(\?|(?<!^)\^")
"""What may make an expression mind where in the text it stands, but for a `^` at its beginning."""


@lru_cache(maxsize=4096)
def compiled(pattern: str, ignore_case: bool = False) -> re.Pattern[str]:
    """Raises `ValueError` for what is no regular expression."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of what may mean something else in a Python to come
            return re.compile(pattern, re.IGNORECASE if ignore_case else re.NOFLAG)
    except re.error as error:
        raise ValueError(f"{pattern!r} is no regular expression: {error}") from None
    except (OverflowError, RecursionError):
        raise ValueError(f"{pattern[:40]!r}… is too large for a regular expression") from None


def matches_all(pattern: str) -> bool:
    """Whether there is no text in which nothing matches. True only where that is certain: it matches nothing at all at
    the beginning of any text, as `.*` does."""
    return not _LOOKS_AROUND.search(pattern) and compiled(pattern).match("") is not None
