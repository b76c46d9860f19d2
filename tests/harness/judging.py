"""Recordings to be judged, changes to them, and the replay of a file that may hold anything."""

from __future__ import annotations

from harness.replaying.replayer import replay_recording
from tests.harness.sessions import Turn
from tests.harness.transports import Reply
from tests.harness.turns import ANSWER, LEFT, LOOKS, TURNS

SESSIONS = {
    "tools and retries": [TURNS["retry after 429"], TURNS["parallel"].but(history=TURNS["history"].history)],
    "failures": [TURNS["reset after output"], TURNS["no response"], TURNS["in-stream error after output"]],
    "left in a tool": [LEFT["in the second tool"]],
    "left in backoff": [LEFT["in a later backoff"]],
    "cut frames": [Turn([Reply([b"".join(LOOKS.chunks)]), Reply([b"".join(ANSWER.chunks)[:-3], b"E]\n", b"\n"])])],
    "anthropic": [TURNS["anthropic"]],
    "not streamed": [TURNS["not streamed"], TURNS["400"]],
    "capped, then no end": [TURNS["capped"], TURNS["truncated"]],
}


def judged(path):
    """The replay of a file; whatever it holds, all that is said is in one line each."""
    found = replay_recording(path)
    for verdict in found.verdicts:
        assert (verdict.reason is None) == (verdict.status == "pass")
        assert "\n" not in (verdict.reason or "")
        assert "report it" not in (verdict.reason or ""), verdict.reason
    return found


def first(kind, **fields):
    """A test for the first record of a kind with these fields."""
    met = []

    def found(value):
        if value["kind"] == kind and all(value.get(name) == field for name, field in fields.items()):
            met.append(1)
            return len(met) == 1
        return False

    return found


def setting(kind, path, to, **fields):
    """A change of one value in the first record of a kind. `to` REMOVE takes it away."""
    matches = first(kind, **fields)

    def apply(value):
        if matches(value):
            at = value
            for name in path[:-1]:
                at = at[name]
            if to is REMOVE:
                del at[path[-1]]
            else:
                at[path[-1]] = to(at[path[-1]]) if callable(to) else to

    return apply


REMOVE = object()
