"""`harness proxy`: several programs, one recording."""

from __future__ import annotations

import signal
import socket
import urllib.error
import urllib.request

import pytest

import harness
from tests.command import harness as run
from tests.command import started
from tests.loopback import serve
from tests.threads import in_thread

pytest.importorskip("starlette", reason="the extra `serve` is not installed")
pytest.importorskip("uvicorn", reason="the extra `serve` is not installed")


async def hello(exchange):
    await exchange.whole(b"hello", content_type="text/plain")


def variables(process):
    found = {}
    while "HARNESS_PROXY_URL" not in found:
        name, _, value = process.stdout.readline().decode().removeprefix("export ").strip().partition("=")
        found[name] = value
    return found


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_it_records_until_it_is_stopped(tmp_path, name):
    with in_thread(serve(hello)) as upstream:
        command = ["proxy", "-o", "r.jsonl", "--upstream", upstream.url, "--tag", "t"]
        with started(*command, cwd=tmp_path) as process:
            found = variables(process)
            for variable in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"):
                with urllib.request.urlopen(f"{found[variable]}/x") as answer:
                    assert answer.read() == b"hello"
            process.send_signal(getattr(signal, name))
            _, err = process.communicate(timeout=20)
    assert process.returncode == 0
    assert "recorded 2 calls in r.jsonl" in err.decode()
    recording = harness.open(tmp_path / "r.jsonl", strict=True)
    assert [call.url for call in recording.calls] == [f"{upstream.url}/v1/x", f"{upstream.url}/x"]
    assert (recording.header["tags"], recording.end["status"]) == (["t"], "ok")


def test_a_path_without_provider_is_told_and_fails(tmp_path):
    with started("proxy", "-o", "r.jsonl", cwd=tmp_path) as process:
        url = variables(process)["HARNESS_PROXY_URL"]
        with pytest.raises(urllib.error.HTTPError) as raised:
            urllib.request.urlopen(f"{url}/v1/chat/completions", b"{}")
        raised.value.close()
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=20)
    assert (raised.value.code, process.returncode) == (400, 1)
    assert "names no provider" in err.decode()


def test_a_port_that_is_taken(tmp_path):
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        sock.listen()
        done = run("proxy", "--port", str(sock.getsockname()[1]), cwd=tmp_path)
    assert done.returncode == 2
    assert "cannot listen" in done.stderr
    assert not list(tmp_path.rglob("*.jsonl"))
