"""`tool_count`: how often tools were called."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from harness.checks.base import Check, Subject
from harness.checks.fields import Model, Number, Pieces
from harness.checks.selecting import tool_calls, whole_calls
from harness.report.figures import plural
from harness.verdicts import Verdict


class Bounds(Model):
    """How many: `exactly`, or `min` and `max`."""

    min: Number | None = None
    max: Number | None = None
    exactly: Number | None = None

    @model_validator(mode="after")
    def _make_sense(self) -> Bounds:
        if self.exactly is not None and (self.min is not None or self.max is not None):
            raise ValueError("exactly stands alone, without min and max")
        if self.exactly is None and self.min is None and self.max is None:
            raise ValueError("needs min, max or exactly")
        if self.min == 0 and self.max is None:
            raise ValueError("min = 0 is always so: give max too, or a higher min")
        if self.min is not None and self.max is not None and self.min > self.max:
            raise ValueError(f"min {self.min} is over max {self.max}")
        return self

    def broken(self, found: int) -> str | None:
        """What a number should have been; None where it is right."""
        if self.exactly is not None and found != self.exactly:
            return str(self.exactly)
        if self.min is not None and found < self.min:
            return f"{self.min} at least"
        if self.max is not None and found > self.max:
            return f"{self.max} at most"
        return None


def _bounds(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | dict | Bounds):
        raise ValueError("should be a number, or a table: { min = 1, max = 3 }")
    return {"exactly": value} if isinstance(value, int) else value


Limit = Annotated[Bounds, BeforeValidator(_bounds)]


class ToolCount(Check):
    """The tool calls that the model made, in all turns or in `turn`, counted by name and in all."""

    type: Literal["tool_count"]
    tools: dict[str, Limit] = Field(default_factory=dict)
    total: Limit | None = None
    never: Pieces | None = None
    turn: Number | None = None

    @model_validator(mode="after")
    def _can_fail(self) -> ToolCount:
        if not self.tools and self.total is None and self.never is None:
            raise ValueError("needs tools, total or never")
        return self

    def judge(self, subject: Subject) -> Verdict:
        counts = Counter(made.name for made in tool_calls(whole_calls(subject.facts, self.turn)))
        limits = [(name, counts[name], bounds) for name, bounds in self.tools.items()]
        limits += [(name, counts[name], Bounds(exactly=0)) for name in self.never or ()]
        if self.total is not None:
            limits.append(("tools", counts.total(), self.total))
        problems = [
            f"{name} {'were' if name == 'tools' else 'was'} called {plural(found, 'time')}, not {should}"
            for name, found, bounds in limits
            if (should := bounds.broken(found)) is not None
        ]
        score = 1 - len(problems) / len(limits)
        return self.failed(f"{'; '.join(problems)} ({_all(counts)})", score) if problems else self.passed(score)


def _all(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items()) or "no tool was called"
