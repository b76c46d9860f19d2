from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from agent.providers.table import Provider
from harness.config_models import check
from harness.errors import ConfigError

FILE = Path("pyproject.toml")


def test_rows_become_what_the_agent_uses():
    row = check(FILE, {"providers": {"my-lab": {"base_url": "http://h/v9/chat/completions/"}}}).providers["my-lab"]
    assert row.provider("my-lab") == Provider("my-lab", "http://h/v9", ("MY_LAB_API_KEY",))


def test_whole_numbers_are_prices_too():
    row = check(FILE, {"prices": {"a/b": {"input": 1, "output": Decimal("2.5")}}}).prices["a/b"]
    assert (row.input, row.output, row.cache_read) == (Decimal(1), Decimal("2.5"), None)


def test_names_that_need_quotes_are_quoted():
    with pytest.raises(ConfigError) as caught:
        check(FILE, {"prices": {"a/b.c": {"input": 1}}})
    assert caught.value.key == 'tool.harness.prices."a/b.c".output'
