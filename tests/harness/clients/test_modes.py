from __future__ import annotations

import pytest

from harness.clients import modes
from harness.clients.modes import MODES, OTHER_WORDS, VARIABLE, in_ci, record_mode


@pytest.mark.parametrize(
    ("wanted", "environ", "mode"),
    [
        (None, {}, "replay"),
        ("record", {}, "record"),
        (None, {VARIABLE: "verify"}, "verify"),
        ("passthrough", {VARIABLE: "verify"}, "passthrough"),
        (None, {VARIABLE: ""}, "replay"),
        ("record", {"CI": "true"}, "replay"),
        (None, {"CI": "1", VARIABLE: "record-missing"}, "replay"),
        ("record", {"CI": ""}, "record"),
        ("record", {"CI": "false"}, "record"),
        ("once", {}, "record-missing"),
        ("none", {}, "replay"),
        ("all", {}, "record"),
    ],
)
def test_the_mode_that_holds(wanted, environ, mode):
    assert record_mode(wanted, environ) == mode


def test_an_unknown_mode_is_named():
    with pytest.raises(ValueError, match=r"unknown record mode 'rec'; known are replay, record, record-missing"):
        record_mode("rec", {"CI": "true"})
    with pytest.raises(ValueError, match=f"'rec' in {VARIABLE};"):
        record_mode(None, {VARIABLE: "rec"})


def test_tables():
    assert set(OTHER_WORDS.values()) <= set(MODES)
    assert all(f"| `{mode}` |" in (modes.__doc__ or "") for mode in MODES)
    assert in_ci({"CI": "True"})
    assert not in_ci({})
