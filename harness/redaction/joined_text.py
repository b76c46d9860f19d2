"""One text that comes in pieces, and the secrets in it, also those that are split over pieces. Pure.

A piece is handed back when it is decided what it holds. A secret is replaced in the piece in which it begins; what
later pieces hold of it is taken out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from harness.redaction.open_secrets import OpenSecrets
from harness.redaction.redactor import MASK, Redactor, Secret

_BEFORE = 80
"""Bytes before a piece that are kept, as whether a secret begins depends on what stands in front."""

P = TypeVar("P")


@dataclass(slots=True)
class Piece(Generic[P]):
    """A piece of a text, and what it is a piece of.

    `changed`: a secret was in it; `before`: the byte before it, if there is one and it is of no secret.
    """

    of: P
    data: bytes
    changed: bool = False
    before: bytes = b""


class JoinedText(Generic[P]):
    """Pieces in, decided pieces out.

    `in_json`: the text is a JSON document, not a string of one. `before`: what stands before its first piece.
    """

    def __init__(
        self, redactor: Redactor, *, in_json: bool = False, user_rules: bool = True, before: bytes = b""
    ) -> None:
        self._redactor = redactor
        self._in_json = in_json
        self._user_rules = user_rules and not in_json
        self._before = shortened(before)
        self.pieces: list[Piece[P]] = []
        self.open = 0
        """Bytes at the end that may go on to be a secret."""

    @property
    def size(self) -> int:
        """Bytes of the pieces that are not decided."""
        return sum(len(piece.data) for piece in self.pieces)

    def add(self, of: P, data: bytes, secrets: OpenSecrets) -> list[Piece[P]]:
        """The pieces that are decided now; all where `open` is 0 then."""
        self.pieces.append(Piece(of, data))
        text = self._text()
        start = secrets.start(text, user_rules=self._user_rules)
        border = len(self._before)
        if start < border + len(self.pieces[0].data):
            self.open = len(text) - max(start, border)
            return []
        found = self._find(text)
        start = open_from(text, start, found, secrets, user_rules=self._user_rules)
        if start < len(text):
            # If the open end becomes a secret, another may end there that does not as it is.
            end = secrets.start(text, user_rules=False)
            other = self._find(text[:end] + MASK * (len(text) - end))
            start = min([start, *(secret.start for secret in other if secret not in found)])
        self.open = len(text) - start
        count = 0
        at = border
        for number, piece in enumerate(self.pieces, 1):
            at += len(piece.data)
            if at > start:
                break
            if not any(secret.start < at < secret.end for secret in found):
                count, border = number, at
        return self._decided(text, border, count, found)

    def close(self) -> list[Piece[P]]:
        """All pieces: nothing more comes, or nothing more is waited for."""
        text = self._text()
        self.open = 0
        return self._decided(text, len(text), len(self.pieces), self._find(text))

    def _find(self, text: bytes) -> list[Secret]:
        return self._redactor.find(text, in_json=self._in_json, user_rules=self._user_rules)

    def _text(self) -> bytes:
        return b"".join([self._before, *[piece.data for piece in self.pieces]])

    def _decided(self, text: bytes, border: int, count: int, found: list[Secret]) -> list[Piece[P]]:
        """The first `count` pieces, which end at `border`."""
        decided, self.pieces = self.pieces[:count], self.pieces[count:]
        at = first = len(self._before)
        secrets = [secret for secret in found if first <= secret.start and secret.end <= border]
        for piece in decided:
            end = at + len(piece.data)
            if not any(secret.start < at <= secret.end for secret in found):
                piece.before = text[max(0, at - 1) : at]
            inside = [secret for secret in secrets if secret.start < end and secret.end > at]
            if inside:
                piece.data = self._replaced(text, at, end, inside)
                piece.changed = True
            at = end
        if decided:
            self._before = shortened(text[:border])
        return decided

    def _replaced(self, text: bytes, at: int, end: int, secrets: list[Secret]) -> bytes:
        parts = []
        for secret in secrets:
            if secret.start >= at:
                parts += [text[at : secret.start], self._redactor.placeholder(secret)]
            at = min(secret.end, end)
        return b"".join([*parts, text[at:end]])


def open_from(text: bytes, start: int, found: list[Secret], secrets: OpenSecrets, *, user_rules: bool) -> int:
    """From where on a text may go on to be a secret, given what was found in it; `start`: the same if nothing were."""
    for secret in found:
        if secret.by == "user" and secret.end > start:
            return min(start, secret.start)  # its match may become a longer one
        if secret.start < start < secret.end and secret.by == "shape":
            return secret.start  # known values go before shapes, and one may begin in it
        if secret.start < start:
            # What was found is no part of another secret, and a key may begin right behind it.
            text = text[: secret.start] + MASK * (secret.end - secret.start) + text[secret.end :]
            start = secrets.start(text, user_rules=user_rules)
    return start


def shortened(before: bytes) -> bytes:
    """The end of a text, so that no word seems to begin where it is cut off."""
    return before if len(before) <= _BEFORE else b"x" + before[1 - _BEFORE :]
