"""What a recording costs, from its file."""

from __future__ import annotations

import pickle
from decimal import Decimal
from pathlib import Path

import httpx
import pytest

from harness.costs.priced_by import PricedBy
from harness.costs.reading import cost_facts, cost_of
from tests.harness.costs.streams import chat, recorded
from tests.harness.sessions import frames
from tests.harness.transports import Reply, Scripted, recorder

RECORDINGS = Path(__file__).resolve().parents[3] / "recordings"
PRICED = PricedBy(rows={"openai/*": {"input": 1, "output": 1}}, table=lambda *about: None)


def test_text_is_left_out_where_all_calls_report_their_tokens(tmp_path):
    path = recorded(tmp_path / "x.jsonl", "openai", chat("m", {"prompt_tokens": 7, "completion_tokens": 3}))
    assert [call.content for call in cost_facts(path).calls] == [[]]


def test_output_without_usage_is_unpriced(tmp_path):
    answer = {"model": "m", "choices": [{"index": 0, "delta": {"content": "Hi"}, "finish_reason": "stop"}]}
    path = recorded(tmp_path / "x.jsonl", "openai", Reply(frames(answer, b"[DONE]")))
    assert cost_facts(path).calls[0].content == [{"type": "text", "text": "Hi"}]
    found = cost_of(path, "model", PRICED, None, [])
    assert found["openai/m"].cost.unpriced == 1
    assert found["openai/m"].without_usage == 1


def test_a_client_of_ones_own_is_priced_by_the_host_that_it_asked(tmp_path):
    """As SDKs are recorded: without the built-in client, which names the provider."""
    path = tmp_path / "x.jsonl"
    reply = chat("gpt-4.1-mini-2025-04-14", {"prompt_tokens": 1_000_000, "completion_tokens": 0})
    with recorder(path) as made, httpx.Client(transport=made.transport(Scripted([reply]))) as client:
        client.post("https://api.openai.com/v1/chat/completions", json={"model": "gpt-4.1-mini", "messages": []})
    found = cost_of(path, "model", PRICED, None, [])
    assert found["openai/gpt-4.1-mini-2025-04-14"].cost.usd == 1


def test_a_failure_without_output_costs_nothing():
    found = cost_of(RECORDINGS / "openai-chat-wrong-key.jsonl", "provider", PRICED, None, [])
    sums = found["openai"]
    assert (sums.calls, sums.failed_calls, sums.cost.usd, sums.cost.unpriced) == (1, 1, 0, 0)


def test_sums_can_be_sent_to_another_process(tmp_path):
    path = recorded(tmp_path / "x.jsonl", "openai", chat("m", {"prompt_tokens": 7, "completion_tokens": 3}))
    found = cost_of(path, "call", PRICED, None, [("openai", "other")])
    assert pickle.loads(pickle.dumps(found)) == found
    assert found[f"{path} call 0"].cost.usd == Decimal("0.00001")


@pytest.mark.parametrize("data", [b"", b"{", b"\x00\xff", b'{"kind":"header","format":"trajectory","version":99}\n'])
def test_what_cannot_be_read_is_one_line(tmp_path, data):
    path = tmp_path / "x.jsonl"
    path.write_bytes(data)
    found = cost_of(path, "model", PRICED, None, [])
    assert isinstance(found, str)
    assert str(path) in found
    assert "\n" not in found
