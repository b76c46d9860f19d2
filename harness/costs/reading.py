"""What a recording costs, read fast."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from os import PathLike
from pathlib import Path

from harness.costs.calls import call_costs
from harness.costs.priced_by import PricedBy
from harness.costs.sums import Sums, sums_by
from harness.errors import RecordingError
from harness.report.facts import RecordingFacts
from harness.report.reading import read_facts


def cost_facts(path: str | PathLike[str]) -> RecordingFacts:
    """The facts of the recording at `path`, its text left out where all calls that answered report their tokens: only
    of the others it must be known whether they brought output. Raises `UnreadableRecording` and `NewerVersion`.
    """
    facts = read_facts(path, content=False)
    if any(call.usage is None and not call.content and call.bytes for call in facts.calls):
        return read_facts(path)
    return facts


def cost_of(
    path: Path, by: str, priced: PricedBy, at: datetime | None, on: Sequence[tuple[str, str]]
) -> dict[str, Sums] | str:
    """The sums of one recording by one of `harness.costs.sums.GROUPS`; in one line why it cannot be read."""
    try:
        facts = cost_facts(path)
    except RecordingError as error:
        return str(error)
    return sums_by(by, facts, call_costs(facts, priced, at=at, on=on))
