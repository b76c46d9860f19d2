"""Every stream under `fixtures/<wire>/` gives exactly the events that stand beside it, in any cut.

`<name>.expect.json`: `wire`, `status`, `content_type`, `events` (the JSON forms, in order), `why` (the rule shown);
where they matter also `headers` ([[name, value]]), `options` (of the decoder) and `end` ({kind, error_class, message}).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agent.events import DecodeOptions, End, from_dict
from agent.providers import WIRES
from tests.agent.providers.streams import fixture_form, random_sizes, run

ROOT = Path(__file__).resolve().parents[3] / "fixtures"
STREAMS = sorted(path for wire in WIRES for path in (ROOT / wire).glob("*.*") if path.suffix in (".sse", ".body"))


def expectation(path: Path) -> dict[str, Any]:
    return json.loads(path.with_name(f"{path.stem}.expect.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", STREAMS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_fixture(path: Path) -> None:
    expect = expectation(path)
    body = path.read_bytes()
    kind = {
        "status": expect["status"],
        "content_type": expect["content_type"],
        "headers": [tuple(header) for header in expect.get("headers", ())],
        "options": DecodeOptions.from_dict(expect.get("options", {})),
        "end": End(**expect.get("end", {})),
    }
    whole = fixture_form(run(expect["wire"], body, **kind))
    assert whole == expect["events"], expect["why"]
    assert [from_dict(event) for event in whole] == run(expect["wire"], body, 1, **kind)
    for seed in range(3):
        assert fixture_form(run(expect["wire"], body, random_sizes(body, seed), **kind)) == whole


def test_every_fixture_states_its_wire_and_its_rule() -> None:
    for path in STREAMS:
        expect = expectation(path)
        assert expect["wire"] == path.parent.name
        assert expect["why"]


def test_every_expectation_has_a_stream() -> None:
    streams = {path.with_suffix("") for path in STREAMS}
    for wire in WIRES:
        for path in (ROOT / wire).glob("*.expect.json"):
            assert path.with_name(path.name.removesuffix(".expect.json")) in streams
