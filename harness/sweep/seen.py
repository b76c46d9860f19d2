"""What came of one case, beside the full run of its stream: what the laws look at. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from agent.events import End, Error, Event, Reasoning, Text, ToolCall, UsageEvent
from agent.jsonio import canonical
from agent.sse import Frame
from harness.sweep.decode import Run
from harness.sweep.marks import begun, body_ends, is_end_mark
from harness.sweep.streams import Stream


class Full:
    """The full run of a stream, and what the laws look up in it."""

    def __init__(self, stream: Stream, run: Run) -> None:
        self.stream = stream
        self.run = run
        self.fed = run.fed
        self.calls = [event for event in run.events if isinstance(event, ToolCall)]
        self.failed = any(isinstance(event, Error) for event in run.events)
        self._shapes = {_shape(call) for call in self.calls}
        self._opaque = {canonical(_opaque(event)) for event in run.events if _opaque(event) is not None}
        self._texts = {kind: _Texts(run, kind) for kind in (Text, Reasoning)}
        self._begun = _begun(stream, run)

    def has_call(self, call: ToolCall) -> bool:
        """Whether the full run gave such a call; an id that was made up tells nothing."""
        return _shape(call) in self._shapes

    def has_opaque(self, event: Event) -> bool:
        return canonical(_opaque(event)) in self._opaque

    def goes_on(self, kind: type[Text] | type[Reasoning], same: int, text: str) -> bool:
        """Whether the text of one kind goes on like this after the first `same` events."""
        texts = self._texts[kind]
        return texts.joined.startswith(text, texts.before[same])

    def came(self, whole: int, rest: Sequence[Frame]) -> int:
        """How many frames came: the `whole` ones, and one more where what was left of it says all that it says."""
        frames = self.run.frames
        says_all = rest and whole < len(frames) and rest[0].data == frames[whole].data
        return whole + bool(says_all)

    def begun_by(self, frames: int) -> set[str]:
        """The calls that have begun in the first `frames` frames and were not dropped in them, by id or name."""
        return {name for name, first, until in self._begun if first < frames <= until}


class _Texts:
    """The text of one kind: joined, and how much of it came before each event that was fed."""

    def __init__(self, run: Run, kind: type[Text] | type[Reasoning]) -> None:
        sizes = (len(event.text) if isinstance(event, kind) else 0 for event in run.fed)
        self.before = [*accumulate(sizes, initial=0)]
        self.joined = "".join(event.text for event in run.events if isinstance(event, kind))


@dataclass
class Seen:
    """What came of one case.

    `same`: the first so many events were found to be those of the full run; `fed` are those after them, `finished`
    those of `finish`. `frames`: whole frames that came. `marked`: the end mark was among them.
    """

    full: Full
    kind: str
    fed: Sequence[Event]
    finished: Sequence[Event]
    end: End
    same: int = 0
    frames: int = 0
    marked: bool = False
    raised: str | None = None
    status: int = 200
    news: list[Event] = field(init=False)

    def __post_init__(self) -> None:
        self.news = [*self.fed, *self.finished]

    @property
    def closing(self) -> UsageEvent | None:
        last = self.news[-1] if self.news else None
        return last if isinstance(last, UsageEvent) else None

    @property
    def errors(self) -> list[Error]:
        """All errors, those among the `same` events too."""
        before = [event for event in self.full.fed[: self.same] if isinstance(event, Error)] if self.full.failed else []
        return before + [event for event in self.news if isinstance(event, Error)]


def marked(stream: Stream, frames: Iterable[Frame], body: bytes) -> bool:
    """Whether the end mark is among the frames, or in the plain body."""
    if not stream.framed:
        return body_ends(stream.wire, body)
    return any(is_end_mark(stream.wire, frame) for frame in frames)


def _shape(call: ToolCall) -> bytes:
    return canonical([None if call.synthetic_id else call.id, call.name, call.input])


def _opaque(event: Event) -> object:
    return event.opaque if isinstance(event, Text | Reasoning) else None


def _begun(stream: Stream, run: Run) -> list[tuple[str, int, int]]:
    """The calls that begin before an error is reported."""
    failed = next(
        (number for event, number in zip(run.fed, run.frame_of, strict=True) if isinstance(event, Error)), None
    )
    return [*begun(stream.wire, run.frames[:failed])] if stream.framed else []
