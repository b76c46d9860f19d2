"""`docs/providers.md` says what the code does: every table is held against the tables of the code."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from agent.events import StopReason
from agent.failure_kinds import REASONS, WORDS
from agent.failures import RETRYABLE
from agent.providers import WIRES, anthropic, gemini_payload, openai_chat
from agent.providers.table import PROVIDERS

PAGE = (Path(__file__).resolve().parents[1] / "docs" / "providers.md").read_text(encoding="utf-8")


def rows(heading: str) -> dict[str, list[str]]:
    """The first table below a heading: first cell -> the other cells."""
    lines = PAGE.partition(f"## {heading}\n")[2].splitlines()
    start = next(at for at, line in enumerate(lines) if line.startswith("|"))
    found = {}
    for line in lines[start:]:
        if not line.startswith("|"):
            break
        first, *rest = (cell.strip() for cell in line.strip("|").split("|"))
        found[first.strip("`")] = rest
    return found


def words(cell: str) -> set[str]:
    return set(re.findall(r"`([^`]+)`", cell))


@pytest.mark.parametrize(
    ("wire", "stops"),
    [("openai-chat", openai_chat.STOPS), ("anthropic", anthropic.STOPS), ("gemini", gemini_payload.STOPS)],
)
def test_stop_words(wire: str, stops: Mapping[str, StopReason]) -> None:
    table = rows("Stop reasons")
    column = table["stop_reason"].index(f"`{wire}`")
    said = {reason: words(cells[column]) for reason, cells in table.items()}
    for word, reason in stops.items():
        assert word in said[reason], f"{word} is missing in the row {reason} of {wire}"
    for reason, named in said.items():
        for word in named - {"stop", "STOP", "blockReason", wire}:
            assert stops.get(word) == reason, f"{word} is not {reason} in {wire}"


def test_error_kinds() -> None:
    table = rows("Failures")
    for kind, cells in table.items():
        if kind in ("kind", "---"):
            continue
        assert cells[2] == ("yes" if kind in RETRYABLE else "no"), kind
        for word in words(cells[1]) - {"blockReason", "MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"}:
            assert (REASONS | WORDS).get(word.lower()) == kind, f"{word} is not {kind}"
    assert set(RETRYABLE) < set(table)
    assert set(WORDS.values()) | set(REASONS.values()) < set(table)


def test_provider_rows() -> None:
    table = rows("Providers")
    assert set(table) - {"provider", "---"} == set(PROVIDERS)
    for name, row in PROVIDERS.items():
        base, keys, wire = table[name]
        assert row.base_url in words(base)
        assert words(keys) == set(row.key_variables)
        assert ("not needed" in keys) != row.needs_key
        assert words(wire) == {row.wire}


def test_every_wire_has_a_column() -> None:
    for heading in ("The four formats", "Stop reasons", "Tokens"):
        head = next(iter(rows(heading).values()))
        assert [cell.strip("`") for cell in head] == list(WIRES)
