"""Rows of start-up: CPU time of a whole process, children of this one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from benchmarks import data
from benchmarks.race import Costs, Race, Row, Setting, child
from benchmarks.sessions import record_turn

HARNESS = ("-c", "from harness.cli import main; main()")
"""The arguments of Python that the console script `harness` stands for."""

ROWS = (
    Row("`harness --help`", "help", "click", 1.5),
    Row("`harness replay` of one small recording", "replay", "click", 4),
    Row("Python alone", "python", "click"),
)


def contestants(setting: Setting) -> Race:
    race = Race(laps=4)
    path = race.folder() / "small.jsonl"
    record_turn(path, data.chat(20))
    commands = {
        "python": ("-c", "pass"),
        "click": ("-c", "import click"),
        "help": (*HARNESS, "--help"),
        "replay": (*HARNESS, "replay", str(path)),
    }
    for name, arguments in commands.items():
        race.measured(_process(name, arguments))
    return race


def _process(name: str, arguments: Sequence[str]) -> Callable[[], Costs]:
    return lambda: {name: child(arguments).cpu}
