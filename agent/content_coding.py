"""Content codings (RFC 9110, 8.4) as headers name them. Pure."""

from __future__ import annotations

from collections.abc import Iterable

CODINGS = frozenset({"br", "compress", "dcb", "dcz", "deflate", "gzip", "x-compress", "x-gzip", "zstd"})
"""The registered content codings (IANA, HTTP Content Coding Registry)."""

UNDONE = frozenset({"deflate", "gzip"})
"""Those that every client can undo; where several are stacked none is undone."""


def coding_of(headers: Iterable[tuple[str, str]]) -> str:
    """The content codings that the headers name, in order, comma-separated; "" for none.

    Words that are no coding (`identity`, `none`, `utf-8`) say nothing, as clients ignore them too.
    """
    values = ",".join(value for name, value in headers if name.lower() == "content-encoding")
    return ", ".join(word for part in values.split(",") if (word := part.strip().lower()) in CODINGS)
