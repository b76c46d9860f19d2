from __future__ import annotations

import pytest

from agent.events import EOF, End, to_dict
from agent.failures import error, http_error, in_stream_error, truncated_error, unreachable
from agent.refusals import is_refusal

BUSY = in_stream_error({"message": "busy", "type": "overloaded_error"})


@pytest.mark.parametrize("status", [302, 400, 401, 429, 500, 529])
def test_an_http_error_is_a_refusal(status):
    assert is_refusal(to_dict(http_error(status, [], b"")), complete=False, stop_reason_raw=None)


@pytest.mark.parametrize(
    ("made", "complete", "raw", "expected"),
    [
        (BUSY, False, None, True),
        (BUSY, True, "failed", True),
        (BUSY, True, "OTHER", False),
        (truncated_error(EOF), False, None, False),
        (truncated_error(End("error", "ReadTimeout", "")), False, None, False),
        (error("frame_too_large", "m", status=200), False, None, False),
        (error("content_blocked", "m", status=200), True, "SAFETY", False),
        (error("malformed_tool_call", "m", status=200), True, "MALFORMED_FUNCTION_CALL", False),
    ],
    ids=["error object", "response.failed", "own stop", "cut", "timed out", "large frame", "blocked", "malformed"],
)
def test_errors_in_a_response(made, complete, raw, expected):
    assert is_refusal(to_dict(made), complete=complete, stop_reason_raw=raw) is expected


@pytest.mark.parametrize(
    ("name", "message", "expected"),
    [
        ("ConnectError", "All connection attempts failed", True),
        ("ConnectError", "[Errno -2] Name or service not known", True),
        ("ConnectError", "[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed", True),
        ("ConnectTimeout", "", True),
        ("ReadTimeout", "", False),
        ("WriteTimeout", "", False),
        ("ReadError", "", False),
        ("ReadError", "[Errno 104] Connection reset by peer", False),
        ("RemoteProtocolError", "Server disconnected without sending a response.", False),
    ],
)
def test_no_response(name, message, expected):
    made = to_dict(unreachable(name, message, "https://api.example.com/v1"))
    assert is_refusal(made, complete=False, stop_reason_raw=None) is expected


@pytest.mark.parametrize("made", [{}, {"status": "x"}, {"message": None, "hint": None}])
def test_an_error_of_any_shape_is_no_refusal(made):
    assert not is_refusal(made, complete=False, stop_reason_raw=None)
