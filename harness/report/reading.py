"""The facts of a recording, read fast: frames are passed over without being parsed, and pieces of text that follow one
another are joined before they are.

Lines are told by how they begin, which is how `harness.recording.writer` writes them; a line that begins in another way
is parsed, so recordings of other programs give the same, more slowly.
"""

from __future__ import annotations

import re
from os import PathLike
from typing import Any

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
    if reader.warnings or not _is_sound(recording):
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


def all_but(kinds: bytes) -> Choose:
    """Chooses lines but for those that go on as the pattern `kinds` says behind `{"kind":"`; blank ones are left out.

    One search over a whole block is far cheaper than a question for each of its lines.
    """
    found = re.compile(rb'\n(?!\{"kind":"(?:%b))([^\n]+)' % kinds).findall
    return lambda block: found(b"\n" + block)


_PARTS = (b'{"kind":"frame"', b'{"kind":"body"')
_HEAD = 110
"""Bytes in which a frame says its number."""

_PIECE = re.compile(
    rb'\{"kind":"event","seq":\d+,"t":[\d.e+-]+(,"call":\d+,"frame":)\d+(,"event":\{"type":"(?:text|reasoning)","text":)"'
)
_PIECE_END = b'"}}'


def _told(lines: list[bytes]) -> list[bytes]:
    """Without frames and body chunks but the first of each call, whose time is that of the first chunk."""
    return [line for line in lines if not line.startswith(_PARTS) or line.find(b',"i":0,', 15, _HEAD) > 0]


def _joined(block: bytes) -> list[bytes]:
    """Pieces of text, or of reasoning, that follow one another in a call, as one.

    Only where the text is the last member: quotes inside it are escaped, so `","` tells that another one follows.
    """
    found: list[bytes] = []
    key: tuple[bytes | Any, ...] | None = None
    pieces: list[bytes] = []
    for line in _told(block.split(b"\n")):
        match = _PIECE.match(line)
        of = None
        if match is not None and line[-3:] == _PIECE_END and line.find(b'","', match.end()) < 0:
            of = match.groups()
        if match is not None and of is not None and of == key:
            pieces.append(line[match.end() : -3])
            continue
        if key is not None:
            found.append(b"".join((*pieces, _PIECE_END)))
        key = of
        if of is None:
            found.append(line)
        else:
            pieces = [line[:-3]]
    if key is not None:
        found.append(b"".join((*pieces, _PIECE_END)))
    return found


_without_content = all_but(rb'frame"|body"|event"[^{]{0,110}\{"type":"(?:text|reasoning|tool_call)"')
