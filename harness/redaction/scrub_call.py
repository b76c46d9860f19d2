"""One recorded call without its secrets: frames, also where one is split over several, and bodies. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agent.jsonio import NotJSON, dumps, loads_exact
from harness.redaction.channels import Piece, Place, channels, splits
from harness.redaction.cleaner import Cleaner
from harness.redaction.frame_data import data_of, with_data

_PASSES = 50


def clean_frames(frames: Sequence[bytes], cleaner: Cleaner) -> list[bytes]:
    """The frames of a call; those without a secret as they are, the same objects.

    A secret that is split over frames gets its placeholder where it begins; what the later frames have of it goes.
    Those come first: a part of a secret can look like a whole one.
    """
    found = list(frames)
    for _ in range(_PASSES):
        if _clean_channels(found, cleaner, wide=False) or _clean_channels(found, cleaner, wide=True):
            continue
        cleaned = [cleaner.frame(raw) for raw in found]
        if cleaned == found:
            break
        found = cleaned
    return found


def clean_bodies(parts: Sequence[bytes], cleaner: Cleaner) -> list[bytes]:
    """The chunks of a body. Its borders stay where they were, as far as the cleaned body goes."""
    joined = b"".join(parts)
    cleaned = cleaner.document(joined)
    if cleaned == joined:
        return list(parts)
    found = []
    at = 0
    for part in parts[:-1]:
        found.append(cleaned[at : at + len(part)])
        at += len(part)
    return [*found, cleaned[at:]]


def _clean_channels(frames: list[bytes], cleaner: Cleaner, *, wide: bool) -> bool:
    data = [(index, data) for index, raw in enumerate(frames) if (data := data_of(raw))]
    changed = False
    for pieces in channels(data, wide=wide):
        changed = _clean_channel(frames, pieces, cleaner) or changed
    return changed


def _clean_channel(frames: list[bytes], pieces: list[Piece], cleaner: Cleaner) -> bool:
    """Cut the secrets that are split over the pieces out of their frames; whether there was one."""
    texts = [piece.text for piece in pieces]
    joined = b"".join(texts)
    edits: dict[int, list[tuple[int, int, bytes]]] = {}
    for split in splits(texts, cleaner.finder):
        first, *others = split.parts
        placeholder = split.hit.replacement(joined[: split.hit.start], cleaner.placeholders.of(split.hit))
        edits.setdefault(first[0], []).append((first[1], first[2], placeholder))
        for index, start, end in others:
            edits.setdefault(index, []).append((start, end, b""))
    changed = False
    for index, cuts in edits.items():
        piece = pieces[index]
        text = piece.text
        for start, end, placeholder in sorted(cuts, reverse=True):
            text = text[:start] + placeholder + text[end:]
        raw = frames[piece.frame]
        again = _with_text(raw, piece, text)
        changed = changed or again != raw
        frames[piece.frame] = again
    return changed


def _with_text(raw: bytes, piece: Piece, text: bytes) -> bytes:
    """The frame with another text at the piece's place; as it is where that text has changed meanwhile."""
    data = data_of(raw) or b""
    try:
        value = loads_exact(data)
    except NotJSON:
        return with_data(raw, text) if not piece.place and data == piece.text else raw
    decoded = text.decode("utf-8", "surrogatepass")
    if not _put(value, piece.place, piece.text.decode("utf-8", "surrogatepass"), decoded):
        return raw
    return with_data(raw, dumps(value))


def _put(value: Any, place: Place, old: str, new: str) -> bool:
    """Set the string at `place` of a JSON value; False where it is not `old`."""
    for part in place[:-1]:
        value = value[part]
    if not place or value[place[-1]] != old:
        return False
    value[place[-1]] = new
    return True
