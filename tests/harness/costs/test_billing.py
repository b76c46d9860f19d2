from __future__ import annotations

import pytest

from harness.costs.billing import may_be_billed
from tests.harness.costs.facts import ERROR, TEXT, call

CUT = {"type": "error", "message": "cut", "kind": "truncated_stream", "retryable": True, "status": 200}
LATE = {"type": "error", "message": "h:443 sent no answer in time", "kind": "timeout", "retryable": True}

CASES = {
    "HTTP error": (False, {"status": 429, "ending": "http_error", "errors": [ERROR]}),
    "HTTP error of an unknown format": (False, {"status": 401, "ending": "ended"}),
    "HTTP error that was cut": (False, {"status": 500, "ending": "reset"}),
    "redirect": (False, {"status": 307, "ending": "ended"}),
    "error object": (False, {"ending": "stream_error", "errors": [ERROR | {"status": 200}]}),
    "error object, then cut": (False, {"ending": "reset", "errors": [ERROR | {"status": 200}, CUT]}),
    "error object after output": (True, {"ending": "stream_error", "errors": [ERROR], "content": TEXT}),
    "response.failed": (False, {"errors": [ERROR | {"status": 200}], "complete": True, "stop_reason_raw": "failed"}),
    "refused connection": (False, {"status": None, "ending": "no_response", "ending_detail": "ConnectError: refused"}),
    "connect time-out": (False, {"status": None, "ending": "no_response", "ending_detail": "ConnectTimeout"}),
    "model list": (False, {"method": "GET", "ending": "ended"}),
    "counted tokens": (False, {"url": "https://h/v1/messages/count_tokens?beta=true", "ending": "ended"}),
    "read time-out": (
        True,
        {"status": None, "ending": "no_response", "ending_detail": "ReadTimeout", "errors": [LATE]},
    ),
    "write time-out": (True, {"status": None, "ending": "no_response", "ending_detail": "WriteTimeout: slow"}),
    "reset before the response": (True, {"status": None, "ending": "no_response", "ending_detail": "ReadError"}),
    "no response, nothing told": (True, {"status": None, "ending": "no_response"}),
    "cancelled": (True, {"ending": "cancelled"}),
    "cancelled before the response": (True, {"status": None, "ending": "cancelled"}),
    "cut": (True, {"ending": "truncated", "errors": [CUT]}),
    "reset": (True, {"ending": "reset", "errors": [CUT]}),
    "timed out": (True, {"ending": "timeout", "errors": [CUT]}),
    "killed before the response": (True, {"status": None, "ending": "not_closed"}),
    "killed in the response": (True, {"ending": "not_closed"}),
    "empty answer": (True, {}),
    "unknown format": (True, {"url": "https://h/v1/embeddings", "ending": "ended"}),
}


@pytest.mark.parametrize(("billed", "known"), CASES.values(), ids=CASES)
def test_without_output_and_usage(billed, known):
    assert may_be_billed(call(**({"usage": None} | known))) is billed


def test_what_reports_usage_is_billed():
    assert may_be_billed(call(status=500, ending="http_error"))
