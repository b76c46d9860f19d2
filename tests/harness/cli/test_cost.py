"""`harness cost` on the command line."""

from __future__ import annotations

import csv
import io
import json
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.harness.cli.cli import call, refusal
from tests.harness.costs.streams import chat, recorded

ROOT = Path(__file__).resolve().parents[3]
PRICES = """
exclusive = true
["openai/*"]
input = 1
output = 2
tier = [{ since = 2026-02-01, input = 10, output = 20 }]
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "prices.toml").write_text(PRICES)
    (tmp_path / "r").mkdir()
    usage = {"prompt_tokens": 1_000_000, "completion_tokens": 0}
    for name, model, at, task in (
        ("a", "one", "2026-01-31T23:59:00Z", "add"), ("b", "two", "2026-02-01T00:00:00Z", None),
    ):  # fmt: skip
        recorded(tmp_path / "r" / f"{name}.jsonl", "openai", chat(model, usage), at=at, task=task)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def data(*arguments):
    return json.loads(call("cost", "r", "--prices", "prices.toml", "--format", "json", *arguments).stdout)


def test_each_call_at_the_prices_of_its_time(folder):
    assert {group["group"]: group["cost_usd"] for group in data()["groups"]} == {"openai/one": "1", "openai/two": "10"}


def test_today(folder, monkeypatch):
    class Clock(datetime):
        @classmethod
        def now(cls, tz=None):
            return datetime(2026, 1, 15, 12, tzinfo=UTC)

    monkeypatch.setattr("harness.cli.cost.datetime", Clock)
    found = data("--at", "today")
    assert (found["totals"]["cost_usd"], found["at"]) == ("2", "2026-01-15T12:00:00Z")


@pytest.mark.parametrize(
    ("by", "groups"),
    [
        ("provider", ["openai"]),
        ("task", ["-", "add"]),
        ("recording", ["r/a.jsonl", "r/b.jsonl"]),
        ("day", ["2026-01-31", "2026-02-01"]),
        ("call", ["r/a.jsonl call 0", "r/b.jsonl call 0"]),
    ],
)
def test_by(folder, by, groups):
    assert [group["group"] for group in data("--by", by)["groups"]] == groups


def test_reprice(folder):
    found = data("--reprice", "openai/x", "--reprice", "lab/y/z", "--reprice", "openai/x")["totals"]["what_if"]
    assert found == [
        {"model": "openai/x", "cost_usd": "11", "unpriced": 0, "compared_calls": 2, "difference_usd": "0"},
        {"model": "lab/y/z", "cost_usd": None, "unpriced": 2, "compared_calls": 0, "difference_usd": None},
    ]


def test_csv(folder):
    rows = [*csv.DictReader(io.StringIO(call("cost", "r", "--prices", "prices.toml", "--format", "csv").stdout))]
    assert [(row["model"], row["cost_usd"]) for row in rows] == [("openai/two", "10"), ("openai/one", "1")]


def test_configured_prices(folder):
    (folder / "pyproject.toml").write_text('[tool.harness.prices]\n"openai/*" = { input = 7, output = 0 }\n')
    found = json.loads(call("cost", "r/a.jsonl", "--format", "json").stdout)
    assert found["totals"]["cost_usd"] == "7"
    assert found["prices"][0]["name"] == "pyproject.toml [tool.harness.prices]"


def test_in_several_processes_it_is_the_same(folder):
    for number in range(4):
        shutil.copy(folder / "r" / "a.jsonl", folder / "r" / f"c{number}.jsonl")
    one, two = (call("cost", "r", "--prices", "prices.toml", "--by", "day", "-j", jobs).stdout for jobs in (1, 2))
    assert one == two


def test_what_cannot_be_read_is_told_and_the_rest_reported(folder):
    (folder / "r" / "bad.jsonl").write_text("no\n")
    result = call("cost", "r", "--prices", "prices.toml", "--format", "json")
    found = json.loads(result.stdout)
    assert result.exit_code == 2
    assert found["recordings"] == 2
    assert result.stderr == f"harness: {found['unreadable'][0]}\n"
    assert "r/bad.jsonl" in result.stderr


def test_out(folder):
    result = call("cost", "r", "--prices", "prices.toml", "--out", "x/cost.md")
    assert (result.exit_code, result.output) == (0, "")
    assert (folder / "x" / "cost.md").read_text().startswith("### Cost by model\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere"], "nowhere: there is no such file or folder"),
        (["r", "--reprice", "gpt"], "write provider/model, for example openai/gpt-4.1-mini"),
        (["r", "--prices", "none.toml"], "none.toml: cannot read it"),
        (["r", "--prices", "r/a.jsonl"], "it is not valid TOML"),
    ],
)
def test_refusals(folder, arguments, said):
    assert said in refusal("cost", *arguments)
