from __future__ import annotations

from decimal import Decimal

import pytest

from harness.report import values

ODD = [None, True, -1, 1.5, "x", [1], {"a": 1}, 10**400, float("inf")]


@pytest.mark.parametrize(
    ("reader", "kept"),
    [
        (values.text, ["x"]),
        (values.count, [10**400]),
        (values.number, [-1.0, 1.5]),
        (values.mapping, [{"a": 1}]),
        (values.items, [[1]]),
        (values.dollars, []),
    ],
    ids=["text", "count", "number", "mapping", "items", "dollars"],
)
def test_other_types_are_nothing(reader, kept):
    assert [found for found in map(reader, ODD) if found not in (None, {}, [])] == kept


@pytest.mark.parametrize(("value", "text"), [("x", "x"), (None, ""), (3, "3"), ({"a": [1]}, '{"a":[1]}')])
def test_any_text(value, text):
    assert values.any_text(value) == text


@pytest.mark.parametrize(
    ("value", "amount"),
    [("0.000123", Decimal("0.000123")), ("0", Decimal(0)), ("NaN", None), ("Infinity", None), ("1e999", None),
     ("free", None), (0.1, None)],
)  # fmt: skip
def test_dollars(value, amount):
    assert values.dollars(value) == amount


def test_difference():
    assert values.difference(1.3, 1.1) == 0.2
    assert values.difference(None, 1) is None
    assert values.difference(1, None) is None
