"""A Gemini function call that comes in pieces (`streamFunctionCallArguments` of Vertex AI).

A `functionCall` part with `willContinue` opens the call, later parts without a name go on with it. Their
`partialArgs` set one value each: `{"jsonPath": "$.list[0].name", "stringValue": "a", "willContinue": true}`. A string
goes on in later pieces of the same path until one lacks `willContinue`; numbers, booleans and null come whole.
Source: Vertex AI REST reference, `FunctionCall` and `PartialArg`; paths are RFC 9535 name and index selectors.
"""

from __future__ import annotations

import re
from typing import Any

from agent.jsonio import dumps, scrub, scrub_deep

_STEP = re.compile(
    r"\.([^.\[\]]+)|\[\s*([0-9]{1,9})\s*\]|\[\s*'((?:[^'\\]|\\.)*)'\s*\]|\[\s*\"((?:[^\"\\]|\\.)*)\"\s*\]", re.S
)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.S)
_ESCAPED = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_DEPTH = 64


class OpenCall:
    """The call so far. Pieces that cannot be placed make it unreadable: it is then never `settled`."""

    __slots__ = ("_args", "_broken", "_given", "_strings", "id", "name", "opaque")

    def __init__(self) -> None:
        self.id: str | None = None
        self.name = ""
        self.opaque: Any = None
        self._args: dict[str, Any] = {}
        self._given = False
        self._broken = False
        self._strings: dict[str, list[str]] = {}

    def add(self, call: dict[str, Any]) -> None:
        """Read one `functionCall` of this call."""
        name, id, args, pieces = call.get("name"), call.get("id"), call.get("args"), call.get("partialArgs")
        if not self.name and isinstance(name, str):
            self.name = name
        if not self.id and isinstance(id, str):
            self.id = id
        if isinstance(args, dict):
            self._given = True
            self._strings.clear()
            self._args.update(args)
        elif args is not None:
            self._given = self._broken = True
        if isinstance(pieces, list):
            for piece in pieces:
                self._given = True
                if not self._piece(piece):
                    self._broken = True
        elif pieces is not None:
            self._given = self._broken = True

    @property
    def settled(self) -> bool:
        """Whether no value is half sent."""
        return not self._broken and not self._strings

    def arguments(self, *, whole: bool) -> dict[str, Any] | str | None:
        """The arguments: an object where they are `whole` and readable, else the text of what came, left open.

        None where the provider sent none at all.
        """
        if not self._given:
            return None
        for path, pieces in self._strings.items():
            self._put(path, "".join(pieces))
        args: dict[str, Any] = scrub_deep(self._args)
        return args if whole and not self._broken else dumps(args).decode()[:-1]

    def _piece(self, piece: Any) -> bool:
        path = piece.get("jsonPath") if isinstance(piece, dict) else None
        if not isinstance(path, str):
            return False
        more = piece.get("willContinue") is True
        text = piece.get("stringValue")
        if isinstance(text, str):
            if path in self._strings or more:
                return self._string(path, text, more)
            return self._put(path, text)
        for key, kinds in (("numberValue", (int, float)), ("boolValue", (bool,))):
            if key in piece:
                return type(piece[key]) in kinds and self._put(path, piece[key])
        if "nullValue" in piece:
            return self._put(path, None)
        return (path in self._strings or more) and self._string(path, "", more)

    def _string(self, path: str, text: str, more: bool) -> bool:
        """Keep a piece of a string; the pieces are joined once, with the last."""
        if path not in self._strings:
            self._strings[path] = []
            if not self._put(path, ""):
                return False
        self._strings[path].append(text)
        return more or self._put(path, "".join(self._strings.pop(path)))

    def _put(self, path: str, value: Any) -> bool:
        """Set the value at `path`, making the objects and lists on the way. False where it does not fit."""
        steps = _steps(path)
        if not steps:
            return False
        place: Any = self._args
        for at, step in enumerate(steps):
            last = at == len(steps) - 1
            if isinstance(step, str):
                if not isinstance(place, dict):
                    return False
                if last or step not in place:
                    place[step] = value if last else _container(steps[at + 1])
            else:
                if not isinstance(place, list) or step > len(place):
                    return False
                if step == len(place):
                    place.append(value if last else _container(steps[at + 1]))
                elif last:
                    place[step] = value
            place = place[step]
        return True


def _container(step: str | int) -> dict[str, Any] | list[Any]:
    return {} if isinstance(step, str) else []


def _steps(path: str) -> list[str | int]:
    """The names and indexes of a path; empty where it is none that names one place in an object."""
    steps: list[str | int] = []
    at = 1
    while path.startswith("$") and at < len(path) and len(steps) < _DEPTH:
        step = _STEP.match(path, at)
        if step is None:
            return []
        name, index, single, double = step.groups()
        if index is not None:
            steps.append(int(index))
        else:
            steps.append(scrub(name if name is not None else _ESCAPE.sub(_unescape, single or double or "")))
        at = step.end()
    return steps if at >= len(path) else []


def _unescape(escape: re.Match[str]) -> str:
    code = escape[1]
    return chr(int(code[1:], 16)) if len(code) == 5 else _ESCAPED.get(code, code)
