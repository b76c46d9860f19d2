from __future__ import annotations

from agent.tools.tool import OUTPUT_CHARACTERS, properties


def test_properties_is_a_closed_schema():
    assert properties(("a",), a={"type": "string"}) == {
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "required": ["a"],
        "additionalProperties": False,
    }


def test_tools_stay_below_the_cap_of_the_loop():
    assert OUTPUT_CHARACTERS < 20_000
