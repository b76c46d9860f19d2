from __future__ import annotations

import pytest

from harness.redaction.placeholders import MARK, PLACEHOLDER, unnumbered


@pytest.mark.parametrize(
    ("data", "without"),
    [
        (b"plain", b"plain"),
        (b"", b""),
        (b"a [redacted:key:1] b", b"a [redacted:key] b"),
        (b"[redacted:open.ai_x-1:12][redacted:key:3]", b"[redacted:open.ai_x-1][redacted:key]"),
        (b"[redacted:key:]", b"[redacted:key:]"),
        (b"[redacted:k y:1]", b"[redacted:k y:1]"),
        (b"[redacted:key]", b"[redacted:key]"),
    ],
)
def test_the_numbers_go_and_nothing_else(data, without):
    assert unnumbered(data) == without
    assert unnumbered(without) == without


def test_a_placeholder_tells_its_rule_and_number():
    match = PLACEHOLDER.search(b"x[redacted:github:7]")
    assert match is not None
    assert match.groups() == (b"github", b"7")
    assert match[0].startswith(MARK)
