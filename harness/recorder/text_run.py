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
from harness.redaction.redactor import Redactor

_QUOTE, _BACKSLASH = 34, 92
_UNCUT = ',"cuts":[]'
"""Another frame follows in the same chunk."""

_BOM = b"\xef\xbb\xbf"

_SHORT, _MOST_FORMS = 16, 2048


class TextRun:
    """The frames of one call. `decoder` must be in the state that it had when `learn` said yes."""

    __slots__ = (
        "_after", "_alike", "_before", "_call", "_closing", "_decoder", "_event", "_forms", "_redactor", "_secrets",
        "_shortest", "_version", "least",
    )  # fmt: skip

    def __init__(self, call: int, decoder: ResponseDecoder, redactor: Redactor) -> None:
        self._call = call
        self._decoder = decoder
        self._redactor = redactor
        self._alike = Alike(self._read)
        self._version = -1
        self._secrets = redactor.open_secrets()
        self._shortest = 0
        self.least = 0
        """Bytes that such a frame has at least."""
        self._before = self._after = self._closing = self._event = ""
        self._forms: dict[bytes, tuple[str, str]] = {}  # texts that were looked at: most words come again

    def records(
        self, raw: bytes, i: int, t: float, cuts: list[int] | None, cut_t: list[float], *, clean: bool = False
    ) -> Ready | None:
        """The records of a frame and its event; None where it must go the long way. `clean`: it holds no secret."""
        if self._redactor.version != self._version:  # another value is a secret now: what was clean may hold it
            return None
        found = self._alike.split(raw)
        if found is None:
            return None
        inner, padding = found
        form = self._forms.get(inner) or self._form(inner, clean)
        if form is None:
            return None
        if len(padding) >= self._shortest and not clean and self._is_secret(padding):
            return None
        closing = self._closing if cuts is None else f"{self._closing}{_cuts(cuts, cut_t)}"
        return 2, _line, (orjson.dumps(t).decode(), self._call, i, form, padding.decode(), closing)

    def run(
        self, data: bytes, i: int, t: float, cuts: list[int], cut_t: list[float]
    ) -> tuple[Ready, int, int, int] | None:
        """The records of the frames that stand one right behind another at the start of `data`, from frame `i` on; how
        many frames they are, the bytes of the last of them and of all. What follows goes the long way.

        `data` ends where a chunk does; `cuts` and `cut_t` are those of the first frame in earlier chunks.
        """
        if self._redactor.version != self._version:
            return None
        alike = self._alike
        inners, paddings = alike.splits(data)
        forms = self._forms_of(inners, paddings)
        if not forms:
            return None
        many = len(forms)
        del inners[many:], paddings[many:]
        size = alike.size(inners, paddings)
        last = self.least + len(inners[-1]) + len(paddings[-1])
        ends_chunk = size == len(data)
        closings = [self._closing + _UNCUT] * many
        if ends_chunk:
            closings[-1] = self._closing
        if cuts:
            cuts = [*cuts, size] if ends_chunk and many == 1 else cuts
            closings[0] = f"{self._closing}{_cuts(cuts, cut_t)}"
        shown = b"\n".join(paddings).decode().split("\n")
        where = f',"t":{orjson.dumps(t).decode()},"call":{self._call},"'
        return (2 * many, _lines, (where, i, forms, shown, closings)), many, last, size

    def _forms_of(self, inners: list[bytes], paddings: list[bytes]) -> list[tuple[str, str]]:
        """The forms of texts, up to one that goes the long way."""
        found = []
        known = self._forms.get
        for inner in inners:
            form = known(inner) or self._form(inner, False)
            if form is None:
                break
            found.append(form)
        if found and max(map(len, paddings)) >= self._shortest:
            for number, padding in enumerate(paddings[: len(found)]):
                if len(padding) >= self._shortest and self._is_secret(padding):
                    return found[:number]
        return found

    def _form(self, inner: bytes, clean: bool) -> tuple[str, str] | None:
        """How a text stands, with what surrounds it, in the records of frame and event; None where it is no string, or
        may be of a secret."""
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
        form = f"{self._before}{shown}{self._after}", f'{self._event}{text}"}}}}\n'
        if clean:
            return form
        if not self._secrets.closed(value):
            return None
        if len(inner) <= _SHORT and len(self._forms) < _MOST_FORMS:
            self._forms[inner] = form
        return form

    def _is_secret(self, padding: bytes) -> bool:
        return (
            not self._alike.blank and not self._secrets.closed(padding) and self._redactor.bytes(padding) is not padding
        )

    def goes_on(self, frame: Frame, events: Records) -> bool:
        """After a frame that went the long way, unchanged: whether the next ones may go the short one."""
        if not self._decoder.plain or frame.raw.startswith(_BOM):  # which is dropped at the start of a stream only
            return False
        event = self._decoder.piece(frame) if len(events) == 1 else None
        if event is None or not self._alike.learn(frame.raw, event):
            return self._version >= 0
        alike = self._alike
        self.least = alike.size([b""], [b""])
        try:
            before, after, closing = alike.before.decode(), alike.after.decode(), alike.closing.decode()
        except UnicodeDecodeError:
            self._version = -1
            return False
        self._before = f',"raw":{dumps(before).decode()[:-1]}'
        self._after = dumps(after).decode()[1:-1]
        self._closing = dumps(closing).decode()[1:]
        self._event = f',"event":{{"type":"{"text" if alike.kind is Text else "reasoning"}","text":"'
        self._forms.clear()
        if self._version != self._redactor.version:
            self._version, self._secrets = self._redactor.version, self._redactor.open_secrets()
            self._shortest = self._redactor.shortest
        return True

    def _read(self, raw: bytes) -> Text | Reasoning | None:
        frames = SSEDecoder().feed(raw)
        return self._decoder.piece(frames[0]) if len(frames) == 1 else None


def _line(seq: int, what: tuple[str, int, int, tuple[str, str], str, str]) -> bytes:
    """The lines of one frame and its event."""
    t, call, i, (frame, event), padding, closing = what
    return (
        f'{{"kind":"frame","seq":{seq},"t":{t},"call":{call},"i":{i}{frame}{padding}{closing}}}\n'
        f'{{"kind":"event","seq":{seq + 1},"t":{t},"call":{call},"frame":{i}{event}'
    ).encode()


def _lines(seq: int, what: tuple[str, int, list[tuple[str, str]], list[str], list[str]]) -> bytes:
    """The lines of frames that follow one another, each with its event."""
    where, i, forms, paddings, closings = what
    lines = []
    for (frame, event), padding, closing in zip(forms, paddings, closings, strict=True):
        line = (
            f'{{"kind":"frame","seq":{seq}{where}i":{i}{frame}{padding}{closing}}}\n'
            f'{{"kind":"event","seq":{seq + 1}{where}frame":{i}{event}'
        )
        lines.append(line.encode())  # one by one: most are ASCII, which is far quicker
        seq += 2
        i += 1
    return b"".join(lines)


def _cuts(cuts: list[int], cut_t: list[float]) -> str:
    """The fields of a frame that tell where chunks ended in it."""
    if not cuts:
        return _UNCUT
    return f',"cuts":{dumps(cuts).decode()}' + (f',"cut_t":{dumps(cut_t).decode()}' if cut_t else "")
