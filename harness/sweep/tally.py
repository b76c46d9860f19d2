"""What a sweep has shown so far: cases by kind, laws held and broken, the first counter-example of each broken law."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from harness.sweep.cases import Case
from harness.sweep.streams import Stream


@dataclass(frozen=True)
class Example:
    """A stream and a case of it that break a law, and how it shows."""

    stream: Stream
    case: Case
    reason: str


@dataclass
class Broken:
    """A broken law: the first case that broke it, the smallest one where that was looked for, and how many did."""

    law: str
    first: Example
    times: int = 1
    small: Example | None = None


@dataclass
class Tally:
    """`checked`: how often each law was held against a case."""

    cases: Counter[str] = field(default_factory=Counter)
    checked: Counter[str] = field(default_factory=Counter)
    broken: dict[str, Broken] = field(default_factory=dict)

    def add(self, stream: Stream, case: Case, verdicts: Iterable[tuple[str, str | None]], *, times: int = 1) -> None:
        """Count a case, and `times` - 1 more that came out the same."""
        self.cases[case.kind] += times
        for law, reason in verdicts:
            self.checked[law] += times
            if reason is None:
                continue
            if law in self.broken:
                self.broken[law].times += times
            else:
                self.broken[law] = Broken(law, Example(stream, case, reason), times)

    def __iadd__(self, other: Tally) -> Tally:
        self.cases += other.cases
        self.checked += other.checked
        for law, broken in other.broken.items():
            if law in self.broken:
                self.broken[law].times += broken.times
            else:
                self.broken[law] = broken
        return self
