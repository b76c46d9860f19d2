"""Holds back the frames of one stream whose texts may end inside a secret, until what follows decides. Pure.

Frames are handed back in order, and those without a split secret as they came. A frame is given up waiting for when no
more of its text comes for a while (the longer what may be a secret, the longer the while), when too much is held, and
at the end of the stream.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from agent.sse import Frame
from harness.redaction.frame_likeness import Likeness, Likenesses
from harness.redaction.frame_texts import FrameTexts, Text
from harness.redaction.joined_text import JoinedText, Piece, open_from, shortened
from harness.redaction.open_secrets import OpenSecrets
from harness.redaction.redactor import Redactor

MOST_FRAMES = 4096
MOST_BYTES = 4 << 20
"""What is held at most, in one stream."""

PATIENCE = 32
PATIENCE_PER_BYTE = 8
"""Frames without more of a streamed text that are waited through, and as many more for each byte of the open secret."""
PATIENCE_ELSEWHERE = 2
"""The same for a text that is not known to be streamed."""

_MOST_PLACES = 1024

E = TypeVar("E")


@dataclass(slots=True)
class HeldFrame(Generic[E]):
    """A frame and what belongs to it.

    `raw`: its bytes without split secrets, and without what the user's rules find; `clean`: and without any other.
    """

    frame: Frame
    extra: E
    raw: bytes
    number: int
    clean: bool = False
    texts: FrameTexts | None = None
    changed: bool = False


@dataclass(slots=True)
class _Open(Generic[E]):
    """A text that may end inside a secret. `last`: number of the latest frame that had a piece of it."""

    joined: JoinedText[tuple[HeldFrame[E], Text]]
    streamed: bool
    last: int

    def given_up(self, number: int) -> bool:
        waits = PATIENCE + PATIENCE_PER_BYTE * self.joined.open if self.streamed else PATIENCE_ELSEWHERE
        return number - self.last > waits


@dataclass(slots=True)
class _Glanced(Generic[E]):
    """A held frame of which only what differs from others was looked at: its text `number` may end inside a secret.

    `before`: what stood before the text at the same place.
    """

    held: HeldFrame[E]
    likeness: Likeness
    number: int
    before: bytes
    text: bytes


class HeldFrames(Generic[E]):
    """Frames in, decided frames out. First ask `passes`; a frame that does not is handed to `hold`."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._renew()
        self.waiting: list[HeldFrame[E]] = []
        """The frames that are held."""
        self._size = 0
        self._number = 0
        self._open: dict[str, _Open[E]] = {}
        self._glanced: _Glanced[E] | None = None
        self._last: dict[str, bytes] = {}

    def passes(self, frame: Frame) -> bool:
        """Whether a frame holds no secret, may end in none, and need not wait for others. Quick."""
        return (
            not self.waiting
            and self._version == self._redactor.version
            and self._likenesses.passes(frame.raw)
        )  # fmt: skip

    def hold(self, frame: Frame, extra: E) -> list[HeldFrame[E]]:
        """The frames that are decided by this one, perhaps itself among them."""
        if self._version != self._redactor.version:
            self._look_at_glanced()
            self._renew()
        self._number += 1
        held = HeldFrame(frame, extra, frame.raw, self._number)
        self.waiting.append(held)
        self._size += len(frame.raw)
        if not self._open:
            likeness = self._likenesses.read(frame.raw)
            if likeness is not None and self._glance(held, *likeness):
                kept = [] if self._glanced is None else [held]
                released, self.waiting = self.waiting[: len(self.waiting) - len(kept)], kept
                self._size = len(frame.raw) * len(kept)
                return released
            self._look_at_glanced()
            self._look(held)
            if likeness is None and not self._open:
                self._learn(held)
        else:
            self._look(held)
        too_much = len(self.waiting) > MOST_FRAMES or self._size > MOST_BYTES
        for place, opened in [*self._open.items()]:
            if too_much or opened.given_up(self._number):
                self._write(opened.joined.close())
                del self._open[place]
        return self._released()

    def flush(self) -> list[HeldFrame[E]]:
        """All that is still held."""
        self._look_at_glanced()
        for opened in self._open.values():
            self._write(opened.joined.close())
        self._open.clear()
        return self._released()

    def drop(self) -> int:
        """Forget all that is held; how many bytes that were."""
        size, self._size = self._size, 0
        self.waiting = []
        self._open.clear()
        self._glanced = None
        return size

    def _renew(self) -> None:
        self._version = self._redactor.version
        self._secrets: OpenSecrets = self._redactor.open_secrets()
        self._likenesses = Likenesses(self._secrets.closed, self._repeats)

    def _glance(self, held: HeldFrame[E], likeness: Likeness, texts: list[bytes]) -> bool:
        """The short way for a frame like those before, of whose texts one may end inside a secret.

        False where it cannot be decided so, and the frame must be looked at whole.
        """
        before = self._glanced
        opened = [number for number, text in enumerate(texts) if not self._secrets.closed(text)]
        number = before.number if before is not None else opened[0] if opened else 0
        if opened not in ([], [number]) or likeness.parallel or not texts:
            return False
        before_it = b""
        if before is not None:
            if before.likeness is not likeness:
                return False
            before_it = shortened(before.before + before.text)
        joined = before_it + texts[number]
        start = self._secrets.start(joined)
        if start < len(before_it) or not self._secrets.plain(joined):
            return False
        if before is not None:
            before.held.clean = True
        self._glanced = None
        if start < len(joined):
            self._glanced = _Glanced(held, likeness, number, before_it, texts[number])
        else:
            held.clean = True
        return True

    def _look_at_glanced(self) -> None:
        if self._glanced is not None:
            glanced, self._glanced = self._glanced, None
            self._look(glanced.held, glanced)

    def _look(self, held: HeldFrame[E], glanced: _Glanced[E] | None = None) -> None:
        held.texts = FrameTexts(held.frame)
        if self._redactor.has_user_rules:
            self._apply_user_rules(held, held.texts)
        for text in held.texts.texts:
            self._take(held, text, glanced.before if glanced is not None and glanced.text == text.data else None)

    def _apply_user_rules(self, held: HeldFrame[E], texts: FrameTexts) -> None:
        """To all that is not joined with the texts of other frames."""
        change = self._redactor.by_user_rules
        held.changed = texts.change_names(change) | texts.change_lines(change)
        for text in texts.texts:
            if not text.streamed:
                data = change(text.data)
                if data != text.data:
                    text.set(data)
                    held.changed = True

    def _take(self, held: HeldFrame[E], text: Text, before: bytes | None = None) -> None:
        """`before`: what stood before a text that is known to be open."""
        opened = self._open.get(text.place)
        again = False
        if not text.streamed:
            again = self._last.get(text.place) == text.data
            if len(self._last) < _MOST_PLACES or text.place in self._last:
                self._last[text.place] = text.data
        if opened is None and before is None and not self._may_be_open(text):
            return
        if again and self._repeats(text.data):
            if opened is not None:
                self._write(opened.joined.close())
                del self._open[text.place]
            return
        if opened is None:
            joined: JoinedText[tuple[HeldFrame[E], Text]]
            joined = JoinedText(self._redactor, user_rules=text.streamed, before=before or b"")
            opened = _Open(joined, text.streamed, 0)
            self._open[text.place] = opened
        opened.last = held.number
        self._write(opened.joined.add((held, text), text.data, self._secrets))
        if not opened.joined.open:
            del self._open[text.place]

    def _may_be_open(self, text: Text) -> bool:
        if text.streamed and self._redactor.has_user_rules:
            return bool(text.data)
        if self._secrets.closed(text.data):
            return False
        start = self._secrets.start(text.data, user_rules=text.streamed)
        if start == len(text.data):
            found = self._redactor.find(text.data, user_rules=text.streamed)
            start = open_from(text.data, start, found, self._secrets, user_rules=text.streamed)
        return start < len(text.data)

    def _repeats(self, text: bytes) -> bool:
        """Whether a text that stands in frame after frame is one of its own, not a piece of a longer one."""
        twice = text * 2
        start = self._secrets.start(twice, user_rules=False)
        return start >= len(text) and not self._redactor.find(twice, user_rules=False)

    def _write(self, pieces: list[Piece[tuple[HeldFrame[E], Text]]]) -> None:
        for piece in pieces:
            if piece.changed:
                held, text = piece.of
                text.set(piece.data)
                held.changed = True

    def _released(self) -> list[HeldFrame[E]]:
        """The held frames before the first that is undecided."""
        numbers = [opened.joined.pieces[0].of[0].number for opened in self._open.values()]
        if self._glanced is not None:
            numbers.append(self._glanced.held.number)
        count = len(self.waiting) - (self._number + 1 - min(numbers)) if numbers else len(self.waiting)
        released, self.waiting = self.waiting[:count], self.waiting[count:]
        for held in released:
            self._size -= len(held.frame.raw)
            if held.changed and held.texts is not None:
                held.raw = held.texts.raw()
            held.texts = None
        return released

    def _learn(self, held: HeldFrame[E]) -> None:
        """From a frame that need not be held, look what others will have in common with it."""
        if not held.changed:
            held.clean = self._redactor.bytes(held.raw) is held.raw
            if held.clean:
                self._likenesses.learn(held.raw)
