"""The JSON Schema of a record, generated from the models. `python -m harness.schema > docs/format.schema.json`."""

from __future__ import annotations

import sys
from typing import Any

from agent.jsonio import dumps
from harness.record_models import adapter
from harness.records import FORMAT_VERSION


def json_schema() -> dict[str, Any]:
    """A JSON Schema (draft 2020-12) that every line of a recording fits."""
    schema = adapter().json_schema(by_alias=True)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"One record (line) of a trajectory recording, format version {FORMAT_VERSION}",
        **schema,
    }


def schema_text() -> str:
    """The schema as it is committed."""
    import json

    return json.dumps(json.loads(dumps(json_schema())), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    sys.stdout.write(schema_text())
