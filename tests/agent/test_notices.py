from __future__ import annotations

import pytest

from agent import notices
from agent.jsonio import dumps
from agent.messages import user
from agent.trim import trim
from tests.agent.scripts import call, failure


@pytest.mark.parametrize(
    ("notice", "keys"),
    [
        (notices.retry(0, 1, 0.5, failure()), ["what", "call", "attempt", "delay", "error"]),
        (notices.resume(2), ["what", "iteration"]),
        (
            notices.trimmed(trim([user("a")], 1)),
            ["what", "of", "results", "inputs", "units", "before", "after", "fits"],
        ),
        (notices.capped(call(), 5, 3), ["what", "of", "id", "name", "before", "after"]),
    ],
    ids=["retry", "resume", "trim", "cap"],
)
def test_shape(notice, keys):
    assert notice.event == "notice"
    assert list(notice.data) == keys
    assert notice.data["what"] in ("retry", "resume", "trim")
    assert dumps(notice.data)


@pytest.mark.parametrize(
    ("notice", "line"),
    [
        (notices.retry(0, 1, 0.5, failure()), f"retry 1 in 0.5 s: {failure().message}"),
        (notices.resume(2), "the provider paused; going on"),
        (notices.capped(call(), 5000, 3), f"result of {call().name} cut from 5,000 to 3 characters"),
        (
            notices.trimmed(trim([user("a" * 2000)], 1)),
            "the request is too long: 2,025 characters, and nothing more can be left out",
        ),
    ],
    ids=["retry", "resume", "cap", "trim"],
)
def test_in_words(notice, line):
    assert notices.describe(notice.data) == line


def test_an_unknown_notice_in_words():
    assert notices.describe({"what": "new"}) == '{"what":"new"}'
