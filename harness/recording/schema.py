"""The JSON Schema of a record, generated from the models.

python -m harness.recording.schema > docs/format.schema.json
"""

from __future__ import annotations

import json
import sys
from typing import Any

from harness.recording.models import adapter
from harness.recording.records import FORMAT_VERSION


def json_schema() -> dict[str, Any]:
    """A JSON Schema (draft 2020-12) that every line of a recording fits."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"One record (line) of a trajectory recording, format version {FORMAT_VERSION}",
        **_untitled(adapter().json_schema(by_alias=True)),
    }


def schema_text() -> str:
    """The schema as it is committed."""
    return json.dumps(json_schema(), indent=1, ensure_ascii=False) + "\n"


def _untitled(schema: Any) -> Any:
    """Without the titles that are made from field names: they say nothing."""
    if isinstance(schema, list):
        return [_untitled(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {name: _untitled(item) for name, item in schema.items() if not (name == "title" and isinstance(item, str))}


if __name__ == "__main__":
    sys.stdout.write(schema_text())
