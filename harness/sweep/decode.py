"""The response of a case, through the framer and the decoder that live calls and replays use. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field

from agent.events import EOF, End, Event
from agent.response import Framer, ResponseDecoder
from agent.sse import Frame
from harness.errors import raised
from harness.recording.headers import header_value
from harness.sweep.streams import Stream


@dataclass(frozen=True)
class Answer:
    """A response as a case sends it. `chunks`: as the network gives them.

    `silence`: seconds that pass before each chunk from number `late_from` on, and before the end.
    """

    chunks: tuple[bytes, ...]
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    end: End = EOF
    late_from: int = 0
    silence: float = 0.0


@dataclass
class Run:
    """What came of a response: its frames, the events of `feed` with the number of their frame, those of `finish`.

    `raised`: the exception that broke it off, as text.
    """

    frames: list[Frame] = field(default_factory=list)
    fed: list[Event] = field(default_factory=list)
    frame_of: list[int] = field(default_factory=list)
    finished: list[Event] = field(default_factory=list)
    raised: str | None = None

    @property
    def events(self) -> list[Event]:
        return self.fed + self.finished


def machines(stream: Stream, answer: Answer | None = None) -> tuple[Framer, ResponseDecoder]:
    """Framer and decoder for a stream, or for what a case makes of it."""
    status, headers = (stream.status, stream.headers) if answer is None else (answer.status, answer.headers)
    decoder = ResponseDecoder(stream.wire, status=status, headers=headers, call=stream.call, options=stream.options)
    return Framer(header_value(headers, "content-type")), decoder


def decode(stream: Stream, answer: Answer) -> Run:
    """All events of an answer. Never raises."""
    run = Run()
    framer, decoder = machines(stream, answer)

    def take(frames: list[Frame]) -> None:
        for frame in frames:
            run.frames.append(frame)
            events = decoder.frame(frame)
            run.fed += events
            run.frame_of += [len(run.frames) - 1] * len(events)

    try:
        for chunk in answer.chunks:
            if frames := framer.feed(chunk):  # most chunks of one byte complete none
                take(frames)
            if framer.overflowed:
                run.fed += decoder.overflow()
                run.frame_of += [len(run.frames)] * (len(run.fed) - len(run.frame_of))
                break
            if framer.is_stream is False:
                decoder.body(framer.body(chunk))
        take(framer.flush())
        run.finished = decoder.finish(answer.end)
    except Exception as error:
        run.raised = raised(error)
    return run
