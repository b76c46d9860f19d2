"""What a run was given, apart from its input: what may explain that it went another way. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agent.jsonio import canonical
from harness.differences import Difference, value_differences
from harness.equality import tidy

if TYPE_CHECKING:
    from harness.report.facts import RecordingFacts

_OF_TURN = ("provider", "model", "mode", "system", "tools", "params", "history")
_OF_CALL = ("provider", "model", "wire")


def settings_of(facts: RecordingFacts) -> Any:
    """The settings of the turns, or where there are none of the calls: one object where all have the same, else a
    list."""
    names, parts = (_OF_TURN, facts.turns) if facts.turns else (_OF_CALL, facts.calls)
    found = [tidy({name: getattr(part, name) for name in names}) for part in parts]
    distinct = [*{canonical(value): value for value in found}.values()]
    return distinct[0] if len(distinct) == 1 else found


def setting_differences(one: Any, other: Any) -> list[Difference]:
    """`model`, `params.temperature`; `turns[1].model` where the settings of a run changed on the way."""
    if isinstance(one, dict) != isinstance(other, dict):
        one, other = ([value] if isinstance(value, dict) else value for value in (one, other))
    path = "" if isinstance(one, dict) else "turns"
    return value_differences(one, other, path)
