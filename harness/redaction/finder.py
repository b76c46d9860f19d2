"""Finds secrets in a text and says where they stand: what redaction replaces, also percent-encoded, in base64 and in
any JSON escaping. Pure.

Used to look at what is written already (`harness scan`, `harness scrub`); redaction while recording is
`harness.redaction.redactor`, whose key shapes, values and rules these are.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from harness.redaction.in_base64 import cores
from harness.redaction.key_shapes import HINTS, SHAPES, is_number, is_secret, shape_of, value_pattern
from harness.redaction.placeholders import PLACEHOLDER
from harness.redaction.redactor import KEY_RULE, Redactor, Rule
from harness.redaction.rules_in_base64 import find_in_base64
from harness.redaction.user_rules import UserRules
from harness.redaction.views import BASE64, View, views

PLAIN = "plain"

_DEPTH = 4
"""How many encodings may lie around a secret."""
_SHORTEST = 20
"""Characters that the shortest key shape has in base64."""
_ESCAPED = re.compile(rb"\\+[nr]?|[\r\n]")
"""What differs between a key with line ends and its JSON form."""


@dataclass(slots=True, frozen=True)
class Hit:
    """A secret in a text: bytes `start` to `end`. `form`: how it is written, such as `base64`; `plain` as it is."""

    start: int
    end: int
    rule: str
    secret: bytes
    form: str = PLAIN
    number: bool = False
    """Whether JSON could hold the secret as a number."""

    def replacement(self, before: bytes, placeholder: bytes) -> bytes:
        """What takes its place in a text that has `before` in front: in JSON a number becomes a string."""
        if self.number and before.lstrip()[:1] in (b"{", b"["):
            quotes = re.sub(rb"\\.", b"", before).count(b'"')
            if quotes % 2 == 0:
                return b'"' + placeholder + b'"'
        return placeholder


@dataclass(slots=True, frozen=True)
class _Value:
    """A secret known by its value.

    `run`: its longest part that no escaping touches. `base64`: what each of its three positions in base64 leaves of it
    that does not depend on its neighbours.
    """

    rule: str
    secret: bytes
    run: bytes
    base64: tuple[bytes, ...]
    number: bool
    pattern: re.Pattern[bytes]


class Finder:
    """Looks for known key shapes, for known values, and for what a user's rules match.

    Raises `ValueError` for a rule with a bad name or pattern.
    """

    def __init__(self, values: Iterable[str] = (), rules: Iterable[Rule] = ()) -> None:
        rules = list(rules)
        self.rules = Redactor(rules=rules).rules
        """The names of the rules in force."""
        self._user = UserRules(rules)
        self.has_user_rules = bool(rules)
        self._values: list[_Value] = []
        self._known: set[str] = set()
        for value in values:
            self.learn(value)

    def learn(self, secret: str, rule: str | None = None) -> bool:
        """Look for this value from now on; whether it is new. Short values and well-known dummies are let be."""
        raw = secret.encode("utf-8", "surrogatepass")
        if secret in self._known or not is_secret(secret) or PLACEHOLDER.search(raw):
            return False
        self._known.add(secret)
        run = max(re.findall(r"[A-Za-z0-9._~-]+", secret), key=len, default="").encode()
        name = rule or shape_of(raw) or KEY_RULE
        self._values.append(_Value(name, raw, run, tuple(cores(raw)), is_number(secret), value_pattern(secret)))
        self._values.sort(key=lambda value: -len(value.secret))
        return True

    def find(self, data: bytes, *, user_rules: bool = True) -> list[Hit]:
        """The secrets in `data`, in order, none inside another. `user_rules`: also what the user's own rules match."""
        hits = self._known_hits(data, _DEPTH)
        if user_rules and self._user:
            hits += self.user_hits(data)
        return apart(hits)

    def user_hits(self, data: bytes) -> list[Hit]:
        """What the user's own rules match, also in base64; what stands in a placeholder is none of their business."""
        hits: list[Hit] = []
        borders = [0, *(place for match in PLACEHOLDER.finditer(data) for place in match.span()), len(data)]
        for start, end in zip(borders[::2], borders[1::2], strict=True):
            text = data[start:end]
            hits += [Hit(start + at, start + to, rule, text[at:to]) for at, to, rule in self._user.find_bytes(text)]
            encoded = find_in_base64(self._user, text)
            hits += [Hit(start + at, start + to, rule, secret, BASE64) for at, to, rule, secret in encoded]
        return apart(hits)

    def _known_hits(self, data: bytes, depth: int) -> list[Hit]:
        hits = [*self._value_hits(data), *self._shape_hits(data)]
        if depth:
            for view in views(data, self._shortest(data)):
                hits += self._view_hits(view, depth - 1)
        return hits

    def _view_hits(self, view: View, depth: int) -> Iterator[Hit]:
        for hit in self._known_hits(view.data, depth if view.readable else 0):
            yield Hit(*view.span(hit.start, hit.end), hit.rule, hit.secret, view.form)

    def _shortest(self, data: bytes) -> int:
        """How short base64 in `data` can be that holds a secret."""
        found = [len(part) for value in self._values for part in value.base64 if part in data]
        return min([_SHORTEST, *found])

    def _value_hits(self, data: bytes) -> Iterator[Hit]:
        for value in self._values:
            if value.run in data:
                for match in value.pattern.finditer(data):
                    if not match["placeholder"]:
                        yield Hit(_start(match), match.end(), value.rule, value.secret, number=value.number)

    def _shape_hits(self, data: bytes) -> Iterator[Hit]:
        if not any(hint.search(data) for hint in HINTS):
            return
        for shape in SHAPES:
            if shape.quick.search(data) is None:
                continue
            for match in shape.pattern.finditer(data):
                if not match["placeholder"]:
                    secret = _ESCAPED.sub(b"", match[0][match.end("lead") - match.start() :])
                    yield Hit(_start(match), match.end(), shape.name, secret)


def apart(hits: list[Hit]) -> list[Hit]:
    """Without those that overlap a longer one (of two as long, the earlier in the list stays); in order."""
    kept: list[Hit] = []
    for hit in sorted(hits, key=lambda hit: hit.start - hit.end):
        place = bisect_left(kept, hit.start, key=_begin)
        if (place == 0 or kept[place - 1].end <= hit.start) and (place == len(kept) or hit.end <= kept[place].start):
            kept.insert(place, hit)
    return kept


def _begin(hit: Hit) -> int:
    return hit.start


def _start(match: re.Match[bytes]) -> int:
    """Where a match is cut: an odd backslash before the secret goes with it, as it would escape the placeholder."""
    if match["lead"]:
        return match.end("lead")
    return match.start() + len(match["slashes"]) // 2 * 2
