from __future__ import annotations

from decimal import Decimal

import pytest

from harness.report.figures import TOKENS, add_usage, cost, first_of, listed, plural, seconds, tokens, usage_of

NOTHING = dict.fromkeys(TOKENS)


@pytest.mark.parametrize(
    ("amount", "unpriced", "text"),
    [
        (None, False, "unpriced"),
        (None, True, "unpriced"),
        (Decimal("0.000123"), False, "$0.000123"),
        (Decimal("1.5"), True, "$1.500000 + unpriced"),
        (Decimal("0.0000001"), False, "under $0.000001"),
        (Decimal(0), False, "$0.000000"),
    ],
)
def test_cost(amount, unpriced, text):
    assert cost(amount, unpriced=unpriced) == text


def test_tokens():
    assert tokens(None) == tokens(NOTHING) == "not reported"
    usage = {**NOTHING, "input_tokens": 2496, "cache_read_tokens": 0, "output_tokens": 51}
    assert tokens(usage) == "in 2,496 (cached 0, cache writes ?), out 51 (reasoning ?)"


def test_sums_keep_the_unknown_unknown():
    one, two = {**NOTHING, "input_tokens": 1}, {**NOTHING, "input_tokens": 2, "output_tokens": 0}
    assert add_usage([one, None, two]) == {**NOTHING, "input_tokens": 3, "output_tokens": 0}
    assert add_usage([]) == NOTHING


@pytest.mark.parametrize("value", [None, "x", 3, []])
def test_no_usage(value):
    assert usage_of(value) is None


def test_usage_of_odd_counts():
    assert usage_of({"input_tokens": "7", "output_tokens": 3, "other": 1}) == {**NOTHING, "output_tokens": 3}


def test_words():
    assert [plural(n, "retry", "retries") for n in (None, 0, 1, 1200)] == [
        "? retries", "0 retries", "1 retry", "1,200 retries",
    ]  # fmt: skip
    assert [seconds(value) for value in (None, 0.00234, 99.5, 1234.5)] == ["? s", "0.002 s", "99.500 s", "1,234 s"]


@pytest.mark.parametrize(
    ("lines", "noun", "found"),
    [
        ([], None, []),
        (["a", "b", "c"], "difference", ["a", "b", "c"]),
        (["a", "b", "c", "d"], None, ["a", "b", "c", "1 more"]),
        (["a", "b", "c", "d"], "difference", ["a", "b", "c", "1 more difference"]),
        ([*"abcde"], "difference", ["a", "b", "c", "2 more differences"]),
    ],
)
def test_the_first_of_many_lines(lines, noun, found):
    assert first_of(lines, noun=noun) == found


def test_many_names():
    assert [listed(names, 2) for names in ("", "a", "ab", "abc")] == ["", "a", "a, b", "a, b and 1 more"]
