r"""Where a text ends that may go on to be a secret: the question that decides whether a frame is held back. Pure.

The texts are those of JSON strings, unescaped. Where they hold JSON again (tool arguments), escapes in them are read as
such, also half of one. The question is asked of every text that streams by, so `closed` has a quick answer for nearly
all of them: their last two bytes begin no secret, and nothing in them looks like one.
"""

from __future__ import annotations

import re
from copy import copy
from functools import cache, cached_property

from harness.redaction.in_base64 import SHORTEST, base64_may_hold_key, has_run
from harness.redaction.key_shapes import HINTS, char_pattern, is_number
from harness.redaction.open_base64 import MIN_MIXED, all_ends, open_in_base64
from harness.redaction.open_shapes import shape_ends, shape_start
from harness.redaction.rules_in_base64 import open_for_rules

_HEAD = 256
"""Bytes of a value up to which each of its beginnings stands in a table."""

_HALF_ESCAPE = re.compile(rb"\\+(?:u[0-9A-Fa-f]{0,3})?\Z")
_BREAK = re.compile(rb"(?<!\\)\\+(?:[nr]|(?=/)|\Z)|[\r\n]")
_HALF_PERCENT = re.compile(rb"%[0-9A-Fa-f]?\Z")
_ASCII_ESCAPE = re.compile(rb"\\u00[2-7]")

_dash, _underscore, _upper_a, _space, _ = (hint.search for hint in HINTS)


class OpenSecrets:
    """`values`: secrets known by their value; `cores`: what base64 makes of them, which may be broken into lines.

    `runs`, `core_runs`: the parts by which they are found, `always` where a text cannot be told by these; `width`:
    characters that a match of the user's rules can have.
    """

    def __init__(
        self,
        values: tuple[str, ...] = (),
        cores: tuple[str, ...] = (),
        *,
        runs: tuple[bytes, ...] = (),
        core_runs: tuple[bytes, ...] = (),
        always: bool = False,
        width: int = 0,
    ) -> None:
        self._values = [_Opening(value) for value in values + cores]
        self._runs = runs
        self._core_runs = core_runs
        self._shortest_run = min([SHORTEST, *map(len, core_runs)])
        self._always = always
        self._width = width
        self._odd = any(not value.isalnum() for value in values + cores)
        self._slash = any("/" in value for value in values + cores)
        self._escapable = any(char in value for value in values for char in '"\\\n\r\t\b\f')
        self._broken = 5 * max(map(len, cores), default=0)
        """Bytes that a core and its line breaks have at most."""
        self._in_base64 = True
        self._shape_ends = all_ends()
        self._long = [value for value in self._values if len(value.raw) > _HEAD]
        self._value_ends = _Ends(self._values)

    @cached_property
    def elsewhere(self) -> OpenSecrets:
        """The same for a text that is not known to be streamed: what looks like base64 alone does not make it open."""
        other = copy(self)
        other._in_base64 = False
        other._shape_ends = shape_ends()
        return other

    def closed(self, text: bytes) -> bool:
        """Whether a text neither ends inside a secret nor holds one. No may be said of any text that looks like it."""
        if not text:
            return True
        ends = self._shape_ends.get(text[-2:])
        if ends is not None and text.endswith(ends) and self.start(text) < len(text):
            return False
        ends = self._value_ends[text[-1]]
        if (ends and text.endswith(ends)) or (self._long and self._beginning(text)):
            return False
        if ((92 in text and self._escaped(text)) or (37 in text and self._odd)) and self.start(text) < len(text):  # \ %
            return False
        if self._in_base64 and len(text) >= MIN_MIXED and not text.islower() and open_in_base64(text) < len(text):
            return False
        if (10 in text or 92 in text or text[-1] == 13) and self._broken and self._broken_start(text) < len(text):
            return False
        return self.plain(text)

    def plain(self, text: bytes) -> bool:
        """Whether a text holds nothing like a secret. Quick; its end may begin one."""
        if 45 in text and _dash(text) is not None:  # -
            return False
        if 95 in text and _underscore(text) is not None:  # _
            return False
        if 65 in text and _upper_a(text) is not None:  # A
            return False
        if (98 in text or 66 in text) and (_space(text) is not None or b"earer%" in text):  # b B
            return False
        for run in self._runs:
            if run in text:
                return False
        if 92 in text and self._runs and _ASCII_ESCAPE.search(text) is not None:  # \
            return False
        if len(text) >= self._shortest_run and has_run(text, self._shortest_run):
            if has_run(text) and base64_may_hold_key(text):
                return False
            for run in self._core_runs:
                if run in text:
                    return False
        return not self._always

    def start(self, text: bytes, *, user_rules: bool = True) -> int:
        """From where on a text may go on to be a secret, or a longer one; its length where it cannot."""
        size = len(text)
        if not size:
            return 0
        found = size
        escaped = 92 in text
        if escaped:
            half = _HALF_ESCAPE.search(text, max(0, size - 72))
            if half is not None:
                found = half.start()
        found = min(found, shape_start(text))
        if self._in_base64:
            found = min(found, open_in_base64(text))
        if (escaped and self._escaped(text)) or (self._odd and 37 in text):
            for value in self._values:
                found = min(found, value.start(text))
        else:
            found = min(found, size - self._beginning(text))
        if self._broken and (escaped or 10 in text or 13 in text):
            found = min(found, self._broken_start(text))
        if user_rules and self._width > 1:
            chars = text.decode("utf-8", "surrogateescape")[1 - self._width :]
            found = min(found, size - len(chars.encode("utf-8", "surrogateescape")))
        if user_rules and self._width:
            found = min(found, open_for_rules(text, self._width))
        return found

    def _escaped(self, text: bytes) -> bool:
        """Whether an escape in a text may stand for a character of a value, or before a key."""
        return self._escapable or text[-1] == 92 or b"\\u" in text or (self._slash and b"\\/" in text)

    def _beginning(self, text: bytes) -> int:
        """Bytes of the longest beginning of a value that a text ends with, where it has no escapes."""
        found = 0
        for value in self._long:
            at = text.find(value.raw[:_HEAD], max(0, len(text) - len(value.raw) + 1 - value.is_number))
            while at >= 0 and not value.raw.startswith(text[at:]):
                at = text.find(value.raw[:_HEAD], at + 1)
            found = max(found, len(text) - at if at >= 0 else 0)
        for end in self._value_ends[text[-1]]:
            if text.endswith(end):
                return max(found, len(end))
        return found

    def _broken_start(self, text: bytes) -> int:
        """From where on a text may go on to be a secret in base64 of which some lines have come."""
        tail = text[-self._broken :] if self._broken else b""
        joined = _BREAK.sub(b"", tail) if 92 in tail else tail.translate(None, b"\r\n")
        rest = self._beginning(joined) if joined else 0
        if not rest:
            return len(text)
        end = len(text)
        for span in [*(match.span() for match in _BREAK.finditer(text, len(text) - len(tail)))][::-1]:
            if rest <= end - span[1]:
                break
            rest -= end - span[1]
            end = span[0]
        return end - rest


class _Opening:
    """A beginning of a known value that reaches the end of a text."""

    def __init__(self, value: str) -> None:
        self.raw = value.encode("utf-8", "surrogatepass")
        self.is_number = is_number(value)
        self._value = value

    @cached_property
    def _chars(self) -> list[str]:
        return re.findall(r"(?s)\\+|.", self._value)

    @cached_property
    def _first(self) -> re.Pattern[bytes]:
        return re.compile(b"[%b\\\\%%]" % re.escape(self.raw[:1]))

    def start(self, text: bytes) -> int:
        """In a text with escapes, of which each may be long."""
        size = len(text)
        for match in self._first.finditer(text, max(0, size - 12 * len(self.raw) - 64)):
            if self._reaches_end(text, match.start()):
                return match.start()
        return size

    def _reaches_end(self, text: bytes, at: int) -> bool:
        size = len(text)
        for char in self._chars:
            if at == size:
                return True
            at = _after(char, text, at)
            if at < 0:
                return False
        return self.is_number and at == size


def _after(char: str, text: bytes, at: int) -> int:
    """Where a character of a secret that stands at a place ends; -1 where it does not stand there.

    A part of it that reaches the end of the text counts as the whole.
    """
    raw = char.encode("utf-8", "surrogatepass")
    if raw[0] != 92 and text.startswith(raw, at):
        return at + len(raw)
    if text[at] == 92:
        match = _form(char).match(text, at) or _HALF_ESCAPE.match(text, at)
    elif text[at] == 37 and not char.isalnum():
        match = _form(char).match(text, at) or _HALF_PERCENT.match(text, at)
    else:
        return len(text) if len(text) - at < len(raw) and raw.startswith(text[at:]) else -1
    return -1 if match is None else match.end()


@cache
def _form(char: str) -> re.Pattern[bytes]:
    return re.compile(rb"\\{%d,128}" % len(char) if char[0] == "\\" else char_pattern(char))


class _Ends(dict[int, tuple[bytes, ...]]):
    """The last byte of a text that may end inside a value -> how it ends then, the longest first. Made when asked."""

    def __init__(self, values: list[_Opening]) -> None:
        self._values = values

    def __missing__(self, last: int) -> tuple[bytes, ...]:
        found = set()
        for value in self._values:
            most = min(len(value.raw) + value.is_number, _HEAD + 1) - 1
            at = value.raw.find(last, 0, most)
            while at >= 0:
                found.add(value.raw[: at + 1])
                at = value.raw.find(last, at + 1, most)
        ends = self[last] = tuple(sorted(found, key=len, reverse=True))
        return ends
