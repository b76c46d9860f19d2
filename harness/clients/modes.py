"""The record modes: what a session does with a request. Rules as data, pure.

| mode | a request that is recorded | one that is not |
|---|---|---|
| `replay` | answered from the recording | an error |
| `record` | sent, the recording is made anew | sent |
| `record-missing` | answered from the recording | sent, and added to the recording |
| `verify` | sent, and compared with the recording | an error |
| `passthrough` | sent | sent |
"""

from __future__ import annotations

from collections.abc import Mapping

REPLAY = "replay"
RECORD = "record"
RECORD_MISSING = "record-missing"
VERIFY = "verify"
PASSTHROUGH = "passthrough"
MODES = (REPLAY, RECORD, RECORD_MISSING, VERIFY, PASSTHROUGH)

OTHER_WORDS = {
    "none": REPLAY,
    "once": RECORD_MISSING,
    "new_episodes": RECORD_MISSING,
    "all": RECORD,
    "rewrite": RECORD,
}
"""What vcrpy and pytest-recording call the modes."""

VARIABLE = "HARNESS_RECORD_MODE"
"""The environment variable that names the mode where the code does not."""

_OFF = ("", "0", "false", "no", "off")


def record_mode(wanted: str | None, environ: Mapping[str, str]) -> str:
    """The mode that holds: `wanted`, else the variable, else replay. Under `CI` it is always replay.

    Raises `ValueError` for a word that is no mode.
    """
    word = wanted or environ.get(VARIABLE) or REPLAY
    mode = OTHER_WORDS.get(word, word)
    if mode not in MODES:
        source = "" if wanted else f" in {VARIABLE}"
        raise ValueError(f"unknown record mode {word!r}{source}; known are {', '.join(MODES)}")
    return REPLAY if in_ci(environ) else mode


def in_ci(environ: Mapping[str, str]) -> bool:
    """Whether this runs in continuous integration: `CI` is set, as all known services do it."""
    return environ.get("CI", "").strip().lower() not in _OFF
