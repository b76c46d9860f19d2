r"""Secrets out, placeholders in: pure, and cheap where there is nothing to replace.

Replaced are the values of key variables in use and those that `learn` was told (both by the rule `key`), the known key
shapes (`harness.redaction.key_shapes`), and what a user's own rules find, all of them also in base64
(`harness.redaction.in_base64`). A secret becomes `[redacted:RULE:N]`: the same secret always the same placeholder, N
counting the secrets of a rule from 1. A value that has a known shape goes by the shape's name, so that the placeholder
does not depend on whether its variable is set.

A placeholder holds no character that JSON or an event stream cares about, so both stay valid: it takes the place of
whole characters of a JSON string, a backslash that would be left over goes with it, and a number that is a secret
becomes a string. Redacting twice changes nothing. Where a request is compared with a recorded one,
`harness.redaction.placeholders` leaves the numbers out, as they depend on what was met before.

A secret that is split over two frames is not seen by `bytes`: `harness.redaction.held_frames` joins them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any, Literal, TypeAlias
from urllib.parse import unquote_to_bytes

from agent.jsonio import dumps, loads_exact
from harness.redaction.in_base64 import Run, base64_may_hold_key, runs
from harness.redaction.key_shapes import (
    AWS_LENGTH,
    HINTS,
    PEM_LENGTH,
    SHAPES,
    is_secret,
    may_hold_key,
)
from harness.redaction.known_values import KEY_RULE, Known, Value, forms_of
from harness.redaction.placeholders import PLACEHOLDER
from harness.redaction.rules_in_base64 import find_in_base64
from harness.redaction.user_rules import Rule, UserRules, change_texts

if TYPE_CHECKING:
    from harness.redaction.open_secrets import OpenSecrets

__all__ = ["KEY_RULE", "MASK", "Redactor", "Rule", "Secret", "masked"]

_TAKEN = re.compile(r"\udcff+|\[redacted:[A-Za-z0-9_.-]+:[0-9]+\]")
"""Masked secrets and placeholders: what stands in one is none of a user's rule's business."""
_ASCII_ESCAPE = re.compile(rb"\\u00[2-7]")
_QUOTE = re.compile(rb'(?s)"|\\.|\n')
_ESCAPED = re.compile(rb"\\+[nr]?|[\r\n]")
"""What differs between a key with line ends and its JSON form."""
_BEFORE_HINT, _BEHIND_HINT = 64, 2 * PEM_LENGTH
"""Bytes around what hints at a key that its pattern may look at."""
MASK = b"\xff"
"""Takes the place of a secret that was found, so that nothing is found in it again. It is part of no secret."""

_SHORT_TEXT = 64
_MOST_TEXTS = 4096

_Bytes: TypeAlias = bytes
"""`bytes`, inside the class that has a method of that name."""


@dataclass(slots=True, frozen=True)
class Secret:
    """Bytes `start` to `end` of a text.

    `quote`: what must stand around its placeholder (a number in JSON). `by`: what it was found by.
    """

    start: int
    end: int
    rule: str
    value: bytes
    quote: bytes = b""
    by: Literal["value", "shape", "user"] = "shape"


class Redactor:
    """Replaces secrets. `values`: key variables in use, name to value; `rules`: added to the known shapes.

    Safe to use from several threads. Raises `ValueError` for a rule with a bad name or pattern.
    """

    def __init__(self, values: Mapping[str, str] | None = None, rules: Iterable[Rule] = ()) -> None:
        self._user = UserRules(rules)
        self._values: dict[str, list[Value]] = {}
        self._known = Known()
        self._numbers: dict[tuple[str, _Bytes], int] = {}
        self._counters: dict[str, Iterator[int]] = {}
        self._open: tuple[int, OpenSecrets] | None = None
        self._passed: set[_Bytes] = set()
        """Short texts in which the user's rules find nothing: names of members, types, ids come in every frame."""
        self.version = 0
        """Another number after every value that was learned."""
        for value in (values or {}).values():
            self.learn(value)

    @property
    def rules(self) -> list[str]:
        """The names of the rules in force, as the header of a recording lists them."""
        return [KEY_RULE, *(shape.name for shape in SHAPES), *self._user.names]

    @property
    def has_user_rules(self) -> bool:
        return bool(self._user)

    @property
    def needs_whole_texts(self) -> bool:
        """Whether a part of a body cannot be redacted without what stands before and behind it."""
        return self.has_user_rules or any(value.is_number for value in self._known.values)

    @property
    def shortest(self) -> int:
        """Bytes that a secret of nothing but letters and digits has at least, where there are no rules of the user."""
        return min([AWS_LENGTH, *(len(value.secret) for value in self._known.values)])

    def learn(self, secret: str) -> None:
        """Replace this value from now on. Short values and well-known dummies are let be."""
        if secret in self._values or not is_secret(secret):
            return
        self._values[secret] = forms_of(secret)
        known: tuple[list[Value], ...] = ()
        while len(known) < len(self._values):  # another thread may be learning too
            known = (*self._values.values(),)
            self._known = Known.of(value for forms in known for value in forms)
        self.version += 1

    def open_secrets(self) -> OpenSecrets:
        """Tells whether a text may end inside a secret, by all that was learned so far."""
        from harness.redaction.open_secrets import OpenSecrets  # its tables are needed only where something is recorded

        version, known = self.version, self._known
        if self._open is None or self._open[0] != version:
            always = known.always or bool(self._user)
            texts = tuple(value.text for value in known.values if not value.is_core)
            encoded = tuple(value.text for value in known.values if value.is_core and not value.twice)
            in_base64 = known.core_runs + known.twice_runs
            self._open = (
                version,
                OpenSecrets(
                    texts, encoded, runs=known.runs, core_runs=in_base64, always=always, width=self._user.width
                ),
            )
        return self._open[1]

    def go_on(self, recorded: _Bytes) -> None:
        """Number what is met from now on after the placeholders in a text that was redacted earlier."""
        highest: dict[str, int] = {}
        for match in PLACEHOLDER.finditer(recorded):
            rule = match[1].decode()
            highest[rule] = max(highest.get(rule, 0), int(match[2]))
        for (rule, _), number in self._numbers.items():
            if rule in highest:
                highest[rule] = max(highest[rule], number)
        self._counters |= {rule: count(number + 1) for rule, number in highest.items()}

    def bytes(self, data: _Bytes) -> _Bytes:
        """A frame, a body or a part of one. Returns `data` itself where nothing was found."""
        found = self.known(data)
        if self._user:
            found = change_texts(found, self._user_changed)
        return data if found == data else found

    def known(self, data: _Bytes, *, in_json: bool = True) -> _Bytes:
        """As `bytes`, but without the user's rules; or a plain text, which is no JSON."""
        if not may_hold_key(data) and not self._may_hold_value(data) and not base64_may_hold_key(data):
            return data
        return self._replaced(data, self.find(data, in_json=in_json, user_rules=False))

    def text(self, text: str) -> str:
        """A plain text, such as a message or an output. Returns `text` itself where nothing was found."""
        if not text:
            return text
        data = text.encode("utf-8", "surrogatepass")
        secrets = self.find(data)
        return self._replaced(data, secrets).decode("utf-8", "surrogatepass") if secrets else text

    def json(self, value: Any) -> Any:
        """All strings and keys of a JSON value. Returns `value` itself where nothing was found."""
        data = dumps(value)
        found = self.bytes(data)
        return value if found is data else loads_exact(found)

    def by_user_rules(self, data: _Bytes) -> _Bytes:
        """A text without what the user's rules find in it."""
        if data in self._passed:
            return data
        secrets = self._user_secrets(data, [])
        if not secrets and len(data) <= _SHORT_TEXT and len(self._passed) < _MOST_TEXTS:
            self._passed.add(data)
        return self._replaced(data, secrets)

    def find(self, data: _Bytes, *, in_json: bool = False, user_rules: bool = True) -> list[Secret]:
        """The secrets in a text, in order, not numbered yet. `in_json`: in JSON or lines of it, without user rules."""
        secrets = self._known_secrets(data, in_json=in_json)
        if self._user and user_rules and not in_json:
            secrets = _apart(secrets + self._user_secrets(data, secrets))
        return secrets

    def placeholder(self, secret: Secret) -> _Bytes:
        """What stands in place of a secret."""
        key = (secret.rule, secret.value)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers.setdefault(key, next(self._counters.setdefault(secret.rule, count(1))))
        return b"%b[redacted:%b:%d]%b" % (secret.quote, secret.rule.encode(), number, secret.quote)

    def _may_hold_value(self, data: _Bytes) -> bool:
        """Whether a known value, or what a user's rule finds, may stand in `data`."""
        known = self._known
        if known.may_stand_in(data):
            return True
        return known.always or bool(self._user) or (bool(known.runs) and _ASCII_ESCAPE.search(data) is not None)

    def _known_secrets(self, data: _Bytes, *, in_json: bool) -> list[Secret]:
        """Known values, the longest first, then known shapes; in the order of their places."""
        found: list[Secret] = []
        rest = data
        escaped = _ASCII_ESCAPE.search(data) is not None
        for value in self._known.to_look_for(data):
            if not value.may_stand_in(rest, escaped=escaped):
                continue
            quotes = _Quotes(rest, in_json=in_json) if value.is_number else None
            spans = []
            for match in value.pattern.finditer(rest):
                if not match["placeholder"]:
                    spans.append(_span(match, in_json))
                    quote = b"" if quotes is None else quotes.around(match.start())
                    found.append(Secret(*spans[-1], value.rule, value.secret, quote, "value"))
            rest = _masked(rest, spans)
        more = True
        while more and may_hold_key(rest):  # a key may begin right behind another that has gone
            shaped, rest = _shaped(rest, in_json=in_json)
            more = bool(shaped)
            found += shaped
        found += [secret for run in runs(rest) for secret in _shaped_in_base64(run)]
        return _apart(found)

    def _user_secrets(self, data: _Bytes, known: list[Secret]) -> list[Secret]:
        text = masked(data, known)
        found = [
            Secret(start, end, rule, data[start:end], by="user")
            for start, end, rule in self._user.find_bytes(text, _TAKEN)
        ]
        rest = _masked(masked(text, found), [match.span() for match in PLACEHOLDER.finditer(text)])
        encoded = find_in_base64(self._user, rest)
        found += [Secret(start, end, rule, value, by="user") for start, end, rule, value in encoded]
        return _apart(found)

    def _user_changed(self, text: str) -> str:
        return self.by_user_rules(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")

    def _replaced(self, data: _Bytes, secrets: list[Secret]) -> _Bytes:
        if not secrets:
            return data
        parts = []
        at = 0
        for secret in secrets:
            parts += [data[at : secret.start], self.placeholder(secret)]
            at = secret.end
        parts.append(data[at:])
        return b"".join(parts)


def masked(data: bytes, secrets: Iterable[Secret]) -> bytes:
    """A text without its secrets, as long as before."""
    return _masked(data, [(secret.start, secret.end) for secret in secrets])


def _apart(secrets: list[Secret]) -> list[Secret]:
    """In order, without those that stand inside another (a known value in a private key)."""
    apart: list[Secret] = []
    for secret in sorted(secrets, key=lambda secret: secret.start):
        if not apart or apart[-1].end <= secret.start:
            apart.append(secret)
    return apart


def _span(match: re.Match[bytes], in_json: bool) -> tuple[int, int]:
    """What is replaced: in JSON with an odd backslash before the secret, which would escape the placeholder."""
    if match["lead"] or not in_json:
        return match.end("lead"), match.end()
    return match.start() + len(match["slashes"]) // 2 * 2, match.end()


def _shaped(data: bytes, *, in_json: bool) -> tuple[list[Secret], bytes]:
    """What has a known shape, and the text without it."""
    found = []
    for shape in SHAPES:
        if shape.quick.search(data) is None:
            continue
        spans = []
        for match in shape.pattern.finditer(data):
            if not match["placeholder"]:
                spans.append(_span(match, in_json))
                value = unquote_to_bytes(data[match.end("lead") : match.end()])
                found.append(Secret(*spans[-1], shape.name, _ESCAPED.sub(b"", value)))
        data = _masked(data, spans)
    return found, data


def _shaped_in_base64(run: Run) -> Iterator[Secret]:
    """Looks at no more of a long run than may hold a key: in an image, nearly nothing."""
    for missing, data in run.readings():
        places = [match.start() for hint in HINTS for match in hint.finditer(data)]
        if places:
            first = max(0, min(places) - _BEFORE_HINT)
            for found in _shaped(data[first : max(places) + _BEHIND_HINT], in_json=False)[0]:
                yield Secret(*run.span(missing, first + found.start, first + found.end), found.rule, found.value)


def _masked(data: bytes, spans: list[tuple[int, int]]) -> bytes:
    if not spans:
        return data
    masked = bytearray(data)
    for start, end in spans:
        masked[start:end] = MASK * (end - start)
    return bytes(masked)


class _Quotes:
    """Tells, for numbers in rising order of place, which quotes their placeholders need.

    `in_json`: `data` is JSON or has lines of it, whose strings may hold JSON again; else it is one such string.
    """

    def __init__(self, data: bytes, *, in_json: bool) -> None:
        self._data = data
        self._in_json = in_json
        self._at = 0
        self._in_string = False
        self._holds_json = False  # the string begins as JSON does
        self._inner = False  # inside a string of that JSON
        self._escape = -1  # where a backslash of that JSON ends
        if not in_json:
            self._enter(0)

    def around(self, at: int) -> bytes:
        for token in _QUOTE.finditer(self._data, self._at, at):
            if self._in_json:
                self._outer(token)
            elif token[0] == b'"':
                self._inner = not self._inner
        self._at = at
        if not self._in_string:
            return b'"'
        if not self._holds_json or self._inner:
            return b""
        return rb"\"" if self._in_json else b'"'

    def _enter(self, at: int) -> None:
        self._in_string = True
        self._holds_json = self._data[at : at + 16].lstrip()[:1] in (b"{", b"[")
        self._inner = False

    def _outer(self, token: re.Match[bytes]) -> None:
        if token[0] == b"\n":
            self._in_string = False
        elif token[0] == b'"' and not self._in_string:
            self._enter(token.end())
        elif token[0] == b'"':
            self._in_string = False
        elif token.start() == self._escape:
            self._escape = -1
        elif token[0] == rb"\\":
            self._escape = token.end()
        elif token[0] == rb"\"":
            self._inner = not self._inner
