from __future__ import annotations

from dataclasses import FrozenInstanceError, replace

import pytest

from harness.recorder.outlet import Outlet
from harness.redaction.redactor import Redactor


def test_a_part_may_get_another_way_out_but_none_is_changed():
    written = []
    outlet = Outlet(written.append, lambda ready: None, lambda error: None, lambda event: None, lambda: 0.0, Redactor())
    replace(outlet, write=lambda records: None).write([{}])
    outlet.write([{"kind": "x"}])
    assert written == [[{"kind": "x"}]]
    with pytest.raises(FrozenInstanceError):
        outlet.clock = lambda: 1.0
