"""`tools`: the tool calls of a run are the expected ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from harness.checks.base import Check, Subject
from harness.checks.expected import Expected
from harness.checks.fields import Model, Modes, Number, json_value
from harness.checks.patterns import compiled
from harness.checks.selecting import tool_calls, whole_calls
from harness.checks.trajectory import Order, compare
from harness.checks.values import REST, Arguments, Mode
from harness.verdicts import Verdict


class Call(Model):
    """One expected tool call. `arguments` holds instead of that of the check."""

    name: str = Field(min_length=1)
    input: dict[str, Any] = Field(default_factory=dict)
    arguments: Modes | None = None

    _input = field_validator("input")(json_value)

    @model_validator(mode="after")
    def _named_arguments_are_there(self) -> Call:
        for name, mode in self.arguments.items() if isinstance(self.arguments, dict) else ():
            if name != REST and mode != "ignore" and name not in self.input:
                raise ValueError(f"arguments names {name!r}, which is not in input")
        return self


class Tools(Check):
    """The tool calls that the model made, in all turns or in `turn`, compared with `calls`."""

    type: Literal["tools"]
    calls: list[Call]
    order: Order = "exact"
    arguments: Modes = "exact"
    turn: Number | None = None

    @model_validator(mode="after")
    def _can_fail(self) -> Tools:
        if not self.calls and self.order in ("in-order", "superset"):
            raise ValueError(f"calls is empty, so with order {self.order} it would always pass")
        for call in self.calls:
            for pattern in _patterns(call.input, self._arguments(call)):
                try:
                    compiled(pattern)
                except ValueError as error:
                    raise ValueError(f"{call.name}: {error}") from None
        return self

    def judge(self, subject: Subject) -> Verdict:
        expected = [Expected(call.name, call.input, self._arguments(call)) for call in self.calls]
        compared = compare(expected, tool_calls(whole_calls(subject.facts, self.turn)), self.order)
        reason = compared.reason()
        return self.passed(compared.score) if reason is None else self.failed(reason, compared.score)

    def _arguments(self, call: Call) -> Arguments:
        return self.arguments if call.arguments is None else call.arguments


def _patterns(given: dict[str, Any], arguments: Arguments) -> Iterator[str]:
    """The strings that are used as regular expressions."""
    named: Mapping[str, Mode] = {} if isinstance(arguments, str) else arguments
    rest = arguments if isinstance(arguments, str) else arguments.get(REST, "exact")
    waiting = [value for name, value in given.items() if named.get(name, rest) == "regex"]
    while waiting:
        value = waiting.pop(0)
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict | list):
            waiting += value.values() if isinstance(value, dict) else value
