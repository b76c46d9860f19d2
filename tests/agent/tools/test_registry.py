from __future__ import annotations

import jsonschema
import pytest

from agent.tools import MODES, TOOLS

READ_ONLY = ("read_file", "list_dir", "search")


def test_modes():
    assert list(MODES) == ["PLAN", "FIX", "BUILD", "SWE"]
    assert MODES["PLAN"] == READ_ONLY
    assert MODES["FIX"] == (*READ_ONLY, "write_file", "edit_file")
    assert MODES["BUILD"] == MODES["SWE"] == tuple(TOOLS)


@pytest.mark.parametrize("name", TOOLS)
def test_schemas_are_sound_and_say_what_each_argument_is(name):
    spec = TOOLS[name].spec
    assert spec.name == name
    assert len(spec.description) > 40
    jsonschema.Draft202012Validator.check_schema(spec.parameters)
    assert spec.parameters["additionalProperties"] is False
    for field, schema in spec.parameters["properties"].items():
        assert schema["description"], field
        assert schema["type"] in ("string", "integer", "number", "boolean")
        if "default" in schema:
            jsonschema.validate(schema["default"], schema)
