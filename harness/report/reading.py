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
    picked = Picked(_joined if content else _without_content)
    reader = RecordReader(path, choose=picked)
    recording = assemble(reader, reader.path)
    recording.header = reader.header
    sound = not reader.warnings and _is_sound(recording, picked.lines)
    if not sound or (content and not all(map(_begins, recording.calls))):
        return recording_facts(open_recording(path))
    facts = recording_facts(recording)
    for call in facts.calls:
        call.frames = call.body_chunks = None
    return facts


def _is_sound(recording: Recording, lines: int) -> bool:
    """Whether the end record sums up all of it, as the last of so many lines, and nothing is missing that the lines
    passed over could tell."""
    end = recording.end
    return (
        not recording.warnings
        and end is not None
        and end.get("seq") == lines - 1
        and end.get("calls") == len(recording.calls)
        and all(call.end_record is not None and "bytes" in call.end_record for call in recording.calls)
    )


def _begins(call: Call) -> bool:
    """Whether the first part of a response is there, if it has any."""
    parts = [*call.frames[:1], *call.bodies[:1]]
    return call.end_record is None or not call.end_record["bytes"] or (bool(parts) and parts[0].i == 0)


class Picked:
    """Chooses the lines that `pick` picks out of a block, among them all that do not begin as a record does.

    `lines` counts those that begin so behind one that ends so: where one is broken, it is not the number of records.
    """

    def __init__(self, pick: Choose) -> None:
        self.lines = 0
        self._pick = pick

    def __call__(self, block: bytes) -> list[bytes]:
        self.lines += block.count(_BORDER) + block.endswith(b"}")
        return self._pick(block)


_BORDER = b'}\n{"kind":"'


def all_but(kinds: bytes) -> Choose:
    """Picks lines but for those that go on as the pattern `kinds` says behind `{"kind":"`; blank ones are left out.

    One search over a whole block is far cheaper than a question for each of its lines.
    """
    found = re.compile(rb'\n(?!\{"kind":"(?:%b))([^\n]+)' % kinds).findall
    return lambda block: found(b"\n" + block)


_PART = rb'\{"kind":"(?:frame|body)"'
_LINES = re.compile(
    rb'\n(?:\{"kind":"event","seq":[0-9]++,"t":[0-9.e+-]++,"call":([0-9]++),"frame":[0-9]++,'
    rb'"event":\{"type":"(text|reasoning)","text":"([^"\\]*+(?:\\.[^"\\]*+)*+)"\}\}(?=\n|\Z)'
    rb"|((?:(?<=\A\n)|(?!%b))[^\n]+(?:\n%b[^\n]+)?))" % (_PART, _PART)
).findall
"""Call, type and text of an event that is nothing but text; or a line of another kind, with the part of a response that
stands behind it. Of the other parts only one that begins a block is found: it may be the first of its response."""

_PIECE = b'{"kind":"event","seq":0,"t":0,"call":%b,"frame":0,"event":{"type":"%b","text":"%b"}}'


def _joined(block: bytes) -> list[bytes]:
    """All that the facts tell of: pieces of text, or of reasoning, that follow one another in a call, as one; no parts
    of responses but their first, whose time is that of the first chunk."""
    found: list[bytes] = []
    for (call, kind), lines in groupby(_LINES(b"\n" + block), itemgetter(0, 1)):
        if call:
            found.append(_PIECE % (call, kind, b"".join([text for _, _, text, _ in lines])))
        else:
            found += b"\n".join([other for *_, other in lines]).split(b"\n")
    return found


_without_content = all_but(rb'frame"|body"|event"[^{]{0,110}\{"type":"(?:text|reasoning|tool_call)"')
