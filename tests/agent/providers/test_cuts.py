"""The law of cuts: at every byte, what came out before is a prefix of the full run, and the end adds little to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.events import EOF, DecodeOptions, End, Error, Event, UsageEvent
from agent.providers import adapter
from agent.sse import SSEDecoder
from tests.agent.providers.streams import assert_closed
from tests.agent.providers.test_fixtures import STREAMS, expectation

ENDS = (EOF, End("error", "ReadError", "reset"), End("error", "ReadTimeout", ""), End("closed"))
CUT = [path for path in STREAMS if path.suffix == ".sse" and expectation(path)["status"] == 200]


def feed(wire: str, body: bytes, options: DecodeOptions, end: End) -> tuple[list[Event], list[Event]]:
    """What the frames of a cut body give, and what the end adds."""
    decoder, frames = adapter(wire).decoder(options=options), SSEDecoder()
    fed = [event for frame in [*frames.feed(body), *frames.flush()] for event in decoder.feed(frame)]
    return fed, decoder.finish(end)


@pytest.mark.parametrize("path", CUT, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_cut(path: Path) -> None:
    expect = expectation(path)
    options = DecodeOptions.from_dict(expect.get("options", {}))
    body = path.read_bytes()
    full, _ = feed(expect["wire"], body, options, EOF)
    step = max(1, len(body) // 600)
    for place, at in enumerate(range(0, len(body), step)):
        fed, added = feed(expect["wire"], body[:at], options, ENDS[place % len(ENDS)])
        assert fed == full[: len(fed)], f"cut at {at}"
        assert_closed(fed + added)
        closing = added[-1]
        assert isinstance(closing, UsageEvent)
        assert closing.complete or closing.stop_reason in ("truncated", "cancelled", "error"), f"cut at {at}"
        errors = sum(isinstance(event, Error) for event in fed + added)
        assert errors <= (closing.stop_reason != "cancelled"), f"cut at {at}"
        assert errors or closing.stop_reason not in ("truncated", "error"), f"cut at {at}"
