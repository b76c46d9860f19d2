from __future__ import annotations

import pytest

from agent.content_coding import coding_of


@pytest.mark.parametrize(
    ("values", "coding"),
    [
        ([], ""),
        (["gzip"], "gzip"),
        ([" GZIP "], "gzip"),
        (["identity"], ""),
        (["none"], ""),
        (["utf-8"], ""),
        (["identity, br"], "br"),
        (["gzip, br"], "gzip, br"),
        (["gzip", "br"], "gzip, br"),
        ([""], ""),
    ],
)
def test_codings_of_headers(values, coding):
    assert coding_of([("x", "gzip"), *(("Content-Encoding", value) for value in values)]) == coding
