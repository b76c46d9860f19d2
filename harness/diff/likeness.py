"""How alike two steps are: what may be told as one step that changed, rather than as one gone and one new. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agent.jsonio import canonical
from harness.diff.align import ALIKE
from harness.diff.steps import Step
from harness.diff.words import alike, words
from harness.equality import tidy

FLOOR = 0.4
"""Steps that are less alike are no pair."""

_NAME, _ARGUMENTS, _RESULT = 0.3, 0.5, 0.2
"""What the name of a tool, its arguments, and its result where there is one, count for."""
_FIELD = 0.3
"""What an argument counts for that both calls have, whatever its values."""
_FIXED = 0.5
"""What it counts for that both steps begin a turn, end one, or are errors, whatever they say."""


@dataclass(slots=True, frozen=True)
class _Traits:
    """What of a step is compared. `arguments`: by name, the value as bytes and as words."""

    kind: str
    name: str
    text: frozenset[str]
    arguments: Mapping[str, tuple[bytes, frozenset[str]]]
    output: frozenset[str]


class StepLikeness:
    """The likeness of the steps of two runs, by their indices, for `align`. Each pair is worked out once."""

    def __init__(self, one: Sequence[Step], other: Sequence[Step]) -> None:
        self._one = _lazily(one)
        self._other = _lazily(other)
        self._keys = [step.key for step in one], [step.key for step in other]
        self._kinds = [step.kind for step in one], [step.kind for step in other]
        self._known: dict[tuple[bytes, bytes], int] = {}

    def __call__(self, i: int, j: int) -> int:
        if self._kinds[0][i] != self._kinds[1][j]:
            return 0
        pair = self._keys[0][i], self._keys[1][j]
        found = self._known.get(pair)
        if found is None:
            share = _likeness(self._one(i), self._other(j))
            found = self._known[pair] = min(int(share * ALIKE), ALIKE - 1) if share >= FLOOR else 0
        return found


def likeness(one: Step, other: Step) -> float:
    """0 to 1, and the same either way round."""
    return _likeness(_traits(one), _traits(other))


def _lazily(steps: Sequence[Step]) -> Callable[[int], _Traits]:
    found: dict[int, _Traits] = {}

    def traits(index: int) -> _Traits:
        if index not in found:
            found[index] = _traits(steps[index])
        return found[index]

    return traits


def _traits(step: Step) -> _Traits:
    given = step.input if isinstance(step.input, dict) else {"": step.input}
    arguments = {name: _value(value) for name, value in given.items()} if step.kind == "tool_call" else {}
    return _Traits(step.kind, step.name, words(step.text), arguments, words(step.output or ""))


def _value(value: Any) -> tuple[bytes, frozenset[str]]:
    form = canonical(tidy(value))
    return form, words(form.decode())


def _likeness(one: _Traits, other: _Traits) -> float:
    if one.kind != other.kind:
        return 0.0
    if one.kind in ("text", "reasoning"):
        return alike(one.text, other.text, FLOOR)
    if one.kind in ("input", "stop"):
        return _FIXED + (1 - _FIXED) * alike(one.text, other.text)
    if one.kind == "error":
        return _FIXED * (one.name == other.name) + (1 - _FIXED) * alike(one.text, other.text)
    if one.kind == "opaque":
        return float(one.text == other.text)
    shares = [(_NAME, float(one.name == other.name)), (_ARGUMENTS, _arguments(one.arguments, other.arguments))]
    if one.output or other.output:
        shares.append((_RESULT, alike(one.output, other.output)))
    return sum(weight * share for weight, share in shares) / sum(weight for weight, _ in shares)


def _arguments(
    one: Mapping[str, tuple[bytes, frozenset[str]]], other: Mapping[str, tuple[bytes, frozenset[str]]]
) -> float:
    """The mean over the names that either side has."""
    names = one.keys() | other.keys()
    if not names:
        return 1.0
    shares = 0.0
    for name in sorted(one.keys() & other.keys()):
        left, right = one[name], other[name]
        # A number or a word that differs has no word in common, but two empty texts differ in none.
        same = 1.0 if left[0] == right[0] else alike(left[1], right[1]) if left[1] or right[1] else 0.0
        shares += _FIELD + (1 - _FIELD) * same
    return shares / len(names)
