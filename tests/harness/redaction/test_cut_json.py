from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.redaction.cut_json import closed

DOCUMENT = b'{"a": ["x", {"b": "y\\"z", "c": [1, 2, "\\u00e9"]}], "d": {}, "e": "last \\\\"}'


@pytest.mark.parametrize("end", range(len(DOCUMENT) + 1))
def test_a_cut_document_can_be_read_and_cut_again(end):
    cut = closed(DOCUMENT[:end])
    if cut is None:
        assert end <= DOCUMENT.index(b'"x')
        return
    value = json.loads(cut.whole)
    assert cut.cut(cut.whole) == DOCUMENT[:end]
    value["a"][0] = "changed"
    again = closed(cut.cut(json.dumps(value).encode()))
    assert json.loads(again.whole)["a"][0] == "changed"


@pytest.mark.parametrize(
    "data", [b"", b"plain", b"[1, 2", b'{"name', b'{"name": 1, "o', b"]", b'}"x"', b'{"a": 1} "x"']
)
def test_what_has_no_text(data):
    assert closed(data) is None


values = st.recursive(
    st.text() | st.integers() | st.none(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=6,
)


@given(st.lists(values, min_size=1, max_size=3), st.booleans(), st.data())
def test_any_document(value, ascii_only, data):
    text = json.dumps({"v": value}, ensure_ascii=ascii_only).encode("utf-8", "replace")
    end = data.draw(st.integers(0, len(text)))
    cut = closed(text[:end])
    if cut is not None:
        json.loads(cut.whole.decode("utf-8", "replace"))
        assert cut.cut(cut.whole) == text[:end]
