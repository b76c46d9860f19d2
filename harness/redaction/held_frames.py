"""Holds back the frames of one stream whose texts may end inside a secret, until what follows decides. Pure.

Frames are handed back in order, and those without a split secret as they came. A frame is given up waiting for when no
more of its text comes for a while (the longer what may be a secret, the longer the while), when too much is held, and
at the end of the stream.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Generic, TypeVar

from agent.jsonio import NotJSON
from agent.sse import Frame
from harness.redaction.frame_data import data_of
from harness.redaction.frame_likeness import Likeness, Likenesses, unescaped
from harness.redaction.frame_texts import FrameTexts, Text, written
from harness.redaction.joined_text import JoinedText, Piece, open_from, shortened
from harness.redaction.open_secrets import OpenSecrets
from harness.redaction.redactor import Redactor, masked

MOST_FRAMES = 4096
MOST_BYTES = 4 << 20
"""What is held at most, in one stream."""

PATIENCE = 32
PATIENCE_PER_BYTE = 8
"""Frames without more of a streamed text that are waited through, and as many more for each byte of the open secret."""
PATIENCE_ELSEWHERE = 2
"""The same for a text that is not known to be streamed."""

_MOST_PLACES, _SHORT = 1024, 64
_IN_WORDS = frozenset(bytes([byte]) for byte in b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._+-")
"""What tells, as the byte before a text, that it goes on with a word or a number."""

E = TypeVar("E")


@dataclass(slots=True)
class HeldFrame(Generic[E]):
    """A frame and what belongs to it.

    `raw`: its bytes without split secrets, and without what the user's rules find; `clean`: and without any other.
    `follow`: those of its texts of which it matters what stands before them, each with the byte that does.
    """

    frame: Frame
    extra: E
    raw: bytes
    number: int
    clean: bool = False
    texts: FrameTexts | None = None
    changed: bool = False
    follow: list[tuple[Text, bytes]] = field(default_factory=list)


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
        self.previous: bytes | None = None
        """The frame before, if no part of a secret that is split stands in it: a key does not begin inside a word.

        Whoever passes a frame by sets it, else a key is taken for the rest of an old word.
        """
        self._size = 0
        self._number = 0
        self._open: dict[str, _Open[E]] = {}
        self._glanced: _Glanced[E] | None = None
        self._last: dict[str, bytes] = {}

    def passes(self, frame: Frame) -> bool:
        """Whether a frame holds no secret, may end in none, and need not wait for others. Quick."""
        if self.waiting or self._version != self._redactor.version or not self._likenesses.passes(frame.raw):
            return False
        self.previous = frame.raw
        return True

    def hold(self, frame: Frame, extra: E) -> list[HeldFrame[E]]:
        """The frames that are decided by this one, perhaps itself among them."""
        if self._version != self._redactor.version:
            self._look_at_glanced()
            self._renew()
            self.previous = None
        held = HeldFrame(frame, extra, frame.raw, self._number + 1)
        released = self._held(held)
        self.previous = None if held.changed else frame.raw
        return released

    def _held(self, held: HeldFrame[E]) -> list[HeldFrame[E]]:
        frame = held.frame
        self._number += 1
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
        closed = (self._secrets.elsewhere.closed, self._secrets.closed)
        self._likenesses = Likenesses(closed, self._repeats)
        self._known_closed: set[bytes] = set()  # ids and names that every frame repeats

    def _of(self, streamed: bool) -> OpenSecrets:
        return self._secrets if streamed else self._secrets.elsewhere

    def _glance(self, held: HeldFrame[E], likeness: Likeness, texts: list[bytes]) -> bool:
        """The short way for a frame like those before, of whose texts one may end inside a secret.

        False where it cannot be decided so, and the frame must be looked at whole.
        """
        before = self._glanced
        pairs = enumerate(zip(texts, likeness.streamed, strict=True))
        opened = [number for number, (text, in_stream) in pairs if not self._of(in_stream).closed(text)]
        number = before.number if before is not None else opened[0] if opened else 0
        if opened not in ([], [number]) or likeness.parallel or not texts:
            return False
        if before is not None and before.likeness is not likeness:
            return False
        if before is not None:
            before_it = shortened(before.before + before.text)
        else:
            before_it = self._glance_before(likeness, number)
        streamed = likeness.streamed[number]
        joined = before_it + texts[number]
        start = self._of(streamed).start(joined)
        if start < len(before_it) or not self._secrets.plain(joined):
            return False
        if not streamed and not self._secrets.plain(texts[number]):  # it may be a text of its own
            return False
        if before is not None:
            before.held.clean = True
        self._glanced = None
        if start < len(joined):
            self._glanced = _Glanced(held, likeness, number, before_it, texts[number])
        else:
            held.clean = True
        return True

    def _glance_before(self, likeness: Likeness, number: int) -> bytes:
        """What the frame before has in place of a streamed text, if it is alike."""
        if self.previous is None or not likeness.streamed[number]:
            return b""
        try:
            texts = likeness.texts(self.previous)
            return b"" if texts is None else self._end(unescaped(texts[number]))
        except NotJSON:
            return b""

    def _look_at_glanced(self) -> None:
        if self._glanced is not None:
            glanced, self._glanced = self._glanced, None
            self._look(glanced.held, glanced)

    def _look(self, held: HeldFrame[E], glanced: _Glanced[E] | None = None) -> None:
        held.texts = FrameTexts(held.frame)
        if self._redactor.has_user_rules:
            self._apply_user_rules(held, held.texts)
        seen: set[str] = set()
        for text in held.texts.texts:
            if glanced is not None and glanced.text == text.data:
                self._take(held, text, glanced.before, is_open=True)
            else:
                self._take(held, text, b"" if glanced is not None or text.place in seen else None)
            seen.add(text.place)

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

    def _take(self, held: HeldFrame[E], text: Text, before: bytes | None, *, is_open: bool = False) -> None:
        """`before`: what stands before a text; empty where that is not known, None where the frame before tells."""
        opened = self._open.get(text.place)
        again = False
        if not text.streamed:
            again = self._last.get(text.place) == text.data
            if len(self._last) < _MOST_PLACES or text.place in self._last:
                self._last[text.place] = text.data
        if opened is None and not is_open:
            if self._is_closed(text):
                return
            before = self._text_before(text) if before is None else before
            if not self._may_be_open(text, before):
                self._follows(held, text, before[-1:])
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
        self._write(opened.joined.add((held, text), text.data, self._of(text.streamed)))
        if not opened.joined.open:
            del self._open[text.place]

    def _is_closed(self, text: Text) -> bool:
        if text.streamed:
            return not text.data if self._redactor.has_user_rules else self._secrets.closed(text.data)
        if text.data in self._known_closed:
            return True
        closed = self._secrets.elsewhere.closed(text.data)
        if closed and len(text.data) <= _SHORT and len(self._known_closed) < _MOST_PLACES:
            self._known_closed.add(text.data)
        return closed

    def _may_be_open(self, text: Text, before: bytes) -> bool:
        if text.streamed and self._redactor.has_user_rules:
            return True
        joined = before + text.data
        secrets = self._of(text.streamed)
        start = secrets.start(joined, user_rules=text.streamed)
        if start == len(joined):
            found = self._redactor.find(joined, user_rules=text.streamed)
            start = open_from(joined, start, found, secrets, user_rules=text.streamed)
        return start < len(joined)

    def _text_before(self, text: Text) -> bytes:
        """The end of the text at the same place in the frame before."""
        before = b""
        if self.previous is not None and text.streamed:
            for other in FrameTexts(Frame(self.previous, data_of(self.previous))).texts:
                before = other.data if other.place == text.place else before
        return self._end(before)

    def _end(self, text: bytes) -> bytes:
        """The end of a text, without secrets."""
        return shortened(masked(text, self._redactor.find(text, user_rules=False)))

    def _follows(self, held: HeldFrame[E], text: Text, before: bytes) -> None:
        """A text that begins with what looks like a secret, and may be none behind what stands before."""
        if text.streamed and before in _IN_WORDS and not self._secrets.plain(text.data):
            found = self._redactor.find(text.data, user_rules=False)
            if found and found[0].start == 0:
                held.follow.append((text, before))

    def _repeats(self, text: bytes) -> bool:
        """Whether a text that stands in frame after frame is one of its own, not a piece of a longer one."""
        twice = text * 2
        start = self._secrets.elsewhere.start(twice, user_rules=False)
        return start >= len(text) and not self._redactor.find(twice, user_rules=False)

    def _write(self, pieces: list[Piece[tuple[HeldFrame[E], Text]]]) -> None:
        for piece in pieces:
            held, text = piece.of
            if piece.changed:
                text.set(piece.data)
                held.changed = True
            self._follows(held, text, piece.before)

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
            if held.follow and held.texts is not None:
                self._redact(held, held.texts)
            held.texts = None
        return released

    def _redact(self, held: HeldFrame[E], texts: FrameTexts) -> None:
        """A frame of which some texts follow on others: these are redacted as what they are a part of."""
        if not texts.is_json:
            return
        known = self._redactor.known
        found = []
        same = True
        for number, (text, before) in enumerate(held.follow):
            whole = before + text.data
            clean = known(whole, in_json=False)
            same = same and clean == whole
            found.append((b"[follows:%d]" % number, written(clean[1:].decode("utf-8", "surrogatepass"))[1:-1]))
            text.set(found[-1][0])
        raw = texts.raw()
        redacted = known(raw)
        if not same or redacted is not raw:
            for mark, text_as_json in found:
                redacted = redacted.replace(mark, text_as_json, 1)
            held.raw = redacted
        held.clean = True

    def _learn(self, held: HeldFrame[E]) -> None:
        """From a frame that need not be held, look what others will have in common with it."""
        if not held.changed:
            held.clean = self._redactor.bytes(held.raw) is held.raw
            if held.clean:
                self._likenesses.learn(held.raw)
