"""The scripted server as a command of its own, as `recordings/README.md` shows it."""

from __future__ import annotations

import subprocess
import sys
import urllib.error
import urllib.request

import pytest

from tests.command import ROOT
from tests.scripted import FIXTURES, fixture, scripted


def post(url):
    with urllib.request.urlopen(urllib.request.Request(f"{url}/v1/messages", data=b"{}"), timeout=10) as answer:
        return answer.headers["content-type"], answer.read()


def test_it_serves_fixtures_in_order():
    command = [sys.executable, "-m", "tests.scripted", "gemini/text.sse", "fixtures/anthropic/body-text.body"]
    with subprocess.Popen([*command, "--port", "0"], cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            url = process.stdout.readline().split()[-1]
            assert post(url) == ("text/event-stream", (FIXTURES / "gemini" / "text.sse").read_bytes())
            assert post(url) == ("application/json", (FIXTURES / "anthropic" / "body-text.body").read_bytes())
            with pytest.raises(urllib.error.HTTPError, match="400"):
                post(url)
        finally:
            process.kill()


@pytest.mark.parametrize("size", [None, 7, 100_000])
def test_pieces_join_to_the_body(size):
    answer = fixture("anthropic/crlf.sse", size=size)
    assert b"".join(answer.pieces()) == answer.body


def test_status_and_headers_stand_beside_the_fixture():
    with scripted([fixture("http-errors/anthropic-rate-limit.body")]) as server:
        with pytest.raises(urllib.error.HTTPError) as caught:
            post(server.url)
        with caught.value as answer:
            assert (answer.status, answer.headers["retry-after"]) == (429, "1")
