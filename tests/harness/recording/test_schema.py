from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from harness.recording.bodies import body_digest
from harness.recording.records import KINDS, validate
from harness.recording.schema import json_schema, schema_text
from tests.harness.sample import numbered

DOCS = Path(__file__).resolve().parents[3] / "docs"


def test_the_committed_schema_is_current():
    committed = (DOCS / "format.schema.json").read_text("utf-8")
    assert json.loads(committed) == json.loads(schema_text()), (
        "run python -m harness.recording.schema > docs/format.schema.json"
    )


def test_records_fit_the_schema():
    validator = jsonschema.Draft202012Validator(json_schema())
    validator.check_schema(json_schema())
    for record in numbered():
        validator.validate(record)


@pytest.mark.parametrize("changes", [{"kind": "x"}, {"seq": -1}, {"raw": None}, {"raw_b64": ""}, {"cuts": None}])
def test_wrong_records_do_not(changes):
    frame = next(record for record in numbered() if record["kind"] == "frame")
    assert not jsonschema.Draft202012Validator(json_schema()).is_valid({**frame, **changes})


def test_the_format_page_describes_every_kind_and_field():
    page = (DOCS / "format.md").read_text("utf-8")
    definitions = json_schema()["$defs"]
    for definition in definitions.values():
        kind = definition["properties"].get("kind", {}).get("const")
        if kind not in KINDS:
            continue
        section = page.partition(f"\n### `{kind}`\n")[2].partition("\n### ")[0]
        assert section, f"no section on {kind}"
        for field in {*definition["properties"]} - {"kind", "seq", "t"}:
            assert f"`{field}`" in section, f"{kind}.{field} is not described"


def test_the_examples_of_the_format_page_are_valid():
    page = (DOCS / "format.md").read_text("utf-8")
    found = [json.loads(line) for line in page.splitlines() if line.startswith('{"kind":"')]
    assert {record["kind"] for record in found} == {*KINDS}
    for record in found:
        validate(record)
        if record["kind"] == "request":
            assert record["sha256"] == body_digest(record["body"])
