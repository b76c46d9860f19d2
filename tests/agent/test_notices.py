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
