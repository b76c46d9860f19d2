from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from pydantic import ValidationError

from harness.checks.texts import share
from tests.harness.checks.runs import check

TEXT = "Tea is at four.\nThe peas go in on Sunday, says Zoë."

HOLD = {
    "contains": {"contains": ["four", "peas"]},
    "contains, any case": {"contains": "TEA IS", "ignore_case": True},
    "not contains": {"not_contains": "five"},
    "regex": {"regex": [r"at \w+", r"(?m)^The"]},
    "regex, any case": {"regex": "^tea", "ignore_case": True},
    "not regex": {"not_regex": "[0-9]"},
    "equals": {"equals": TEXT},
    "equals, any case": {"equals": TEXT.upper(), "ignore_case": True},
}
MISS = {
    "contains": ({"contains": "The peas go out"}, "is not there; the nearest line is \"The peas go in on Sunday"),
    "contains, nothing near": ({"contains": "xyz"}, '"xyz" is not in "Tea is at four.'),
    "case": ({"contains": "tea is"}, '"tea is" is not there; the nearest line is "Tea is at four."'),
    "not contains": ({"not_contains": "four"}, '"four" is there: "Tea is at four.'),
    "regex": ({"regex": "^peas"}, 'nothing in "Tea is at four.'),
    "not regex": ({"not_regex": "S[a-z]+day"}, '"Sunday" matches "S[a-z]+day"'),
    "equals": ({"equals": TEXT.replace("Sunday", "Monday")},
               'from character 34 on it differs: expected ".\\nThe peas go in on Monday, says Zoë."'),
    "equals, the beginning": ({"equals": "Tea is at four."}, "from character 15 on it differs"),
}  # fmt: skip


@pytest.mark.parametrize("keys", HOLD.values(), ids=HOLD)
def test_what_holds(keys):
    assert {*check("text", **keys).problems(TEXT, Path())} == {None}


@pytest.mark.parametrize(("keys", "problem"), MISS.values(), ids=MISS)
def test_what_does_not(keys, problem):
    (found,) = check("text", **keys).problems(TEXT, Path())
    assert problem in found


def test_the_empty_text():
    assert check("text", contains="x").problems("", Path()) == ['"x" is not in the empty text']


def test_share():
    assert share([None, "bad", None, None]) == 0.75


def test_a_schema_has_no_dates():
    with pytest.raises(ValidationError, match="as a string"):
        check("text", json_schema={"const": date(2026, 1, 1)})
