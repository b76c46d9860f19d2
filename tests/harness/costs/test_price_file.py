"""Files of prices: TOML and JSON, and every fault in one line."""

from __future__ import annotations

import json
from datetime import date, time
from decimal import Decimal

import pytest

from harness.costs.price_file import read_price_file
from harness.errors import ConfigError

WHOLE = """
version = "7"
date = 2026-01-31
exclusive = true
"openai/gpt-4.1" = { input = 2, output = 8.1, cache_read = 0.5 }

["deepseek/deepseek-chat"]
input = 0.27
output = 1.1
tier = [{ between = ["16:30", 00:30:00], since = 2025-02-26, until = "2026-01-01", input = 0.135 }]
"""
ROWS = {
    "openai/gpt-4.1": {"input": Decimal(2), "output": Decimal("8.1"), "cache_read": Decimal("0.5")},
    "deepseek/deepseek-chat": {
        "input": Decimal("0.27"), "output": Decimal("1.1"),
        "tier": [{
            "between": (time(16, 30), time(0, 30)), "since": date(2025, 2, 26), "until": date(2026, 1, 1),
            "input": Decimal("0.135"),
        }],
    },
}  # fmt: skip


def written(tmp_path, text, name="prices.toml"):
    path = tmp_path / name
    path.write_text(text)
    return path


def test_toml(tmp_path):
    path = written(tmp_path, WHOLE)
    found = read_price_file(path)
    assert (found.path, found.version, found.date, found.exclusive) == (str(path), "7", "2026-01-31", True)
    assert found.rows == ROWS


def test_json(tmp_path):
    tier = {"between": ["16:30", "00:30"], "since": "2025-02-26", "until": "2026-01-01", "input": 0.135}
    document = {
        "openai/gpt-4.1": {"input": 2, "output": 8.1, "cache_read": 0.5},
        "deepseek/deepseek-chat": {"input": 0.27, "output": 1.1, "tier": [tier]},
    }
    found = read_price_file(written(tmp_path, json.dumps(document), "prices.json"))
    assert (found.version, found.date, found.exclusive) == (None, None, False)
    assert found.rows == ROWS


ROW = "input = 1\noutput = 1\n"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "it has no row of prices"),
        ("x = ", "it is not valid TOML"),
        ("versions = 1", 'versions: unknown key; a row is named "provider/model"; did you mean version'),
        ("version = 7\n['a/m']\n" + ROW, "version: should be a string"),
        ("['a/ m']\n" + ROW, '"a/ m": write provider/model'),
        ("['a/m']\ninput = 1", '"a/m".output: is missing'),
        ("['a/m']\n" + ROW + "cache_reads = 1", '"a/m".cache_reads: unknown key; did you mean cache_read'),
        ("['a/m']\n" + ROW + "tier = [{ abov = 1 }]", '"a/m".tier[0].abov: unknown key; did you mean above'),
        ("['a/m']\n" + ROW + "tier = [{ input = 1 }]", '"a/m".tier[0]: has no condition'),
        ("['a/m']\n" + ROW + "tier = [{ above = 1 }]", '"a/m".tier[0]: has no price'),
        ("['a/m']\n" + ROW + "tier = [{ above = -1, input = 1 }]", '"a/m".tier[0].above: should be'),
        ("['a/m']\n" + ROW + "tier = [{ since = 'May', input = 1 }]", '"a/m".tier[0].since: should be a day'),
        ("['a/m']\n" + ROW + "tier = [{ between = ['8'], input = 1 }]", '"a/m".tier[0].between: should be two times'),
        ("['a/m']\n" + ROW + "tier = [{ between = ['8', 'x'], input = 1 }]", "should be a time of day in UTC"),
        ("['a/m']\n" + ROW + "tier = [{ between = ['08:30', '08:30'], input = 1 }]", '"a/m".tier[0]: never holds'),
        ("['a/m']\n" + ROW + "tier = [{ since = 2026-01-01, until = 2026-01-01, input = 1 }]", "never holds: until"),
        ("['a/m']\n" + ROW + "tier = [{ since = 2026-01-01T00:00:00Z, input = 1 }]", "since: should be a day"),
        ("['a/m']\ninput = 'x'\noutput = 1", '"a/m".input: should be a number'),
        ("'a/m' = 7", '"a/m": should be'),
        ("['a/m*']\n" + ROW, '"a/m*": write provider/model, or provider/* for all its models'),
        ("['*/m']\n" + ROW, '"*/m": write provider/model'),
    ],
)
def test_faults_are_one_line(tmp_path, text, fault):
    path = written(tmp_path, text)
    with pytest.raises(ConfigError) as caught:
        read_price_file(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert fault in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b"[1]", "should be a JSON object"),
        (b"{", "not valid JSON"),
        (b"\xff", "not UTF-8"),
        (b"[" * 100_000, "JSON"),
        (b'{"a/b":{"input":1,"output":1},"a/b":{"input":2,"output":1}}', 'the key "a/b" stands there twice'),
        (b'{"a/b":{"input":1,"input":2,"output":1}}', 'the key "input" stands there twice'),
    ],
    ids=["list", "torn", "bytes", "deep", "a row twice", "a price twice"],
)
def test_faults_of_json(tmp_path, data, fault):
    path = tmp_path / "prices.json"
    path.write_bytes(data)
    with pytest.raises(ConfigError, match=fault):
        read_price_file(path)


@pytest.mark.parametrize("name", ["missing.toml", "."])
def test_what_cannot_be_read(tmp_path, name):
    with pytest.raises(ConfigError, match="cannot read it"):
        read_price_file(tmp_path / name)
