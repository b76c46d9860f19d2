from __future__ import annotations

import json

import pytest

from harness.errors import ReplayMismatch
from harness.replaying.misses import answer, text_of
from tests.harness.transports import family

MISS = ReplayMismatch("POST /v1/x", 3, [f"field{i}: recorded 1, sent 2" for i in range(7)], "record it anew")


def request(name="httpx", url="https://h/v1/chat/completions", agent="OpenAI/Python 3.57.0", **headers):
    return family(name).Request("POST", url, headers={"user-agent": agent, **headers})


def body_of(response):
    return json.loads(b"".join(response.iter_raw()))


def test_one_line_has_what_matters_most():
    assert text_of(MISS) == (
        "no recorded call answers POST /v1/x; the nearest is call 3, which differs in field0: recorded 1, sent 2; "
        "field1: recorded 1, sent 2; field2: recorded 1, sent 2; field3: recorded 1, sent 2; "
        "field4: recorded 1, sent 2; 2 more (record it anew)"
    )
    assert text_of(ReplayMismatch("GET /")) == "no recorded call answers GET /"


@pytest.mark.parametrize("name", ["httpx", "httpx2"])
def test_a_library_gets_an_error_of_its_provider(name):
    response = answer(request(name), MISS)
    response.read()
    assert type(response) is family(name).Response
    assert response.status_code == 400
    assert response.headers["x-should-retry"] == "false"
    assert response.json()["error"] == {
        "message": text_of(MISS), "type": "invalid_request_error", "param": None, "code": "replay_mismatch",
    }  # fmt: skip


def test_the_shape_is_that_of_the_provider_asked():
    anthropic = body_of(answer(request(url="https://h/v1/messages"), MISS))
    assert anthropic["type"] == "error"
    assert anthropic["error"]["message"] == text_of(MISS)
    gemini = body_of(answer(request(url="https://h/v1beta/models/g:generateContent"), MISS))
    assert gemini["error"]["status"] == "INVALID_ARGUMENT"


@pytest.mark.parametrize("agent", ["python-httpx/0.28.1", "python-httpx2/2.16.2", ""])
def test_code_that_uses_the_client_itself_gets_the_exception(agent):
    with pytest.raises(ReplayMismatch) as caught:
        answer(request(agent=agent), MISS)
    assert caught.value is MISS
