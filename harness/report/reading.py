"""The facts of a recording, read fast: frames are passed over without being parsed, and pieces of text that follow one
another are joined before they are.

Lines are told by how they begin, which is how `harness.recording.writer` writes them; a line that begins in another way
is parsed, so recordings of other programs give the same, more slowly.
"""

from __future__ import annotations

import re
from itertools import groupby
from operator import itemgetter
from os import PathLike

from harness.recording.contents import Call
from harness.recording.lines import Choose
from harness.recording.opening import Recording, assemble
from harness.recording.opening import open as open_recording
from harness.recording.reader import RecordReader
from harness.report.facts import RecordingFacts, recording_facts


def read_facts(path: str | PathLike[str], *, content: bool = True) -> RecordingFacts:
    """The facts of the recording at `path`; frames and body chunks are not counted (None).

    Without `content` its text, reasoning and tool calls are left out, and when the first chunk came. A recording that
    was not closed, or is damaged, is read whole: only that tells what is wrong where, and how far it goes. Raises
    `UnreadableRecording` and `NewerVersion`.
    """
    reader = RecordReader(path, choose=_joined if content else _without_content)
    recording = assemble(reader, reader.path)
    recording.header = reader.header
    if reader.warnings or not _is_sound(recording) or (content and not all(map(_begins, recording.calls))):
        return recording_facts(open_recording(path))
    facts = recording_facts(recording)
    for call in facts.calls:
        call.frames = call.body_chunks = None
    return facts


def _is_sound(recording: Recording) -> bool:
    """Whether the end record sums up all of it, and nothing is missing that the lines passed over could tell."""
    end = recording.end
    return (
        not recording.warnings
        and end is not None
        and end.get("calls") == len(recording.calls)
        and all(call.end_record is not None for call in recording.calls)
    )


def _begins(call: Call) -> bool:
    """Whether the first part of a response is there, if it has any."""
    parts = [*call.frames[:1], *call.bodies[:1]]
    return call.end_record is None or not call.end_record["bytes"] or (bool(parts) and parts[0].i == 0)


def all_but(kinds: bytes) -> Choose:
    """Chooses lines but for those that go on as the pattern `kinds` says behind `{"kind":"`; blank ones are left out.

    One search over a whole block is far cheaper than a question for each of its lines. Of a block in which a line looks
    broken every line is given, so that reading finds what is wrong.
    """
    found = re.compile(rb'\n(?!\{"kind":"(?:%b))([^\n]+)' % kinds).findall
    return lambda block: found(b"\n" + block) if _looks_whole(block) else block.split(b"\n")


def _looks_whole(block: bytes) -> bool:
    """Whether each line begins and ends as a record does, and holds no second one: an inner `{"kind":"` is escaped."""
    lines = block.count(b"\n") + 1
    return lines == block.count(_START) == block.count(b"}\n" + _START) + 1 and block.endswith(b"}")


_START = b'{"kind":"'


_PART = rb'\{"kind":"(?:frame|body)"'
_LINES = re.compile(
    rb'\n(?:\{"kind":"event","seq":\d++,"t":[\d.e+-]++,"call":(\d++),"frame":\d++,'
    rb'"event":\{"type":"(text|reasoning)","text":"([^"\\]*+(?:\\.[^"\\]*+)*+)"\}\}(?=\n|\Z)'
    rb"|((?:(?<=\A\n)|(?!%b))[^\n]+(?:\n%b[^\n]+)?))" % (_PART, _PART)
).findall
"""Call, type and text of an event that is nothing but text; or a line of another kind, with the part of a response that
stands behind it. Of the other parts only one that begins a block is found: it may be the first of its response."""

_PIECE = b'{"kind":"event","seq":0,"t":0,"call":%b,"frame":0,"event":{"type":"%b","text":"%b"}}'


def _joined(block: bytes) -> list[bytes]:
    """All that the facts tell of: pieces of text, or of reasoning, that follow one another in a call, as one; no parts
    of responses but their first, whose time is that of the first chunk."""
    if not _looks_whole(block):
        return block.split(b"\n")
    found: list[bytes] = []
    for (call, kind), lines in groupby(_LINES(b"\n" + block), itemgetter(0, 1)):
        if call:
            found.append(_PIECE % (call, kind, b"".join([text for _, _, text, _ in lines])))
        else:
            found += b"\n".join([other for *_, other in lines]).split(b"\n")
    return found


_without_content = all_but(rb'frame"|body"|event"[^{]{0,110}\{"type":"(?:text|reasoning|tool_call)"')
