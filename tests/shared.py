"""Where the handed test inputs lie: a `shared` folder beside the repository. They are read there, never committed."""

from __future__ import annotations

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"

needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason=f"no folder of handed cases at {SHARED}")
