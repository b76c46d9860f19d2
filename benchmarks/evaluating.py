"""Rows of suites, cost reports and diffs: a thousand recordings, against parsing every line of them."""

from __future__ import annotations

from pathlib import Path

from benchmarks.files import parsing
from benchmarks.race import Child, Costs, Race, Row, Setting, child
from benchmarks.sessions import record_many, record_turn
from benchmarks.starting import HARNESS

ROWS = (
    Row("1,000 recordings of 500 frames, `harness suite run`", "suite", "lines", 2),
    Row("the same, `harness cost`", "cost", "lines", 1.5),
    Row("the same as two folders, `harness diff`", "diff", "lines", 3.5),
    Row("memory of `harness suite run` on 1,000 recordings against 100", "suite memory", "tenth suite memory", 1.2),
    Row("memory of `harness cost` on 1,000 recordings against 100", "cost memory", "tenth cost memory", 1.2),
    Row("memory of `harness diff` on 1,000 recordings against 100", "diff memory", "tenth diff memory", 1.2),
)

SUITE = """
[[case]]
name = "says something"
recording = "**/*.jsonl"
check = [
    { type = "no_error" },
    { type = "complete" },
    { type = "stop_reason", equals = "stop" },
    { type = "text", regex = "." },
    { type = "budget", output_tokens = 100_000 },
]
"""


def contestants(setting: Setting) -> Race:
    race = Race()
    root = race.folder()
    all_of, tenth = _folders(root / "all", setting.size(1000)), _folders(root / "tenth", setting.size(100))
    paths = sorted(all_of.rglob("*.jsonl"))

    def costs() -> Costs:
        found = {"lines": parsing(paths)}
        for name, arguments in COMMANDS.items():
            whole, part = (_run(name, arguments, folder) for folder in (all_of, tenth))
            found |= {name: whole.cpu, f"{name} memory": whole.memory, f"tenth {name} memory": part.memory}
        return found

    race.measured(costs)
    return race


COMMANDS = {"suite": ("suite", "run", "--quiet", "."), "cost": ("cost", "."), "diff": ("diff", "a", "b")}
"""What is measured, run in the folder of the recordings."""


def _folders(root: Path, count: int) -> Path:
    """A suite beside two folders that hold the same recordings under the same names."""
    root.mkdir()
    (root / "bench.suite.toml").write_text(SUITE, "utf-8")
    for name in "ab":
        record_many(root / name, record_turn, count // 2, 500)
    return root


def _run(name: str, arguments: tuple[str, ...], folder: Path) -> Child:
    return child([*HARNESS, *arguments], folder=folder)
