"""Streams read by the official SDKs. Skipped where none is installed."""

from __future__ import annotations

import random

import pytest

from agent.providers import WIRES
from harness.errors import ReplayMismatch
from harness.replaying.replay_transport import ReplayTransport
from harness.sweep import sdk
from harness.sweep.cases import Chunks, Cut, Whole
from harness.sweep.sdk import SDK_LAWS, SeenSdk, breaks_sdk, missing, sweep_sdk
from harness.sweep.streams import read_fixture
from tests.harness.sweep.swept import ROOT, chat, fixtures

WHOLE = SeenSdk(["a", "b"])
RESET = Cut(1, 0, "reset")


def broken(case, seen, *, marked=False):
    return [law.name for law in SDK_LAWS if law.check(case, marked, seen, WHOLE) is not None]


@pytest.mark.parametrize(
    ("case", "seen", "marked", "laws"),
    [
        (Whole(), WHOLE, True, []),
        (RESET, SeenSdk(["a"], OSError("reset")), False, []),
        (RESET, SeenSdk(["a"]), True, []),
        (Cut(1, 0, "eof"), SeenSdk(["a"]), False, []),
        (Chunks(1), WHOLE, True, []),
        (RESET, SeenSdk(["a"]), False, ["sdk-end"]),
        (RESET, SeenSdk(["a", "x"], OSError()), False, ["sdk-prefix"]),
        (RESET, SeenSdk(["a", "b", "c"], OSError()), False, ["sdk-prefix"]),
        (RESET, SeenSdk([], ReplayMismatch("POST /")), False, ["sdk-errors"]),
        (Chunks(1), SeenSdk(["a"]), True, ["sdk-chunks"]),
        (Chunks(1), SeenSdk(["a", "b"], OSError()), True, ["sdk-chunks"]),
    ],
)
def test_laws(case, seen, marked, laws):
    assert broken(case, seen, marked=marked) == laws


@pytest.mark.parametrize("wire", WIRES)
def test_fixtures(wire):
    if missing(wire):
        pytest.skip(f"{missing(wire)} is not installed")
    streams = [read_fixture(path) for path in fixtures(wire) if path.suffix == ".sse"]
    for stream in streams[::20]:
        tally = sweep_sdk(stream, random.Random(0))
        assert tally.broken == {}
        assert {*tally.cases} == {"whole", "cut", "chunks"}


def test_a_transport_that_hides_a_reset(monkeypatch):
    if missing("openai-chat"):
        pytest.skip("openai is not installed")
    monkeypatch.setattr(ReplayTransport, "_end", staticmethod(lambda call, family, request: None))
    stream = chat({"content": "a"}, {"content": "b"})
    assert "sdk-end" in sweep_sdk(stream, random.Random(0)).broken
    assert breaks_sdk("sdk-end", stream, RESET) is not None
    assert breaks_sdk("sdk-end", stream, Whole()) is None


def test_what_is_missing(monkeypatch):
    monkeypatch.setattr(sdk, "find_spec", lambda name: None)
    assert missing("gemini") == "google-genai"

    def no_parent(name):
        raise ModuleNotFoundError

    monkeypatch.setattr(sdk, "find_spec", no_parent)
    assert missing("anthropic") == "anthropic"


def test_the_laws_are_documented_in_words():
    page = (ROOT / "docs" / "sweep.md").read_text("utf-8")
    for law in SDK_LAWS:
        assert f"| `{law.name}` | {law.says} |" in page
