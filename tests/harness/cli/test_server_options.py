from __future__ import annotations

import pytest

from harness.cli.server_options import Output, match_rules
from harness.config import Config
from harness.errors import HarnessError

OPTIONS = {"match_host": False, "ignore": (), "normalizers": ()}


def output(path, **options):
    given = {"out": path, "source": "live", "task": "tea", "tags": (), "force": False, "normalizers": ()}
    return Output(Config(), "a program", {**given, **options})


def test_rules_add_up():
    config = Config(ignore=("user",), normalizers=("ids",))
    options = {"match_host": True, "ignore": ("seed",), "normalizers": ("dates", "ids")}
    rules = match_rules(config, options, ["paths"])
    assert (rules.host, rules.ignore, rules.normalizers) == (True, ("user", "seed"), ("ids", "paths", "dates"))


def test_an_unknown_normalizer():
    with pytest.raises(HarnessError, match="unknown normalizer 'odd'"):
        match_rules(Config(), OPTIONS, ["odd"])


def test_a_new_recording(tmp_path):
    made = output(tmp_path / "a.jsonl", normalizers=("ids",))
    assert made.finish("ok", 2) == f"recorded 2 calls in {tmp_path / 'a.jsonl'}"
    assert b'"normalizers":["ids"]' in (tmp_path / "a.jsonl").read_bytes()


def test_one_that_is_there_is_refused_or_replaced_at_the_end(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text("old")
    with pytest.raises(HarnessError, match="exists"):
        output(path)
    assert "nothing is recorded" in output(path, force=True).finish("ok", 0)
    broken = output(path, force=True)
    broken.recorder.errors.append("disk full")
    assert "is as it was" in broken.finish("ok", 1)
    assert path.read_text() == "old"
    assert output(path, force=True).finish("ok", 1) == f"recorded 1 call in {path}"
    assert path.read_text().startswith('{"kind":"header"')
