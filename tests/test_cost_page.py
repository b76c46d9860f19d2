"""docs/cost.md says what the code does: its commands and its Python run, its prices are read, every field is there."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest

from harness.config_models import PriceRow, PriceTier
from harness.costs.price_file import read_price_file
from tests.harness.cli.cli import call

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs/cost.md").read_text("utf-8")
COMMANDS = [line for block in re.findall(r"```sh\n(.*?)```", PAGE, re.S) for line in block.splitlines()]


@pytest.fixture
def here(tmp_path, monkeypatch):
    for folder in ("recordings", "reports"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("line", COMMANDS)
def test_each_command_runs(line, here):
    result = call(*shlex.split(line)[1:])
    assert (result.exit_code, result.stderr) == (0, "")


def test_the_python_runs(here):
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.S)
    names = {}
    exec(code, names)
    assert (names["usd"] > 0, names["unpriced"]) == (True, 0)


def test_the_file_of_prices_is_read(tmp_path):
    path = tmp_path / "prices.toml"
    (text,) = re.findall(r"```toml\n(.*?)```", PAGE, re.S)
    path.write_text(text)
    found = read_price_file(path)
    assert (found.version, found.date, found.exclusive) == ("2026-12", "2026-12-01", True)
    assert len(found.rows) == 4


@pytest.mark.parametrize("key", sorted({*PriceRow.model_fields, *PriceTier.model_fields}))
def test_every_key_of_a_row_is_described(key):
    assert re.search(rf"^\|[^|]*`{key}`", PAGE, re.M)


def test_every_field_of_the_json_is_described(here):
    data = json.loads(call("cost", "recordings", "--reprice", "openai/gpt-4.1", "--format", "json").stdout)

    def names(value):
        if isinstance(value, list):
            return {name for one in value for name in names(one)}
        if not isinstance(value, dict):
            return set()
        return {*value} | {
            name for key, one in value.items() if key not in ("models", "no_price") for name in names(one)
        }

    assert not {name for name in names(data) if f"`{name}`" not in PAGE}
    described = re.findall(r"^\| `(\w+)` \|", PAGE[PAGE.index("## The JSON") :], re.M)
    assert not {*described} - names(data)


def test_every_column_is_described(here):
    header = next(line for line in call("cost", "recordings").stdout.splitlines() if line.startswith("model "))
    described = PAGE[PAGE.index("## The columns") : PAGE.index("## What has no price")]
    for column in re.split(r" {2,}", header.strip()):
        assert re.search(rf"^\|[^|]*\b{column}\b", described, re.M), column
