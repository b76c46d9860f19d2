"""Every body under `fixtures/http-errors/` gives exactly the events that stand beside it, in any cut."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agent.events import to_dict
from agent.response import Framer, ResponseDecoder
from tests.agent.providers.streams import chunks, random_sizes

BODIES = sorted((Path(__file__).resolve().parents[2] / "fixtures" / "http-errors").glob("*.body"))


def expectation(path):
    return json.loads(path.with_name(f"{path.stem}.expect.json").read_text("utf-8"))


def decode(expect, body, sizes):
    headers = [tuple(pair) for pair in expect.get("headers", ())]
    framer = Framer(expect["content_type"])
    decoder = ResponseDecoder(expect["wire"], status=expect["status"], headers=headers)
    events = []
    for chunk in chunks(body, sizes):
        for frame in framer.feed(chunk):
            events += decoder.frame(frame)
        decoder.body(framer.body(chunk))
    for frame in framer.flush():
        events += decoder.frame(frame)
    return [to_dict(event) for event in [*events, *decoder.finish()]]


@pytest.mark.parametrize("path", BODIES, ids=lambda path: path.stem)
def test_fixture(path):
    expect, body = expectation(path), path.read_bytes()
    for sizes in [None, 1, 7, random_sizes(body, 1), random_sizes(body, 2)]:
        assert decode(expect, body, sizes) == expect["events"], expect["why"]


def test_every_body_has_an_expectation():
    assert BODIES
    expected = {path.name.removesuffix(".expect.json") for path in BODIES[0].parent.glob("*.expect.json")}
    assert {path.stem for path in BODIES} == expected
