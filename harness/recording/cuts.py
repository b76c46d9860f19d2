"""Where network chunks ended inside frames: `cuts` of a frame record, and the way back from records to chunks.

`cuts` are byte offsets in the frame's raw bytes at which a chunk ended. None (absent in the record) means that one
chunk ended, with the frame; `[]` that none did, as the next frame came in the same chunk.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def cuts_for(chunk_sizes: Iterable[int], frame_sizes: Iterable[int]) -> list[list[int] | None]:
    """The `cuts` of every frame of a response, given how its bytes came and how they were framed."""
    ends: list[int] = []
    position = 0
    for size in chunk_sizes:
        position += size
        if size:
            ends.append(position)
    found: list[list[int] | None] = []
    start = index = 0
    for size in frame_sizes:
        cuts = []
        while index < len(ends) and ends[index] <= start + size:
            cuts.append(ends[index] - start)
            index += 1
        found.append(None if cuts == [size] else cuts)
        start += size
    return found


def rebuild_chunks(parts: Iterable[tuple[bytes, Sequence[int] | None]]) -> list[bytes]:
    """The chunks of a response, given `(raw, cuts)` of its frames (and bodies, which are chunks: cuts None) in order.

    The end of the response ends the last chunk too.
    """
    return [chunk for _, chunk in timed_chunks((raw, cuts, (), 0.0) for raw, cuts in parts)]


def timed_chunks(
    parts: Iterable[tuple[bytes, Sequence[int] | None, Sequence[float], float]],
) -> list[tuple[float, bytes]]:
    """The chunks, each with its time in seconds, given `(raw, cuts, cut_t, t)` of the records in order.

    `cut_t` times the first cuts. Where it times none, the frame's `t` does.
    """
    found: list[tuple[float, bytes]] = []
    pending: list[bytes] = []
    last_t = 0.0
    for raw, cuts, cut_t, t in parts:
        last_t = t
        if cuts == []:
            pending.append(raw)
            continue
        if cuts is None and not pending:
            if raw:
                found.append((t, raw))
            continue
        start = 0
        for number, cut in enumerate((len(raw),) if cuts is None else cuts):
            pending.append(raw[start:cut])
            start = max(start, cut)
            chunk = b"".join(pending)
            pending.clear()
            if chunk:
                found.append((cut_t[number] if number < len(cut_t) else t, chunk))
        if start < len(raw):
            pending.append(raw[start:])
    rest = b"".join(pending)
    if rest:
        found.append((last_t, rest))
    return found
