from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace

import pytest

from harness.errors import HarnessError
from harness.redaction import kingfisher
from harness.redaction.kingfisher import ForeignHit, Kingfisher, available
from tests.harness.redaction.test_redactor import KEYS


def finding(secret: str, rule: str = "betterleaks/github-pat", visible: bool = True, start: int = 4):
    return SimpleNamespace(secret=secret, rule_id=rule, visible=visible, location={"start_offset": start})


def test_what_the_package_finds(monkeypatch):
    found = [finding("tok"), finding("hidden", visible=False), finding("[redacted:key:1]")]
    module = ModuleType("kingfisher_sdk")
    module.Scanner = lambda: SimpleNamespace(scan=lambda data: found)
    monkeypatch.setitem(sys.modules, "kingfisher_sdk", module)
    monkeypatch.setattr(kingfisher, "available", lambda: True)
    assert Kingfisher().find(b"x") == [ForeignHit(4, "kingfisher.betterleaks.github-pat", "tok")]


def test_one_line_where_it_is_missing(monkeypatch):
    monkeypatch.setattr(kingfisher, "MODULE", "no_such_module")
    assert not available()
    with pytest.raises(HarnessError, match=r"trajectory-harness\[secrets\]"):
        Kingfisher()


def test_the_real_scanner(monkeypatch, tmp_path):
    pytest.importorskip("kingfisher_sdk", reason="the extra `secrets` is not installed")
    monkeypatch.setenv("KF_RULE_CACHE_DIR", str(tmp_path))
    text = f"first\ntoken = {KEYS['gitlab']}\n".encode()
    (hit,) = [hit for hit in Kingfisher().find(text) if "gitlab" in hit.rule]
    assert hit.secret == KEYS["gitlab"]
    assert text[hit.start :].startswith(KEYS["gitlab"].encode())
