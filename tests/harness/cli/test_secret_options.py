from __future__ import annotations

import pytest

from harness.cli.secret_options import make_finder, make_foreign
from harness.errors import HarnessError
from harness.redaction import kingfisher


def found(text: str, **options) -> list[str]:
    chosen = {"variables": (), "values": (), "patterns": (), **options}
    return [hit.rule for hit in make_finder(**chosen).find(text.encode())]


@pytest.mark.parametrize(
    ("pattern", "text", "rule"),
    [
        ("case=CASE-[0-9]+", "CASE-1", "case"),
        ("CASE-[0-9]+", "CASE-1", "pattern"),
        ("a?=CASE", "a=CASE", "pattern"),
        ("my.rule-1_x=CASE", "CASE", "my.rule-1_x"),
    ],
)
def test_patterns_with_and_without_a_name(pattern, text, rule, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert found(text, patterns=(pattern,)) == [rule]


def test_wrong_configuration_is_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text("[tool.harness]\nx = 1\n")
    with pytest.raises(HarnessError, match="unknown key"):
        found("x")


def test_the_further_scanner_by_default_only_where_it_is_installed(monkeypatch):
    monkeypatch.setattr(kingfisher, "MODULE", "no_such_module")
    assert make_foreign(None) is None
    assert make_foreign(False) is None
