r"""Frames that differ from one another in a few texts and numbers only: nearly all of a stream. Pure.

What such frames have in common is looked at once; of each frame, only what differs need be.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from agent.jsonio import NotJSON, loads
from harness.redaction.frame_texts import PARTS, SAME, STREAMED

LARGEST = 4096
"""Bytes of a frame beyond which it is not compared with others."""
MOST_KINDS = 16
MOST_LESSONS = 256
"""Frames that are taken apart in one stream, so that one without any likeness costs little."""

_TOKEN = re.compile(rb'"((?:[^"\\]|\\.)*)"(\s*:)?|(-?[0-9][0-9.eE+, -]*)')
_NAME = re.compile(rb'"(\w+)"\s*:')
_TEXT = re.compile(rb'[^"\\]*(?:\\.[^"\\]*)*')
_NUMBER = re.compile(rb"[0-9.eE+, -]*")
_CLOSERS = b'"}] \r\n'
_STREAMED = frozenset(name.encode() for name in (*STREAMED, *SAME) if SAME.get(name, name) in STREAMED)
_PARTS = frozenset(name.encode() for name in (*PARTS, "type"))


@dataclass(slots=True)
class _Token:
    """A text or number of a frame. `name`: of the member whose value it is."""

    is_text: bool
    start: int
    end: int
    value: bytes
    name: bytes


@dataclass(slots=True)
class _Kind:
    """Frames of one structure: the latest, and the numbers of the tokens that differed so far."""

    tokens: list[_Token]
    differ: set[int] = field(default_factory=set)
    likeness: Likeness | None = None


class Likeness:
    """Bytes that stay the same, and between them places that differ.

    No pattern is made of them: that would cost more than all the frames of a short stream.
    """

    __slots__ = ("_closers", "_head", "_holes", "_size", "parallel", "streamed")

    def __init__(self, raw: bytes, holes: list[_Token]) -> None:
        self.parallel = any(token.name in _PARTS for token in holes)
        """Whether the frames may belong to parallel parts."""
        self.streamed = [token.name in _STREAMED for token in holes if token.is_text]
        """Of each text that differs, whether more of it may come at its place."""
        borders = [0, *(border for token in holes for border in (token.start, token.end)), len(raw)]
        fixed = [raw[start:end] for start, end in zip(borders[::2], borders[1::2], strict=True)]
        self._head = fixed[0]
        self._size = len(fixed[0])
        self._closers = fixed[-1].replace(b" ", b"") if holes and not fixed[-1].strip(_CLOSERS) else b""
        if self._closers:
            fixed[-1] = b""
        self._holes = [(token.is_text, after) for token, after in zip(holes, fixed[1:], strict=True)]

    def texts(self, raw: bytes) -> list[bytes] | None:
        """The texts that differ, as they stand in the frame; None for a frame that is not alike.

        Blanks between closing brackets at the end do not count, as some providers pad with them.
        """
        if not raw.startswith(self._head):
            return None
        at = self._size
        found = []
        for is_text, after in self._holes:
            if is_text:
                end = raw.find(b'"', at)
                if raw[end - 1] == 92:  # a backslash: the quote may belong to the text
                    end = _end(_TEXT, raw, at)
                found.append(raw[at:end])
            else:
                end = _end(_NUMBER, raw, at)
            if not raw.startswith(after, end):
                return None
            at = end + len(after)
        rest = raw[at:]
        if self._closers and rest != self._closers:
            rest = rest.replace(b" ", b"")
        return found if rest == self._closers else None


class Likenesses:
    """What the frames of one stream have in common.

    `closed`: whether a text neither holds a secret nor ends inside one, for texts that are not streamed and for those
    that are; `repeats`: whether it is no piece of a longer one where it stands in frame after frame.
    """

    def __init__(
        self, closed: tuple[Callable[[bytes], bool], Callable[[bytes], bool]], repeats: Callable[[bytes], bool]
    ) -> None:
        self._closed = closed
        self._repeats = repeats
        self._firsts: dict[bytes, bytes] = {}  # names of members -> the first frame that has them; most have no second
        self._kinds: dict[bytes, _Kind] = {}
        self._known: list[Likeness] = []
        self._lessons = MOST_LESSONS

    def read(self, raw: bytes) -> tuple[Likeness, list[bytes]] | None:
        """What a frame is like, and the texts in it that differ, unescaped; None where it is like no other."""
        for number, likeness in enumerate(self._known):
            texts = likeness.texts(raw)
            if texts is not None:
                if number:
                    self._known.insert(0, self._known.pop(number))
                try:
                    return likeness, [unescaped(text) for text in texts]
                except NotJSON:
                    return None
        return None

    def passes(self, raw: bytes) -> bool:
        """Whether a frame is like others that hold no secret, and what differs neither holds one nor ends in one."""
        texts = self._known[0].texts(raw) if self._known else None
        if texts is None:
            found = self.read(raw)
            if found is None:
                return False
            texts = found[1]
        try:
            for text, streamed in zip(texts, self._known[0].streamed, strict=True):
                if not self._closed[streamed](unescaped(text) if 92 in text else text):
                    return False
        except NotJSON:
            return False
        return True

    def learn(self, raw: bytes) -> None:
        """Look what a frame that holds no secret has in common with others."""
        if len(raw) > LARGEST or self._lessons <= 0:
            return
        names = b",".join(_NAME.findall(raw))
        first = self._firsts.get(names)
        if first is None and len(self._firsts) < MOST_KINDS:
            self._firsts[names] = raw
            return
        if first:
            self._firsts[names] = b""
            self._compare(first)
        self._compare(raw)

    def _compare(self, raw: bytes) -> None:
        """Compare a frame with those of its structure."""
        self._lessons -= 1
        tokens, structure = _taken_apart(raw)
        kind = self._kinds.get(structure)
        if kind is None:
            if len(self._kinds) < MOST_KINDS:
                self._kinds[structure] = _Kind(tokens)
            return
        pairs = zip(kind.tokens, tokens, strict=True)
        kind.differ |= {number for number, (one, other) in enumerate(pairs) if one.value != other.value}
        kind.tokens = tokens
        if kind.likeness in self._known:
            self._known.remove(kind.likeness)
        holes = [token for number, token in enumerate(tokens) if number in kind.differ or not self._stays(token)]
        kind.likeness = Likeness(raw, holes)
        self._known.insert(0, kind.likeness)

    def _stays(self, token: _Token) -> bool:
        """Whether a token that did not differ need not be looked at again."""
        if not token.is_text:
            return True
        try:
            text = unescaped(token.value)
        except NotJSON:
            return False
        streamed = token.name in _STREAMED
        return self._closed[streamed](text) or (not streamed and self._repeats(text))


def _taken_apart(raw: bytes) -> tuple[list[_Token], bytes]:
    """The texts and numbers of a frame in order, and what stands around them."""
    tokens = []
    around = []
    name = b""
    at = 0
    for match in _TOKEN.finditer(raw):
        if match[2] is not None:
            name = match[1]
            continue
        is_text = match[3] is None
        start, end = match.span(1 if is_text else 3)
        tokens.append(_Token(is_text, start, end, raw[start:end], name))
        around.append(raw[at:start])
        at = end
    around.append(raw[at:].replace(b" ", b""))
    return tokens, b"\0".join(around)


def unescaped(text: bytes) -> bytes:
    """What a JSON string stands for. Raises `NotJSON`."""
    if 92 not in text:  # no backslash
        return text
    unescaped: str = loads(b'"%b"' % text)
    return unescaped.encode("utf-8", "surrogatepass")


def _end(pattern: re.Pattern[bytes], raw: bytes, at: int) -> int:
    match = pattern.match(raw, at)
    return at if match is None else match.end()
