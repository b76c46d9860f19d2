"""Recording and replaying for Python code with its own client: `harness.record` and `harness.replay`.

    with harness.replay("answer.jsonl") as session:
        client = openai.OpenAI(api_key="none", http_client=session.client("httpx2"))
        ...

Both are context managers, sync and async. Their clients are ordinary ones of `httpx` or `httpx2`, with a transport that
records or replays. `everywhere=True` covers the clients that the code inside the block builds for itself.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, TypeAlias

from harness.clients.everywhere import covered
from harness.clients.mode_transport import ModeTransport
from harness.clients.modes import RECORD, REPLAY, record_mode
from harness.clients.networks import OPTIONS, NetworkTransport
from harness.clients.session_file import SessionFile
from harness.config import current
from harness.redaction.redactor import Redactor
from harness.replaying.matching import MatchRules
from harness.wire import FAMILIES

Family: TypeAlias = Literal["httpx", "httpx2"]

_READ_TIMEOUT = 600.0
_CONNECT_TIMEOUT = 10.0
"""Seconds: models think long. They are those of the official SDKs."""


class Session(SessionFile):
    """One block under `harness.record` or `harness.replay`. `mode` says what is done with requests.

    `misses`: the requests that no recorded call answered; leaving the block raises the first of them.
    """

    def __init__(self, path: str | os.PathLike[str], mode: str, *, everywhere: bool = False, **options: Any) -> None:
        super().__init__(Path(path), mode, **options)
        self._everywhere = everywhere
        self._stack = ExitStack()
        self._async_clients: list[Any] = []

    def client(self, family: Family = "httpx", **arguments: Any) -> Any:
        """A new `Client` of a family; `arguments` are its own. `transport` is what it is to use for the network.

        It is closed with the session.
        """
        module = _module(family)
        client = module.Client(**self._arguments(module, arguments))
        self._stack.callback(client.close)
        return client

    def async_client(self, family: Family = "httpx", **arguments: Any) -> Any:
        """A new `AsyncClient` of a family. An async session closes it; otherwise close it as any other."""
        module = _module(family)
        client = module.AsyncClient(**self._arguments(module, arguments))
        self._async_clients.append(client)
        return client

    def transport(self, inner: Any = None, *, family: Family = "httpx") -> ModeTransport:
        """The transport for a client that is built by hand, sync or async. `inner` reaches the network."""
        return self._transport(_module(family), inner, {})

    def __enter__(self) -> Session:
        self.open()
        if self._everywhere:
            self._stack.enter_context(covered(lambda inner: ModeTransport(self, inner), self.unseen))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._stack.close()
        self.finish(error)

    async def __aenter__(self) -> Session:
        return self.__enter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for client in self._async_clients:
            await client.aclose()
        self.__exit__(kind, error, traceback)

    def _arguments(self, module: Any, given: dict[str, Any]) -> dict[str, Any]:
        options = {name: given.pop(name) for name in OPTIONS & given.keys()}
        arguments: dict[str, Any] = {
            "timeout": module.Timeout(_READ_TIMEOUT, connect=_CONNECT_TIMEOUT),
            "follow_redirects": True,
        }
        arguments |= given | {"transport": self._transport(module, given.get("transport"), options)}
        if "trust_env" in options:
            arguments["trust_env"] = options["trust_env"]
        return arguments

    def _transport(self, module: Any, inner: Any, options: dict[str, Any]) -> ModeTransport:
        if self.mode == REPLAY:
            return ModeTransport(self)
        return ModeTransport(self, NetworkTransport(module, options) if inner is None else inner)


def record(
    path: str | os.PathLike[str],
    *,
    everywhere: bool = False,
    task: str | None = None,
    tags: Sequence[str] = (),
    normalizers: Sequence[str] = (),
    redactor: Redactor | None = None,
    fsync: bool = False,
) -> Session:
    """Record all calls of a block to `path`, which is replaced when the block went well.

    When it raised, the recording of the failed run stands beside, at `path` + `.part`, and `path` is as it was. Keys
    never reach the file. `normalizers`: names of those that a replay is to apply. `redactor`: what is replaced besides
    known keys; by default `[tool.harness]` says so. Raises `RecordingError` where the file cannot be made.
    """
    return Session(
        path, RECORD, everywhere=everywhere, task=task, tags=tags, rules=MatchRules(normalizers=tuple(normalizers)),
        redactor=redactor or current().redactor(), fsync=fsync,
    )  # fmt: skip


def replay(
    path: str | os.PathLike[str],
    *,
    mode: str | None = None,
    everywhere: bool = False,
    rules: MatchRules | None = None,
    strict: bool = False,
    speed: float | None = None,
    redactor: Redactor | None = None,
) -> Session:
    """Answer all calls of a block from the recording at `path`; no network is asked.

    Another `mode` (see `harness.clients.modes`; `HARNESS_RECORD_MODE` sets it from outside) records what is missing, or
    compares live answers with the recorded ones; under `CI` it is always `replay`. `rules`: what requests are matched
    by, by default those of `[tool.harness]`. `strict`: unused calls are an error too. `speed`: 1.0 answers at the
    recorded pace.

    Leaving the block raises `ReplayMismatch` where a request had no recorded call, `LiveMismatch` and `UnusedCalls`;
    entering it `RecordingError` where the file cannot be read.
    """
    return Session(
        path, record_mode(mode, os.environ), everywhere=everywhere, rules=rules or current().match_rules(),
        redactor=redactor or current().redactor(), strict=strict, speed=speed,
    )  # fmt: skip


def _module(family: str) -> Any:
    if family not in FAMILIES:
        raise ValueError(f"unknown family {family!r}; known are {', '.join(FAMILIES)}")
    return import_module(family)
