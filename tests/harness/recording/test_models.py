from __future__ import annotations

import pytest

from harness.recording.models import check
from tests.harness.sample import numbered


def one(kind: str, **changes):
    record = next(record for record in numbered() if record["kind"] == kind)
    return {name: value for name, value in {**record, **changes}.items() if value is not ...}


@pytest.mark.parametrize(
    ("record", "place"),
    [
        ({}, "kind"),
        ({"kind": "x"}, "kind"),
        (one("header", format="x"), "format"),
        (one("header", version=True), "version"),
        (one("header", by="x"), "by"),
        (one("turn", seq=...), "seq"),
        (one("turn", t=-1), "t"),
        (one("turn", turn="0"), "turn"),
        (one("request", body=...), "exactly one"),
        (one("request", text="x"), "exactly one"),
        (one("request", body=[], same={"a": 0}), "same"),
        (one("request", headers=[["a"]]), "headers"),
        (one("request", sha256="x"), "sha256"),
        (one("request", wire=...), "wire"),
        (one("request", retry_of=None), "retry_of"),
        (one("response", status="200"), "status"),
        (one("frame", raw=...), "exactly one"),
        (one("frame", raw_b64=""), "exactly one"),
        (one("frame", cuts=[-1]), "cuts"),
        (one("event", event={"type": "x"}), "event"),
        (one("event", event={"type": "usage"}), "event.usage"),
        (one("event", frame=...), "frame"),
        (one("call_end", end="x"), "end"),
        (one("call_end", error={}), "error"),
        (one("tool_result", ok=None), "ok"),
        (one("loop", event="text"), "event"),
        (one("end", usage={"m": {}}), "usage"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_wrong_is_named_in_one_line(record, place):
    with pytest.raises(ValueError, match=place) as caught:
        check(record)
    assert "\n" not in str(caught.value)


def test_unknown_fields_are_allowed():
    check(one("frame", later=1))
    check(one("event", event={"type": "text", "text": "x", "later": 1}))
