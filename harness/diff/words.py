"""Texts by word: what two have in common, and what differs. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from harness.diff.align import align

_OWN = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
"""Scripts that put no blanks between words: every character counts as one."""

_WORDS = re.compile(f"[{_OWN}]|[^\\W{_OWN}]+")
_TOKENS = re.compile(f"[{_OWN}]|[^\\W{_OWN}]+|[^\\w\\s]|\\s+")

_SPLIT = re.compile(f"[\\s{_OWN}]")

Sign = Literal["=", "-", "+"]


class Piece(NamedTuple):
    """A stretch of text: `=` in both, `-` in the first alone, `+` in the second alone."""

    sign: Sign
    text: str


def is_prose(text: str) -> bool:
    """Whether a text has words that can be told apart, so that it is not better shown as a value."""
    return _SPLIT.search(text) is not None


def words(text: str, limit: int = 500) -> frozenset[str]:
    """The different words of the beginning of a text, without regard to case and punctuation."""
    return frozenset(_WORDS.findall(text[: limit * 10].lower())[:limit])


def alike(one: frozenset[str], other: frozenset[str], floor: float = 0.0) -> float:
    """The share of words in common (Dice): 1 for equal sets, 0 below `floor`."""
    size = len(one) + len(other)
    if not size:
        return 1.0
    if 2 * min(len(one), len(other)) < floor * size:
        return 0.0
    share = 2 * len(one & other) / size
    return share if share >= floor else 0.0


def text_differences(one: str, other: str) -> list[Piece]:
    """Both texts in pieces. Joined, those that are not `+` are `one`, those that are not `-` are `other`."""
    left, right = _TOKENS.findall(one), _TOKENS.findall(other)
    pieces: list[tuple[Sign, list[str]]] = []

    def add(sign: Sign, token: str) -> None:
        if not pieces or pieces[-1][0] != sign:
            pieces.append((sign, []))
        pieces[-1][1].append(token)

    for i, j in align(left, right):
        if i is not None and j is not None:
            add("=", left[i])
        elif i is not None:
            add("-", left[i])
        elif j is not None:
            add("+", right[j])
    return _calmed([Piece(sign, "".join(tokens)) for sign, tokens in pieces])


def _calmed(pieces: Sequence[Piece]) -> list[Piece]:
    """What is the same between two differences that are both larger is counted to them: reading it word by word would
    be harder than reading it twice."""
    groups: list[list[str]] = []
    """Alternately what is the same and (removed, added), starting with the same."""
    for sign, text in pieces:
        if sign == "=":
            groups.append([text])
        else:
            if not groups or len(groups[-1]) == 1:
                groups.append(["", ""])
            groups[-1][sign == "+"] += text
    merged: list[list[str]] = []
    for at, group in enumerate(groups):
        inner = len(group) == 1 and 0 < at < len(groups) - 1
        if inner and len(group[0]) <= min(_larger(merged[-1]), _larger(groups[at + 1])):
            merged[-1] = [text + group[0] for text in merged[-1]]
        elif merged and len(group) == 2 == len(merged[-1]):
            merged[-1] = [before + text for before, text in zip(merged[-1], group, strict=True)]
        else:
            merged.append(group)
    found = []
    for group in merged:
        found += [Piece("=", group[0])] if len(group) == 1 else [Piece("-", group[0]), Piece("+", group[1])]
    return [piece for piece in found if piece.text]


def _larger(group: Sequence[str]) -> int:
    return max(map(len, group))
