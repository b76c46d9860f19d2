"""llama.cpp with the tiny model of the handed `live` folder, as a real server for tests and recordings."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from tests.shared import SHARED

LIVE = SHARED / "live"
PACKAGES = ("gguf", "numpy", "xllamacpp")
SENTENCE = "Hello from a tiny local model for Zoë😀"
"""What the model says where no tool is offered, or once a tool result is there."""


def missing() -> str | None:
    """Why the server cannot be started here, None where it can."""
    if not (LIVE / "serve.py").is_file():
        return f"no model server at {LIVE}"
    absent = [name for name in PACKAGES if find_spec(name) is None]
    return f"not installed: {', '.join(absent)} (pip install -e '.[live]')" if absent else None


@contextlib.contextmanager
def llamacpp(folder: Path, *, think: bool = True, port: int = 0) -> Iterator[str]:
    """The URL of a running server, by default on a free port; its model `tiny.gguf` and its log are in `folder`."""
    command = [sys.executable, str(LIVE / "make_model.py"), "tiny.gguf", *(["--think"] if think else [])]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=120)
    port = port or _free_port()
    url = f"http://127.0.0.1:{port}"
    with (folder / "serve.log").open("wb") as log:
        command = [sys.executable, str(LIVE / "serve.py"), "tiny.gguf", str(port)]
        server = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
    try:
        _wait(url, server, folder / "serve.log")
        yield url
    finally:
        server.terminate()
        try:
            server.wait(10)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait(10)


def _free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


def _wait(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        assert server.poll() is None, f"the server stopped: {log.read_text('utf-8', 'replace')[-500:]}"
        try:
            with urllib.request.urlopen(f"{url}/health", timeout=2) as answer:
                if answer.status == 200:
                    return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    raise AssertionError(f"the server at {url} was not ready in time")
