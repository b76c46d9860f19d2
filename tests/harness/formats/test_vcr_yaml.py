from __future__ import annotations

import pytest
import yaml

from harness.formats.vcr_yaml import load


def test_plain_values_only():
    assert load(b"a: !!python/str x\nb: !!python/tuple [1, 2]\nc: !!binary YQ==\nd: &x [1]\ne: *x") == {
        "a": "x", "b": [1, 2], "c": b"a", "d": [1], "e": [1],
    }  # fmt: skip


@pytest.mark.parametrize(
    "tag", ["object/apply:os.system", "object:os.PathLike", "name:os.system", "module:os", "object/new:io.X"]
)
def test_a_tag_that_could_run_code_is_refused(tag):
    with pytest.raises(yaml.YAMLError, match="could not determine a constructor"):
        load(f"a: !!python/{tag} ['x']".encode())


def test_the_loaders_of_pyyaml_are_as_they_were():
    with pytest.raises(yaml.YAMLError):
        yaml.safe_load("!!python/str x")
