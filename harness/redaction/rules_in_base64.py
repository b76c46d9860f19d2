"""What a user's own rules find inside base64 (RFC 4648, 4 and 5). Pure.

Four readings of every run are looked at, of which three at least are noise, and an image or a token is nothing else. So
rules are asked only where a reading is text: half of it in one piece, or as much as noise hardly ever holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from harness.redaction.in_base64 import BASE64, SHORTEST, has_run, runs
from harness.redaction.user_rules import UserRules

TEXT_LENGTH = 16
"""Bytes of text in a row that are hardly ever met by chance: 0.4 of all bytes are text."""
SHORTEST_RUN = 8
"""Characters of a run that are looked at, however short the matches of a rule can be."""

_TEXT = re.compile(
    rb"(?:[\t\n\r -~]+|[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3})+"
)  # fmt: skip


def find_in_base64(rules: UserRules, data: bytes) -> Iterator[tuple[int, int, str, bytes]]:
    """What the rules match, not in order: start and end of its own characters, the rule's name, what they stand for.

    Each text inside base64 is one of its own: there `^` and `$` mean its ends.
    """
    shortest = min(SHORTEST, max(SHORTEST_RUN, -(-rules.least * 4 // 3)))
    if not has_run(data, shortest):
        return
    for run in runs(data, shortest):
        for missing, read in run.readings():
            enough = max(rules.least, min(TEXT_LENGTH, len(read) // 2))
            for match in _TEXT.finditer(read):
                if match.end() - match.start() < enough:
                    continue
                for start, end, rule in rules.find_bytes(match[0]):
                    at = match.start()
                    yield *run.span(missing, at + start, at + end), rule, match[0][start:end]


def open_for_rules(text: bytes, width: int) -> int:
    """From where on a text may go on to be base64 in which a match of so many characters has not ended."""
    run = len(text) - len(text.rstrip(BASE64 + b"\\\r\n"))
    return len(text) - min(run, 4 * (width + 2 * TEXT_LENGTH))
