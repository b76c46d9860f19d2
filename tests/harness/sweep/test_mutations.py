"""Bugs planted in each adapter, and in the loop, while it runs: the sweep catches every one by the law it breaks.

The events that are known of a fixture are taken away first, so that no golden file helps. With them the same bugs
are caught too, at the first stream that shows them.
"""

from __future__ import annotations

import copy

import pytest

from agent.providers import WIRES
from agent.providers.anthropic import AnthropicDecoder
from agent.providers.gemini import GeminiDecoder
from agent.providers.openai_chat import ChatDecoder
from agent.providers.openai_responses import ResponsesDecoder
from harness.sweep.plan import Plan
from harness.sweep.run import sweep_stream
from harness.sweep.streams import read_fixture
from tests.harness.sweep.swept import fixtures, unknown

DECODERS = {
    "openai-chat": ChatDecoder,
    "openai-responses": ResponsesDecoder,
    "anthropic": AnthropicDecoder,
    "gemini": GeminiDecoder,
}
SUMMED_AT = {
    "openai-chat": "_read_usage",
    "openai-responses": "_note",
    "anthropic": "_read_usage",
    "gemini": "_count_tokens",
}


def lose_the_flush(patch, wire):
    """What is open when the stream ends is forgotten."""
    patch.setattr(DECODERS[wire], "_close", lambda self: None)


def swallow_errors(patch, wire):
    """An error of the provider is passed over."""
    patch.setattr(DECODERS[wire], "_fail", lambda self, error: None)


def sum_usage(patch, wire):
    """Running totals are added up."""
    decoder, name = DECODERS[wire], SUMMED_AT[wire]
    read = getattr(decoder, name)

    def add(self, *given):
        before = copy.copy(self._counts if wire == "gemini" else self.usage)
        read(self, *given)
        if wire == "gemini":
            self._counts = {key: value + before.get(key, 0) for key, value in self._counts.items()}
        elif self.usage is not None and before is not None:
            self.usage = copy.copy(self.usage)
            self.usage.output_tokens = (self.usage.output_tokens or 0) + (before.output_tokens or 0)

    patch.setattr(decoder, name, add)


def call_early(patch, wire):
    """A call is handed over before all of it can have come."""
    decoder = DECODERS[wire]
    if wire == "openai-chat":
        finish = decoder._finish_reason
        patch.setattr(decoder, "_finish_reason", lambda self, reason: (finish(self, reason), self._close()))
    elif wire == "anthropic":
        patch.setattr(
            decoder,
            "_delta",
            lambda self, block, delta: block and block.kind == "tool_use" and self._block_stop(self._last),
        )
    elif wire == "gemini":
        call = decoder._function_call
        patch.setattr(
            decoder,
            "_function_call",
            lambda self, part, opaque: (
                call(self, part, opaque),
                self._open and self._open._given and self._shut(closed=True, ended=True),
            ),
        )
    else:
        delta = decoder._call_delta

        def early(self, payload, raw):
            delta(self, payload, raw)
            self._emit_call(self._slots.of_event(payload, "function_call"))

        patch.setitem(decoder._HANDLERS, "response.function_call_arguments.delta", early)


BUGS = {
    "lost flush": (lose_the_flush, "kept"),
    "swallowed error": (swallow_errors, "error"),
    "summed usage": (sum_usage, "summed"),
    "early tool call": (call_early, "early"),
}


def broken_by(wire, *, known):
    """The laws that the fixtures of one format show to be broken, at a few cuts each."""
    broken = set()
    for path in fixtures(wire):
        stream = read_fixture(path)
        found = sweep_stream(stream if known else unknown(stream), 8, Plan().source(0))
        broken |= found.broken.keys()
    return broken


@pytest.mark.parametrize("wire", WIRES)
def test_without_a_bug_nothing_is_broken(wire):
    assert broken_by(wire, known=True) == set()


@pytest.mark.parametrize("bug", BUGS)
@pytest.mark.parametrize("wire", WIRES)
def test_a_bug_in_an_adapter_is_caught(wire, bug, monkeypatch):
    plant, law = BUGS[bug]
    plant(monkeypatch, wire)
    assert law in broken_by(wire, known=False)


@pytest.mark.parametrize("bug", BUGS)
@pytest.mark.parametrize("wire", WIRES)
def test_what_is_known_of_a_fixture_catches_it_too(wire, bug, monkeypatch):
    BUGS[bug][0](monkeypatch, wire)
    assert "known" in broken_by(wire, known=True)
