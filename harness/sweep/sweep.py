"""One file, swept: every response over its adapter, every turn over the loop, and the smallest counter-examples."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Literal

from harness.errors import HarnessError, raised
from harness.recording.opening import open as open_recording
from harness.sweep.cases import Case
from harness.sweep.laws import LAWS
from harness.sweep.loop import breaks_turn, sweep_turn
from harness.sweep.minimize import minimize
from harness.sweep.plan import Plan
from harness.sweep.run import breaks, sweep_stream
from harness.sweep.sdk import SDK_LAWS, breaks_sdk, missing, sweep_sdk
from harness.sweep.streams import FIXTURES, Stream, read_fixture, stream_of_call
from harness.sweep.tally import Broken, Tally
from harness.sweep.turn_laws import TURN_LAWS
from harness.sweep.turns import SweptTurn, turn_of_fixture, turn_of_recording

SAYS = {law.name: law.says for law in (*LAWS, *TURN_LAWS, *SDK_LAWS)}
"""The laws in words."""

Part = Literal["adapters", "loop", "sdk"]
PARTS: tuple[Part, ...] = ("adapters", "loop")
"""Those that are swept where nothing else is asked for: an SDK is another's, and slow."""


@dataclass
class Swept:
    """What the sweep of one file showed. `fault`: why it cannot be used; `left_out`: calls that cannot be swept."""

    path: Path
    calls: int = 0
    turns: int = 0
    size: int = 0
    tallies: dict[Part, Tally] = field(default_factory=lambda: {part: Tally() for part in PARTS})
    left_out: list[str] = field(default_factory=list)
    fault: str | None = None

    @property
    def tally(self) -> Tally:
        """Adapters and loop together."""
        total = Tally()
        for tally in self.tallies.values():
            total += tally
        return total

    @property
    def broken(self) -> list[Broken]:
        return [*self.tally.broken.values()]


def sweep_file(path: Path, plan: Plan, parts: Iterable[Part] = PARTS) -> Swept:
    """Sweep a recording or a raw fixture. No file makes it raise."""
    swept = Swept(path)
    try:
        streams, turns = _read(swept)
        if "adapters" in parts:
            _sweep_streams(swept, streams, plan)
        if "loop" in parts:
            _sweep_turns(swept, turns, plan)
        if "sdk" in parts:
            _sweep_sdks(swept, streams, plan)
    except HarnessError as error:
        swept.fault = str(error)
    except Exception as error:
        swept.fault = f"{path}: this program failed on it, please report it: {raised(error)}"
    return swept


def _read(swept: Swept) -> tuple[list[Stream], list[SweptTurn]]:
    if swept.path.suffix in FIXTURES:
        found: list[Stream | str] = [read_fixture(swept.path)]
        turns = [turn_of_fixture(stream) for stream in found if isinstance(stream, Stream)]
    else:
        recording = open_recording(swept.path)
        found = [stream_of_call(call) for call in recording.calls]
        for why in dict.fromkeys(one for one in found if isinstance(one, str)):
            numbers = [str(call.number) for call, one in zip(recording.calls, found, strict=True) if one == why]
            swept.left_out.append(f"{'call' if len(numbers) == 1 else 'calls'} {', '.join(numbers)}: {why}")
        turns = [turn for turn in map(turn_of_recording, recording.turns) if turn is not None]
    streams = [stream for stream in found if isinstance(stream, Stream)]
    swept.calls, swept.turns, swept.size = len(streams), len(turns), sum(len(stream.body) for stream in streams)
    return streams, turns


def _sweep_streams(swept: Swept, streams: list[Stream], plan: Plan) -> None:
    count = plan.cuts_of(swept.size)
    for number, stream in enumerate(streams):
        share = None if count is None else max(1, round(count * len(stream.body) / max(swept.size, 1)))
        found = sweep_stream(stream, share, plan.source(number))
        for law, broken in found.broken.items():
            _look_for_smaller(broken, partial(breaks, law))
        swept.tallies["adapters"] += found


def _sweep_turns(swept: Swept, turns: list[SweptTurn], plan: Plan) -> None:
    for turn in turns:
        found = sweep_turn(turn, plan.source("turn", turn.number))
        for law, broken in found.broken.items():
            place = next(place for place, reply in enumerate(turn.replies) if reply is broken.first.stream)
            _look_for_smaller(broken, partial(breaks_turn, law, turn, place))
        swept.tallies["loop"] += found


def _sweep_sdks(swept: Swept, streams: list[Stream], plan: Plan) -> None:
    tally = swept.tallies["sdk"] = Tally()
    for number, stream in enumerate(stream for stream in streams if stream.framed):
        package = missing(stream.wire)
        if package is not None:
            swept.left_out.append(f"call {stream.call}, by its SDK: {package} is not installed")
            continue
        found = sweep_sdk(stream, plan.source("sdk", number))
        for law, broken in found.broken.items():
            _look_for_smaller(broken, partial(breaks_sdk, law))
        tally += found


def _look_for_smaller(broken: Broken, reason: Callable[[Stream, Case], str | None]) -> None:
    """What was recorded is known of the whole only, so that law has no smaller example."""
    if broken.law != "known":
        broken.small = minimize(broken.first.stream, broken.first.case, reason)
