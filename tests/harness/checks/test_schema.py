from __future__ import annotations

import sys
from pathlib import Path

import pytest

from harness.checks.base import judged
from harness.checks.schema import schema_problem
from harness.errors import CheckError
from tests.harness.checks.runs import call, check, said, subject

SCHEMA = {
    "type": "object",
    "required": ["city"],
    "properties": {"city": {"type": "string"}, "days": {"type": "array", "items": {"type": "integer"}}},
}

CASES = {
    "holds": (SCHEMA, '{"city": "Bonn", "days": [1, 2]}', None),
    "with space around": (SCHEMA, '\n{"city": "Bonn"}\n', None),
    "missing": (SCHEMA, "{}", "$: 'city' is a required property"),
    "deep, and more": (SCHEMA, '{"city": 1, "days": [1, "x"]}', "$.city: 1 is not of type 'string' and 1 more"),
    "no JSON": (SCHEMA, "Bonn!", "it is not JSON: "),
    "big integers are exact": ({"const": 2**70}, str(2**70 + 1), "$: "),
    "own references": ({"$ref": "#/$defs/a", "$defs": {"a": {"type": "string"}}}, "1", "$: 1 is not of type 'string'"),
    "an older draft": ({"$schema": "http://json-schema.org/draft-04/schema#", "maximum": 1}, "2", "$: 2 is greater"),
}


@pytest.mark.parametrize(("schema", "text", "problem"), CASES.values(), ids=CASES)
def test_schema(schema, text, problem):
    found = schema_problem(schema, text, Path())
    assert found is None if problem is None else str(found).startswith(problem)


def test_a_file_beside_the_suite(tmp_path):
    (tmp_path / "city.json").write_text('{"type": "string"}')
    assert schema_problem("city.json", '"Bonn"', tmp_path) is None
    run = subject(call(0, said("1")), folder=tmp_path)
    assert judged(check("text", json_schema="city.json"), run).reason == "$: 1 is not of type 'string'"


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        ({"type": "strnig"}, "it is no JSON Schema: 'strnig' is not valid"),
        ({"$ref": "https://example.com/other.json"}, "the schema cannot be used: "),
        ("missing.json", "missing.json: cannot read the schema: No such file or directory"),
        ("bad.json", "bad.json: it is no JSON: "),
    ],
)
def test_a_schema_that_cannot_be_used(schema, reason, tmp_path):
    (tmp_path / "bad.json").write_text("{")
    with pytest.raises(CheckError) as error:
        schema_problem(schema, "1", tmp_path)
    assert reason in str(error.value)


def test_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "jsonschema.validators", None)
    verdict = judged(check("text", json_schema={}), subject(call(0, said("1"))))
    assert verdict.status == "error"
    assert verdict.reason == "json_schema needs jsonschema: pip install 'trajectory-harness[schema]'"
