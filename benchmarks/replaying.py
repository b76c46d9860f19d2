"""Rows of replay: one recording against vcrpy, and a thousand against parsing every line."""

from __future__ import annotations

from operator import attrgetter
from pathlib import Path

from benchmarks import data, peers
from benchmarks.files import parsing
from benchmarks.race import Child, Costs, Race, Row, Setting, child
from benchmarks.sessions import record_call, record_many, record_turn
from benchmarks.starting import HARNESS
from harness.replaying.replayer import replay_recording

ROWS = (
    Row(
        "replay of one recording of 2,000 frames, against vcrpy with the openai SDK",
        "vcrpy",
        "turn",
        25,
        at_least=True,
        unit="x faster",
    ),
    Row("the same against parsing every line of it", "turn", "lines of turn"),
    Row("1,000 recordings of 500 frames, `harness replay --jobs 1`", "jobs 1", "lines", 4),
    Row("the same of turns of the agent, whose loop runs again too", "turns", "lines of turns"),
    Row("`--jobs 2` on 1,000 recordings, on the clock", "jobs 1 clock", "jobs 2 clock", 1.6, True, "x faster"),
    Row("memory of 1,000 recordings against 100", "jobs 1 memory", "a tenth memory", 1.2),
)


def contestants(setting: Setting) -> Race:
    race = Race(laps=2)
    root = race.folder()
    stream = data.chat(setting.size(2000))
    path = root / "turn.jsonl"
    record_turn(path, stream)

    def turn() -> None:
        result = replay_recording(path)
        assert result.status == "pass", result.reason

    race.add("turn", turn, passes=20)  # as long as vcrpy takes
    race.measured(lambda: {"lines of turn": parsing([path])})
    race.peer("vcrpy", lambda: peers.vcr_replay(stream.frames, root))
    calls = record_many(root / "calls", record_call, setting.size(1000), 500)
    turns = record_many(root / "turns", record_turn, setting.size(200), 500)
    tenth = [str(path) for path in calls[: len(calls) // 10 + 1]]

    def costs() -> Costs:
        single = _replay(root / "calls")
        # This one needs two idle cores at once, so it is tried twice.
        double = min((_replay("--jobs", "2", root / "calls") for _ in range(2)), key=attrgetter("wall"))
        return {
            "lines": parsing(calls),
            "jobs 1": single.cpu,
            "jobs 1 clock": single.wall,
            "jobs 2 clock": double.wall,
            "jobs 1 memory": single.memory,
            "a tenth memory": _replay(*tenth).memory,
            "lines of turns": parsing(turns),
            "turns": _replay(root / "turns").cpu,
        }

    race.measured(costs)
    return race


def _replay(*arguments: str | Path) -> Child:
    return child([*HARNESS, "replay", "--quiet", *map(str, arguments)])
