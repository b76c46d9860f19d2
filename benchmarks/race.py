"""Contestants that run in turns, and the ratio of their least costs: single figures swing, minima hold still.

A contestant is called once a round and tells what it cost (seconds, megabytes). A row compares costs of one race, never
figures of two runs.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

Costs = Mapping[str, float]
"""Costs by name; one of a peer that is not installed is not among them."""


class Missing(Exception):
    """A peer that is not installed; the message says what is missing."""


@dataclass(frozen=True, slots=True)
class Setting:
    """How much is measured. `scale` divides sizes: 1 for figures, more for a smoke test."""

    rounds: int = 15
    scale: int = 1

    def size(self, full: int, least: int = 8) -> int:
        return max(least, full // self.scale)


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: the cost of `of` divided by that of `to` (or the plain cost where `to` is None).

    `limit` is the target: the most, or with `at_least` the least, that holds; None where the row only informs.
    `peers` are further contestants whose ratio to `to` is shown beside, each with the name to show it by. `unit`
    follows the figure.
    """

    name: str
    of: str
    to: str | None
    limit: float | None = None
    at_least: bool = False
    unit: str = "x"
    peers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Result:
    """A row with its figure; None where a contestant is missing, which `note` names."""

    row: Row
    value: float | None
    note: str = ""

    @property
    def verdict(self) -> str:
        limit = self.row.limit
        if self.value is None:
            return "not measured"
        if limit is None:
            return ""
        holds = self.value >= limit if self.row.at_least else self.value <= limit
        return "ok" if holds else "short" if self.row.at_least else "over"


@dataclass(slots=True)
class Race:
    """The contestants of one group of rows, and why others are not among them."""

    laps: int = 1
    """Rounds of this race for one of the others: more where they are short, as most of them are disturbed then."""
    contestants: list[Callable[[], Costs]] = field(default_factory=list)
    missing: dict[str, str] = field(default_factory=dict)
    _folders: list[TemporaryDirectory[str]] = field(default_factory=list)

    def folder(self) -> Path:
        """A folder of its own, there until `close`."""
        self._folders.append(TemporaryDirectory(prefix="bench-"))
        return Path(self._folders[-1].name)

    def close(self) -> None:
        for folder in self._folders:
            folder.cleanup()

    def add(self, name: str, work: Callable[[], object], passes: int = 1) -> None:
        """A contestant that is measured in CPU seconds of this thread.

        `passes`: how often it works in a row, for one that is far shorter than those it is compared with: where a
        machine changes its pace, the least of short times meets a fast moment that no long time fits into.
        """
        self.contestants.append(lambda: {name: cpu(work, passes)})

    def peer(self, name: str, make: Callable[[], Callable[[], object]]) -> None:
        """The same for one that may not be installed: `make` raises `Missing`."""
        try:
            self.add(name, make())
        except Missing as missing:
            self.missing[name] = str(missing)

    def measured(self, costs: Callable[[], Costs]) -> None:
        """A contestant that measures itself."""
        self.contestants.append(costs)

    def run(self, rounds: int) -> Costs:
        """The least of every cost over interleaved rounds, `laps` times as many."""
        best: dict[str, float] = {}
        for _ in range(rounds * self.laps):
            for contestant in self.contestants:
                gc.collect()
                for name, cost in contestant().items():
                    best[name] = min(best.get(name, cost), cost)
        return best


def cpu(work: Callable[[], object], passes: int = 1) -> float:
    """The CPU time that this thread takes for some work, in seconds; the mean of `passes` in a row."""
    start = time.thread_time()
    for _ in range(passes):
        work()
    return (time.thread_time() - start) / passes


@dataclass(frozen=True, slots=True)
class Child:
    """What a process took: CPU and wall-clock seconds, and megabytes at its peak. `output` is its stdout."""

    cpu: float
    wall: float
    memory: float
    output: str


def child(arguments: Sequence[str], folder: Path | None = None) -> Child:
    """Run Python with some arguments, in a folder; modules are compiled once, as those of an installed package are.

    Raises `RuntimeError` where it fails.
    """
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    start = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, *arguments], cwd=folder, env=environment, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    with process.stdout:
        output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"python {' '.join(arguments)}: exit status {process.returncode}\n{output}")
    return Child(usage.ru_utime + usage.ru_stime, time.perf_counter() - start, usage.ru_maxrss / 1024, output)


def judge(row: Row, race: Race, costs: Costs) -> Result:
    """The figure of one row."""
    absent = [race.missing[name] for name in (row.of, row.to or row.of) if name in race.missing]
    if absent:
        return Result(row, None, absent[0])
    unit = 1.0 if row.to is None else costs[row.to]
    seen = []
    for name, shown in row.peers:
        seen.append(f"{shown} {figure(costs[name] / unit)}" if name in costs else race.missing[name])
    return Result(row, costs[row.of] / unit, ", ".join(seen))


def measure(group: str, setting: Setting) -> list[Result]:
    """The results of one group."""
    module = import_module(f"benchmarks.{group}")
    race = module.contestants(setting)
    gc.collect()
    gc.freeze()  # what the peers have loaded must not slow down anyone's garbage collection
    try:
        costs = race.run(setting.rounds)
    finally:
        gc.unfreeze()
        race.close()
    return [judge(row, race, costs) for row in module.ROWS]


def figure(value: float) -> str:
    """Two significant digits, or whole numbers."""
    return f"{value:.0f}" if value >= 99.5 else f"{value:.1f}" if value >= 9.95 else f"{value:.2f}"
