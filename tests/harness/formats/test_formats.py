from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest

from harness import formats
from harness.formats import IMPORTS, import_format, import_names


def test_each_format_has_what_a_format_needs():
    for name in IMPORTS:
        module = import_format(name)
        assert module.SUFFIXES
        assert all(callable(getattr(module, what)) for what in ("read", "target", "is_one"))


def test_packages_add_formats(monkeypatch):
    points = [EntryPoint("mine", "harness.formats.vcr", formats.GROUP)]
    monkeypatch.setattr(formats, "entry_points", lambda group, name=None: [p for p in points if name in (None, p.name)])
    assert import_names() == ["mine", "vcr"]
    assert import_format("mine") is import_format("vcr")
    with pytest.raises(ValueError, match="unknown format 'x'; known are mine, vcr"):
        import_format("x")
