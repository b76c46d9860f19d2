from __future__ import annotations

import pytest

from harness.clients.mode_transport import ModeTransport
from harness.clients.modes import MODES
from harness.clients.sessions import Session
from harness.errors import ReplayMismatch
from harness.redaction.redactor import Redactor
from harness.replaying.matching import MatchRules
from tests.harness.transports import Reply, Scripted, call, family

FAMILIES = ("httpx", "httpx2")
STAINLESS = [("x-stainless-lang", "python"), ("user-agent", "OpenAI/Python 3")]
OK = Reply([b"data: 1\n\n"])
LIMITED = Reply([b"{}"], 429, "application/json", headers=(("retry-after", "20"),))


def session(path, mode, **options):
    return Session(path, mode, rules=MatchRules(), redactor=Redactor(), **options)


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
@pytest.mark.anyio
class TestBothWays:
    async def made(self, path, lib, is_async, *replies):
        with session(path, "record") as made:
            for _ in replies:
                await call(lib, made.transport(Scripted([*replies])), is_async=is_async)

    async def test_each_mode_asks_the_network_or_does_not(self, tmp_path, name, is_async):
        lib = family(name)
        asked = {}
        for mode in MODES:
            path = tmp_path / f"{mode}.jsonl"
            await self.made(path, lib, is_async, OK)
            network = Scripted([OK, OK])
            with session(path, mode) as found:
                transport = found.transport(network)
                seen = await call(lib, transport, is_async=is_async)
                assert seen.chunks == OK.chunks
                if mode in ("record-missing", "record", "passthrough"):
                    seen = await call(lib, transport, is_async=is_async, content=b"other")
                    assert seen.chunks == OK.chunks
            asked[mode] = len(network.requests)
        assert asked == {"replay": 0, "record": 2, "record-missing": 1, "verify": 1, "passthrough": 2}

    @pytest.mark.parametrize("mode", ["replay", "verify"])
    async def test_a_miss_is_raised_or_answered(self, tmp_path, name, is_async, mode):
        lib = family(name)
        await self.made(tmp_path / "a.jsonl", lib, is_async, OK)
        found = session(tmp_path / "a.jsonl", mode)
        found.open()
        transport = found.transport(Scripted())
        with pytest.raises(ReplayMismatch):
            await call(lib, transport, is_async=is_async, content=b"other")
        seen = await call(lib, transport, is_async=is_async, content=b"other", headers=STAINLESS)
        assert seen.status == 400
        assert b"no recorded call answers POST /v1/chat/completions" in b"".join(seen.chunks)
        assert len(found.misses) == 2

    async def test_a_replayed_failure_is_tried_again_without_waiting(self, tmp_path, name, is_async):
        lib = family(name)
        await self.made(tmp_path / "a.jsonl", lib, is_async, LIMITED)
        for headers, speed, expected in ((STAINLESS, None, "1"), ((), None, None), (STAINLESS, 1000.0, None)):
            with session(tmp_path / "a.jsonl", "replay", speed=speed) as found:
                seen = dict((await call(lib, found.transport(), is_async=is_async, headers=headers)).headers)
            assert seen["retry-after"] == "20"
            assert seen.get("retry-after-ms") == expected


def test_it_closes_what_is_inside(tmp_path):
    class Inner(Scripted):
        closed_by = 0

        def close(self):
            self.closed_by += 1

    inner = Inner()
    with session(tmp_path / "a.jsonl", "record") as made:
        made.client(transport=inner)
    assert inner.closed_by
    ModeTransport(made).close()
