"""`--prices`, and what is asked before what."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from agent.events import Usage
from harness.cli.price_options import price_for
from harness.config import Config
from harness.errors import ConfigError

USAGE = Usage(1_000_000, 0)


def test_a_file_then_the_configuration_then_the_table(tmp_path):
    config = Config(Path("pyproject.toml"), prices={"a/m": {"input": 2, "output": 0}, "a/n": {"input": 3, "output": 0}})
    file = tmp_path / "prices.toml"
    file.write_text('"a/m" = { input = 1, output = 0 }')
    priced = price_for(file, config)
    assert [priced(USAGE, "a", model) for model in ("m", "n", "o")] == [1, 3, None]
    assert price_for(None, config)(USAGE, "a", "m") == 2
    assert price_for(None, Config())(USAGE, "openai", "gpt-4.1-mini") > Decimal(0)


def test_a_wrong_file(tmp_path):
    with pytest.raises(ConfigError, match="cannot read it"):
        price_for(tmp_path / "none.toml", Config())
