"""Suite files for tests."""

from __future__ import annotations

import shutil
from pathlib import Path

from harness.suites.case import Suite
from harness.suites.loading import load_suite

ROOT = Path(__file__).resolve().parents[3]
RECORDINGS = ROOT / "recordings"


def write(folder: Path, text: str, name: str = "a.suite.toml") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def suite(folder: Path, text: str, name: str = "a.suite.toml") -> Suite:
    return load_suite(write(folder, text, name))


def with_recordings(folder: Path, *names: str) -> Path:
    """Copies of committed recordings in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        shutil.copy(RECORDINGS / f"{name}.jsonl", folder / f"{name}.jsonl")
    return folder
