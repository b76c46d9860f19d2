"""scipy and statsmodels, which the formulas are held against where they are installed."""

from __future__ import annotations

from typing import Any

import pytest


def peer(module: str) -> Any:
    return pytest.importorskip(module, reason=f"{module} comes with the extra `peers`: pip install -e '.[peers]'")
