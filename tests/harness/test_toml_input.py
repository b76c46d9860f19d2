from __future__ import annotations

from decimal import Decimal

import pytest

from harness.toml_input import read_toml


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"x = 0.1\r\n", {"x": Decimal("0.1")}),
        (b"\xef\xbb\xbf[a]\nb = 1\n", {"a": {"b": 1}}),
        (b"", {}),
    ],
)
def test_what_a_file_says(tmp_path, data, found):
    (tmp_path / "a.toml").write_bytes(data)
    assert read_toml(tmp_path / "a.toml") == found


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"x = \xff", "it is not UTF-8, as TOML has to be"),
        (b"x = ", "it is not valid TOML: "),
        (b"x = " + b"[" * 5000, "its values are nested too deeply"),
        (b"x = " + b"9" * 5000, "a number in it is too long to be read"),
        (b"x = 1e99999999999999999999", "a number in it is too long to be read"),
    ],
)
def test_what_is_wrong_with_a_file(tmp_path, data, problem):
    (tmp_path / "a.toml").write_bytes(data)
    with pytest.raises(ValueError, match=f"^{problem}"):
        read_toml(tmp_path / "a.toml")


def test_what_is_no_file(tmp_path):
    with pytest.raises(ValueError, match=r"^cannot read it: No such file or directory$"):
        read_toml(tmp_path / "nothing.toml")
    (tmp_path / "loop.toml").symlink_to("loop.toml")
    with pytest.raises(ValueError, match=r"^cannot read it: Too many levels of symbolic links$"):
        read_toml(tmp_path / "loop.toml")
