r"""Secrets out, placeholders in: pure, and cheap where there is nothing to replace.

Replaced are the values of key variables in use and those that `learn` was told (both by the rule `key`), the known key
shapes (`harness.key_shapes`), and what a user's own rules find. A secret becomes `[redacted:RULE:N]`: the same secret
always the same placeholder, N counting the secrets of a rule from 1. A value that has a known shape goes by the shape's
name, so that the placeholder does not depend on whether its variable is set.

A placeholder holds no character that JSON or an event stream cares about, so both stay valid: it takes the place of
whole characters of a JSON string, a backslash that would be left over goes with it, and a number that is a secret
becomes a string. Redacting twice changes nothing. Where a request is compared with a recorded one, `unnumbered` leaves
the numbers out, as they depend on what was met before.

A secret that is split over two frames is not seen here: whoever feeds frames may hold one back until the next has come.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from agent.jsonio import NotJSON, dumps, loads_exact
from harness.key_shapes import HINTS, SHAPES, is_number, is_secret, shape_of, value_pattern

KEY_RULE = "key"

_MIN_RUN = 6
_PLACEHOLDER = re.compile(r"(\[redacted:[A-Za-z0-9_.-]+:[0-9]+\])")
_NUMBERED = re.compile(rb"(\[redacted:[A-Za-z0-9_.-]+):[0-9]+\]")
_ASCII_ESCAPE = re.compile(rb"\\u00[2-7]")
_ESCAPED = re.compile(rb"\\+[nr]?|[\r\n]")
"""What differs between a key with line ends and its JSON form."""
_DATA_LINE = re.compile(rb"(?m)^(data: ?)([^\r\n]*)")
_dash, _underscore, _upper_a, _space = (hint.search for hint in HINTS)

_Bytes: TypeAlias = bytes
"""`bytes`, inside the class that has a method of that name."""
_Match: TypeAlias = re.Match[bytes]


@dataclass(slots=True, frozen=True)
class Rule:
    """A user's rule: all that `pattern` matches inside a text is a secret. `name`: letters, digits, `_`, `.`, `-`."""

    name: str
    pattern: str


@dataclass(slots=True, frozen=True)
class _Value:
    """A secret that is known by its value."""

    rule: str
    secret: bytes
    is_number: bool
    pattern: re.Pattern[bytes]


class Redactor:
    """Replaces secrets. `values`: key variables in use, name to value; `rules`: added to the known shapes.

    Raises `ValueError` for a rule with a bad name or pattern.
    """

    def __init__(self, values: Mapping[str, str] | None = None, rules: Iterable[Rule] = ()) -> None:
        self._values: dict[str, _Value] = {}
        self._user = [(rule.name, _compiled(rule)) for rule in rules]
        self._runs: tuple[_Bytes, ...] = ()
        self._always = bool(self._user)
        self._numbers: dict[tuple[str, _Bytes], int] = {}
        self._counts: dict[str, int] = {}
        for value in (values or {}).values():
            self.learn(value)

    @property
    def rules(self) -> list[str]:
        """The names of the rules in force, as the header of a recording lists them."""
        return [KEY_RULE, *(shape.name for shape in SHAPES), *(name for name, _ in self._user)]

    def learn(self, secret: str) -> None:
        """Replace this value from now on. Short values and well-known dummies are let be."""
        if secret in self._values or not is_secret(secret):
            return
        raw = secret.encode("utf-8", "surrogatepass")
        value = _Value(shape_of(raw) or KEY_RULE, raw, is_number(secret), value_pattern(secret))
        known = {**self._values, secret: value}
        self._values = dict(sorted(known.items(), key=lambda item: -len(item[0])))
        runs = {_plain_run(item) for item in self._values}
        self._runs = tuple(run for run in runs if len(run) >= _MIN_RUN)
        self._always = len(self._runs) < len(runs) or bool(self._user)

    def bytes(self, data: _Bytes) -> _Bytes:
        """A frame, a body or a part of one. Returns `data` itself where nothing was found."""
        if (
            _dash(data) is None
            and _underscore(data) is None
            and _upper_a(data) is None
            and _space(data) is None
            and not self._may_hold_value(data)
        ):
            return data
        return self._redact(data, in_json=True)

    def text(self, text: str) -> str:
        """A plain text, such as a message or an output. Returns `text` itself where nothing was found."""
        data = text.encode("utf-8", "surrogatepass")
        found = self._redact(data, in_json=False)
        return text if found is data else found.decode("utf-8", "surrogatepass")

    def json(self, value: Any) -> Any:
        """All strings and keys of a JSON value. Returns `value` itself where nothing was found."""
        data = dumps(value)
        found = self.bytes(data)
        return value if found is data else loads_exact(found)

    def _may_hold_value(self, data: _Bytes) -> bool:
        """Whether a known value, or what a user's rule finds, may stand in `data`."""
        for run in self._runs:
            if run in data:
                return True
        return self._always or (bool(self._runs) and _ASCII_ESCAPE.search(data) is not None)

    def _redact(self, data: _Bytes, *, in_json: bool) -> _Bytes:
        found = data
        for value in self._values.values() if self._may_hold_value(data) else ():
            strings = _Strings() if in_json and value.is_number else None

            def known(match: _Match, value: _Value = value, strings: _Strings | None = strings) -> _Bytes:
                if match["placeholder"]:
                    return match[0]
                placeholder = self._placeholder(value.rule, value.secret)
                if strings is not None and not strings.inside(match.string, match.start()):
                    return b'"' + placeholder + b'"'
                return _kept(match, in_json) + placeholder

            found = value.pattern.sub(known, found)
        for shape in SHAPES:
            if shape.quick.search(found) is None:
                continue

            def shaped(match: _Match, rule: str = shape.name) -> _Bytes:
                if match["placeholder"]:
                    return match[0]
                secret = match[0][match.end("lead") - match.start() :]
                return _kept(match, in_json) + self._placeholder(rule, _ESCAPED.sub(b"", secret))

            found = shape.pattern.sub(shaped, found)
        if self._user:
            found = _change_texts(found, self._apply_user_rules) if in_json else self._on_text(found)
        return data if found == data else found

    def _on_text(self, data: _Bytes) -> _Bytes:
        return self._apply_user_rules(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")

    def _apply_user_rules(self, text: str) -> str:
        """Only between placeholders: what stands in one is none of a rule's business."""
        for rule, pattern in self._user:
            parts = _PLACEHOLDER.split(text)
            for index in range(0, len(parts), 2):
                parts[index] = pattern.sub(lambda match, rule=rule: self._found(rule, match[0]), parts[index])
            text = "".join(parts)
        return text

    def _found(self, rule: str, secret: str) -> str:
        return self._placeholder(rule, secret.encode("utf-8", "surrogatepass")).decode() if secret else ""

    def _placeholder(self, rule: str, secret: _Bytes) -> _Bytes:
        number = self._numbers.get((rule, secret))
        if number is None:
            number = self._numbers[rule, secret] = self._counts[rule] = self._counts.get(rule, 0) + 1
        return b"[redacted:%s:%d]" % (rule.encode(), number)


def unnumbered(data: bytes) -> bytes:
    """Placeholders by their rule alone, for comparing a request with a recorded one."""
    return _NUMBERED.sub(rb"\1]", data) if b"[redacted:" in data else data


def _compiled(rule: Rule) -> re.Pattern[str]:
    if not re.fullmatch(r"[A-Za-z0-9_.-]+", rule.name):
        raise ValueError(f"the name of a redaction rule has letters, digits, '_', '.' and '-' only, not {rule.name!r}")
    try:
        return re.compile(rule.pattern)
    except re.error as error:
        raise ValueError(f"the pattern of redaction rule {rule.name!r} is wrong: {error}") from None


def _plain_run(secret: str) -> bytes:
    """The longest part of a secret that no usual escaping touches (RFC 3986, 2.3)."""
    return max(re.findall(r"[A-Za-z0-9._~-]+", secret), key=len, default="").encode()


def _kept(match: _Match, in_json: bool) -> bytes:
    """What stays before a secret: in JSON no odd backslash, which would escape the placeholder's bracket."""
    slashes = match["slashes"]
    return (slashes[: len(slashes) // 2 * 2] if in_json and not match["lead"] else slashes) + match["lead"]


class _Strings:
    """Tells, for places in rising order, whether they stand inside a JSON string: by the quotes of their line."""

    def __init__(self) -> None:
        self._at = 0
        self._inside = False

    def inside(self, data: bytes, at: int) -> bool:
        between = data[self._at : at]
        line = between.rpartition(b"\n")[2]
        quotes = re.sub(rb"\\.", b"", line).count(b'"')
        self._inside = (self._inside and len(line) == len(between)) ^ (quotes % 2 == 1)
        self._at = at
        return self._inside


def _change_texts(data: bytes, change: Callable[[str], str]) -> bytes:
    """Apply `change` to every string of a JSON document or of an event stream's JSON data, else to the text itself."""
    try:
        value = loads_exact(data)
    except NotJSON:
        pass
    else:
        changed = _change_strings(value, change)
        return data if changed == value else dumps(changed)
    if not _DATA_LINE.search(data):
        return change(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
    return _DATA_LINE.sub(lambda match: match[1] + (_change_line(match[2], change) if match[2] else b""), data)


def _change_line(line: bytes, change: Callable[[str], str]) -> bytes:
    try:
        value = loads_exact(line)
    except NotJSON:
        return change(line.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
    changed = _change_strings(value, change)
    return line if changed == value else dumps(changed)


def _change_strings(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {change(key): _change_strings(item, change) for key, item in value.items()}
    if isinstance(value, list):
        return [_change_strings(item, change) for item in value]
    return value
