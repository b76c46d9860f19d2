"""Frames that differ from an earlier one only in their text, written without making their records anew. Pure.

Nearly all of a recording are such frames, each with one event. Once one of them was recorded the long way, nothing of
what surrounds its text was a secret, and its JSON is known: only the text is looked at and put in. Texts that JSON has
to escape, and those that may hold a secret, go the long way.
"""

from __future__ import annotations

import orjson

from agent.events import Reasoning, Text
from agent.jsonio import dumps
from agent.providers.alike import Alike
from agent.response import ResponseDecoder
from agent.sse import Frame, SSEDecoder
from harness.recording.records import Ready, Records
from harness.redaction.open_secrets import OpenSecrets
from harness.redaction.redactor import Redactor

_QUOTE, _BACKSLASH = 34, 92
_UNCUT = ',"cuts":[]'
"""Another frame follows in the same chunk."""
_FRAME, _EVENT = '{"kind":"frame","seq":', '}\n{"kind":"event","seq":'

_BOM = b"\xef\xbb\xbf"

_SHORT, _MOST_FORMS = 16, 4096


class TextRun:
    """The frames of one call. `decoder` must be in the state that it had when `learn` said yes."""

    __slots__ = (
        "_after", "_alike", "_before", "_call", "_closing", "_decoder", "_event", "_forms", "_redactor", "_secrets",
        "_shortest", "_t", "_version", "_where",
    )  # fmt: skip

    def __init__(self, call: int, decoder: ResponseDecoder, redactor: Redactor) -> None:
        self._call = call
        self._decoder = decoder
        self._redactor = redactor
        self._alike = Alike(self._read)
        self._version = -1
        self._secrets = OpenSecrets()
        self._shortest = 0
        self._before = self._after = self._closing = self._event = ""
        self._forms: dict[bytes, tuple[str, str]] = {}  # texts that were looked at: most words come again
        self._t = -1.0
        self._where = ""

    def records(
        self, raw: bytes, i: int, t: float, cuts: list[int] | None, cut_t: list[float], *, clean: bool = False
    ) -> Ready | None:
        """The records of a frame and its event; None where it must go the long way. `clean`: it holds no secret."""
        if self._redactor.version != self._version:  # another value is a secret now: what was clean may hold it
            return None
        found = self._alike.split(raw)
        if found is None or found[3] != len(raw):
            return None
        start, end, padding, _ = found
        inner = raw[start:end]
        forms = self._forms.get(inner)
        if forms is None:
            forms = self._look_at(inner, clean)
            if forms is None:
                return None
        if len(padding) >= self._shortest and not self._alike.blank and not clean and self._is_secret(padding):
            return None
        more = ""
        if cuts is not None:
            more = f',"cuts":{dumps(cuts).decode()}' if cuts else _UNCUT
            if cut_t:
                more += f',"cut_t":{dumps(cut_t).decode()}'
        return self._ready(forms, padding, i, t, more)

    def run(self, data: bytes, at: int, i: int, t: float) -> tuple[list[Ready], int, int]:
        """The records of the frames that stand one right behind another in a chunk, from `at` and frame `i` on; where
        the last of them begins, and where it ends. What follows goes the long way."""
        found: list[Ready] = []
        last, size = at, len(data)
        if self._redactor.version != self._version:
            return found, last, at
        split, forms_of = self._alike.split, self._forms.get
        while at < size and (piece := split(data, at)) is not None:
            start, end, padding, stop = piece
            inner = data[start:end]
            forms = forms_of(inner) or self._look_at(inner, False)
            if forms is None or (len(padding) >= self._shortest and not self._alike.blank and self._is_secret(padding)):
                break
            found.append(self._ready(forms, padding, i, t, "" if stop == size else _UNCUT))
            i += 1
            last, at = at, stop
        return found, last, at

    def _ready(self, forms: tuple[str, str], padding: bytes, i: int, t: float, more: str) -> Ready:
        shown, text = forms
        if t != self._t:
            self._t, self._where = t, f',"t":{orjson.dumps(t).decode()},"call":{self._call},"'
        where = self._where
        return (
            _FRAME,
            f'{where}i":{i}{self._before}{shown}{self._after}{padding.decode()}{self._closing}{more}{_EVENT}',
            f'{where}frame":{i}{self._event}{text}"}}}}',
        )

    def _look_at(self, inner: bytes, clean: bool) -> tuple[str, str] | None:
        """How a text stands in the records of frame and event; None where it is no string, or may be of a secret."""
        try:
            text = shown = inner.decode()
            value = inner
            if _BACKSLASH in inner or not text.isprintable():
                parsed = orjson.loads(b'"%b"' % inner)
                value = parsed.encode()
                text, shown = dumps(parsed).decode()[1:-1], dumps(shown).decode()[1:-1]
            elif not inner or _QUOTE in inner:
                return None
        except ValueError:
            return None
        if clean:
            return shown, text
        if not self._secrets.closed(value):
            return None
        if len(inner) <= _SHORT and len(self._forms) < _MOST_FORMS:
            self._forms[inner] = shown, text
        return shown, text

    def _is_secret(self, padding: bytes) -> bool:
        return not self._secrets.closed(padding) and self._redactor.bytes(padding) is not padding

    def goes_on(self, frame: Frame, events: Records) -> bool:
        """After a frame that went the long way, unchanged: whether the next ones may go the short one."""
        if not self._decoder.plain or frame.raw.startswith(_BOM):  # which is dropped at the start of a stream only
            return False
        event = self._decoder.piece(frame) if len(events) == 1 else None
        if event is None or not self._alike.learn(frame.raw, event):
            return self._version >= 0
        alike = self._alike
        try:
            before, after, closing = alike.before.decode(), alike.after.decode(), alike.closing.decode()
        except UnicodeDecodeError:
            self._version = -1
            return False
        self._before = f',"raw":{dumps(before).decode()[:-1]}'
        self._after = dumps(after).decode()[1:-1]
        self._closing = dumps(closing).decode()[1:]
        self._event = f',"event":{{"type":"{"text" if alike.kind is Text else "reasoning"}","text":"'
        if self._version != self._redactor.version:
            self._version, self._secrets = self._redactor.version, self._redactor.open_secrets()
            self._shortest = self._redactor.shortest
            self._forms.clear()
        return True

    def _read(self, raw: bytes) -> Text | Reasoning | None:
        frames = SSEDecoder().feed(raw)
        return self._decoder.piece(frames[0]) if len(frames) == 1 else None
