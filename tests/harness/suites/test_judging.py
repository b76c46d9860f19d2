from __future__ import annotations

import pickle
from decimal import Decimal

import pytest

from harness.costs.priced_by import PricedBy
from harness.suites.judging import judge
from tests.harness.damaged import DAMAGES
from tests.harness.sessions import Turn, chat, record
from tests.harness.suites.suite_files import RECORDINGS, suite

PRICE = PricedBy(table=lambda usage, provider, model, at: Decimal("0.25"))
UNPRICED = PricedBy(table=lambda usage, provider, model, at: None)


def case_of(folder, *checks: str):
    text = '[[case]]\nname = "x"\nrecording = "*"\n' + "".join(f"[[case.check]]\n{check}\n" for check in checks)
    return suite(folder, text).cases[0]


def test_verdicts_and_what_the_run_tells(tmp_path):
    case = case_of(tmp_path, 'type = "no_error"', 'type = "text"\ncontains = ["nowhere"]', 'type = "file"\npath = "a"')
    found = judge(case, RECORDINGS / "openai-chat-parallel-calls.jsonl", price=PRICE)
    assert [(one.check, one.status) for one in found.verdicts] == [
        ("no_error", "pass"), ("text", "fail"), ("file", "error"),
    ]  # fmt: skip
    assert (found.status, found.score) == ("error", None)
    assert found.reason is not None
    assert found.reason.startswith("file: there is no workspace")
    run = found.run
    assert run.models == ("openai/gpt-4.1-mini-2025-04-14",)
    assert (run.calls, run.turns, run.retries, run.cost_usd, run.unpriced) == (2, 1, 0, Decimal("0.50"), 0)
    assert run.called == {"list_dir": 1, "read_file": 1}
    assert {"list_dir", "read_file", "search"} <= {*run.offered}
    assert run.seconds is not None
    assert pickle.loads(pickle.dumps(found)) == found


def test_costs_are_told_where_they_are_asked_for(tmp_path):
    case = case_of(tmp_path, 'type = "no_error"')
    path = RECORDINGS / "openai-chat-text.jsonl"
    assert (judge(case, path, price=UNPRICED).run.cost_usd, judge(case, path, price=UNPRICED).run.unpriced) == (None, 1)
    run = judge(case, path, price=PRICE, costs=False).run
    assert (run.cost_usd, run.unpriced) == (None, None)


@pytest.mark.parametrize("content", [None, b"", b"{}\n", b"\x00\xff"])
def test_what_cannot_be_read_is_an_error(tmp_path, content):
    path = tmp_path / "r.jsonl"
    if content is not None:
        path.write_bytes(content)
    found = judge(case_of(tmp_path, 'type = "no_error"'), path, price=PRICE)
    assert [(one.check, one.status) for one in found.verdicts] == [("read", "error")]
    assert str(path) in (found.reason or "")


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_recording_is_an_error_as_in_a_replay(tmp_path, name):
    damage, said = DAMAGES[name]
    path = tmp_path / ("r.jsonl.gz" if "gzip" in name else "r.jsonl")
    path.write_bytes(damage((RECORDINGS / "openai-chat-text.jsonl").read_bytes()))
    found = judge(case_of(tmp_path, 'type = "no_error"'), path, price=PRICE)
    assert (found.verdicts[0].check, found.verdicts[0].status) == ("read", "error")
    assert said in (found.reason or "")


def test_the_workspace_lies_beside_the_recording(tmp_path):
    path = record(tmp_path / "r.jsonl", Turn([chat("hi")]))
    case = case_of(tmp_path, 'type = "file"\npath = "a.txt"')
    for folder in ("r.workspace", "other"):
        (tmp_path / folder).mkdir()
    (tmp_path / "other" / "a.txt").write_text("")
    assert judge(case, path, price=PRICE).status == "fail"
    assert judge(case, path, price=PRICE, workspace=tmp_path / "other").status == "pass"


def test_a_damaged_recording_passes_nothing(tmp_path):
    whole = (RECORDINGS / "gemini-text.jsonl").read_bytes().splitlines(keepends=True)
    case = case_of(tmp_path, 'type = "no_error"')
    at = next(index for index, line in enumerate(whole) if line.startswith(b'{"kind":"event"'))
    (tmp_path / "r.jsonl").write_bytes(b"".join([*whole[:at], b"{broken\n", *whole[at + 1 :]]))
    found = judge(case, tmp_path / "r.jsonl", price=PRICE)
    assert [(one.check, one.status) for one in found.verdicts] == [("read", "error"), ("no_error", "pass")]
    assert f"line {at + 1}" in (found.reason or "")
    (tmp_path / "r.jsonl").write_bytes(b"".join(whole[:-1]))
    found = judge(case, tmp_path / "r.jsonl", price=PRICE)
    assert found.status == "pass"
    assert len(found.run.warnings) == 1
