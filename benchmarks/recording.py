"""Rows of recording: what it adds to a stream in time, latency and memory."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx

from benchmarks import data
from benchmarks.race import Costs, Race, Row, Setting, child, cpu
from benchmarks.sessions import Chunks, Server, call, recorder
from benchmarks.sse import floor

ROWS = (
    Row("recording, chat, a frame a chunk", "chat frames", "floor chat", 7),
    Row("recording, chat, network-like chunks", "chat network", "floor chat", 5),
    Row("recording, Anthropic, a frame a chunk", "Anthropic frames", "floor Anthropic", 13),
    Row("recording, Anthropic, network-like chunks", "Anthropic network", "floor Anthropic", 13),
    Row(
        "first chunk of a recorded stream",
        "first recorded",
        None,
        5,
        unit="ms",
        peers=(("first", "without recording"),),
    ),
    Row("memory that 100 MB of recording add", "memory", None, 5, unit="MB"),
)
_MEGABYTE = 1 << 20


def contestants(setting: Setting) -> Race:
    race = Race(laps=4)
    path = race.folder() / "recording.jsonl"
    streams = {"chat": data.chat(setting.size(2000)), "Anthropic": data.anthropic(setting.size(2000))}
    for name, stream in streams.items():
        race.add(f"floor {name}", floor(stream.payloads), passes=6)
        race.measured(_recorded(f"{name} frames", path, stream.wire, stream.frames))
        race.measured(_recorded(f"{name} network", path, stream.wire, stream.network_chunks()))
    frames = streams["chat"].frames
    race.measured(lambda: {"first": _first_chunk(Server(frames))})

    def first_recorded() -> Costs:
        with recorder(path) as recording:
            return {"first recorded": _first_chunk(recording.transport(Server(frames)))}

    race.measured(first_recorded)
    race.measured(_memory(setting.size(100), path.with_name("big.jsonl")))
    return race


def _recorded(name: str, path: Path, wire: str, chunks: Sequence[bytes]) -> Callable[[], Costs]:
    def costs() -> Costs:
        with recorder(path) as recording:
            transport = recording.transport(Server(chunks))

            def work() -> None:
                for _ in call(transport, wire):
                    pass

            return {name: cpu(work)}

    return costs


def _first_chunk(transport: Any) -> float:
    """Milliseconds on the clock until the first chunk is there."""
    start = time.perf_counter()
    next(call(transport))
    return (time.perf_counter() - start) * 1000


def _memory(megabytes: int, path: Path) -> Callable[[], Costs]:
    known: dict[str, float] = {}

    def costs() -> Costs:
        if not known:
            found = child(["-m", "benchmarks.recording", str(path), str(megabytes)])
            known["memory"] = json.loads(found.output)
        return known

    return costs


def grow(path: Path, megabytes: int) -> float:
    """Record so many megabytes; how many the process's peak grew by after the first tenth."""
    import resource

    chunk = b"".join(data.chat(50).frames[1:40])
    count = megabytes * _MEGABYTE // len(chunk)
    peaks = []

    def chunks() -> Iterator[bytes]:
        for number in range(count):
            if number == count // 10:
                peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
            yield chunk

    with recorder(path) as recording:
        transport = recording.transport(httpx.MockTransport(lambda _: httpx.Response(200, stream=Chunks(chunks()))))
        for _ in call(transport):
            pass
        assert not recording.errors
    path.unlink()
    return float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peaks[0]) / 1024


if __name__ == "__main__":
    import sys

    sys.stdout.write(json.dumps(grow(Path(sys.argv[1]), int(sys.argv[2]))))
