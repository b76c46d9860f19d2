from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest
from pydantic import ValidationError

from harness.checks.fields import Amount, Model, Modes, Number, Patterns, Pieces, Schema, json_value


class Table(Model):
    number: Number = 0
    amount: Amount = Decimal(0)
    pieces: Pieces | None = None
    patterns: Patterns | None = None
    schema_: Schema | None = None
    modes: Modes = "exact"
    table: Table | None = None


@pytest.mark.parametrize(("given", "found"), [(1, "1"), (0.1, "0.1"), (Decimal("0.10"), "0.10"), (1e-7, "1E-7")])
def test_amounts_are_as_written(given, found):
    assert str(Table(amount=given).amount) == found


def test_one_text_or_several():
    assert Table(pieces="a", patterns=["b", "c"]) == Table(pieces=["a"], patterns=["b", "c"])


@pytest.mark.parametrize(
    "keys",
    [
        {"amount": -1}, {"amount": True}, {"amount": "1"}, {"amount": float("inf")}, {"number": -1}, {"number": 1.0},
        {"number": True}, {"pieces": []}, {"pieces": ""}, {"pieces": [1]}, {"patterns": "("}, {"patterns": [""]},
        {"other": 1},
    ],
)  # fmt: skip
def test_refused(keys):
    with pytest.raises(ValidationError):
        Table.model_validate(keys)


@pytest.mark.parametrize("pattern", [".*", "^a*", "(x|y)?"])
def test_a_pattern_that_cannot_fail(pattern):
    with pytest.raises(ValidationError, match=r"matches every text: write '\.' for any"):
        Table(patterns=pattern)


def test_json_value():
    value = {"a": [Decimal("1.5"), True, {"b": "x"}, None]}
    assert json_value(value) == {"a": [1.5, True, {"b": "x"}, None]}
    with pytest.raises(ValueError, match="as a string"):
        json_value({"a": [date(2026, 1, 1)]})


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        ({"modes": "fuzzy"}, "'fuzzy' should be one of exact, subset, superset, ignore, regex"),
        ({"modes": {"a": "fuzzy"}}, "'fuzzy' should be one of exact, subset, superset, ignore, regex"),
        ({"modes": ["exact"]}, "['exact'] should be one of exact, subset, superset, ignore, regex"),
        ({"schema_": 1}, "should be a table with the schema, or the name of a file beside the suite"),
        ({"schema_": {"const": date(2026, 1, 1)}}, "dates and times are not JSON: write 2026-01-01 as a string"),
        ({"schema_": {"const": float("nan")}}, "nan is not JSON: numbers there are finite"),
        ({"table": "x"}, "should be a table: { key = value }"),
        ({"pieces": 1}, "should be a string or a list of strings"),
        ({"patterns": date(2026, 1, 1)}, "should be a string or a list of strings"),
    ],
)
def test_messages(keys, problem):
    with pytest.raises(ValidationError) as error:
        Table.model_validate(keys)
    (found,) = error.value.errors()
    assert found["msg"] == f"Value error, {problem}"
    assert found["loc"] == (next(iter(keys)),)
