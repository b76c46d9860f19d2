"""File-name patterns: `*` and `?` within a name, `**` over folders, `[...]`, and `{a,b}`."""

from __future__ import annotations

import re
from collections.abc import Callable

from agent.tools.tool import ToolError

_TOKEN = re.compile(r"\*\*/|\*\*|\*|\?|\[!?\]?[^\]/]*\]|\{[^{}]*\}|[^*?\[{]+|.", re.DOTALL)


def matcher(pattern: str) -> Callable[[str], bool]:
    """A test of paths (relative, with `/`). A pattern without `/` looks at the name alone, at any depth.

    Raises `ToolError` for a pattern with a bad range.
    """
    anchored = "/" in pattern
    try:
        expression = re.compile(_translate(pattern.lstrip("/").removeprefix("./")), re.DOTALL)
    except re.error as error:
        raise ToolError(f"bad glob {pattern!r}: {error}") from None
    if anchored:
        return lambda path: expression.fullmatch(path) is not None
    return lambda path: expression.fullmatch(path.rpartition("/")[2]) is not None


def _translate(pattern: str) -> str:
    return "".join(_piece(token) for token in _TOKEN.findall(pattern))


def _piece(token: str) -> str:
    if token == "**/":
        return "(?:[^/]+/)*"
    if token == "**":
        return ".*"
    if token == "*":
        return "[^/]*"
    if token == "?":
        return "[^/]"
    if token[0] == "[" and token[-1] == "]" and len(token) > 2:
        body = token[1:-1]
        negated, body = body[0] == "!", body.removeprefix("!")
        escaped = body.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]").replace("^", "\\^")
        return f"[{'^/' if negated else ''}{escaped}]"
    if token[0] == "{" and token[-1] == "}" and len(token) > 2:
        return "(?:" + "|".join(_translate(choice) for choice in token[1:-1].split(",")) + ")"
    return re.escape(token)
