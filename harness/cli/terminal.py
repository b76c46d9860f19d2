"""The terminal that is printed to."""

from __future__ import annotations

import shutil
import sys


def terminal_width() -> int | None:
    """The columns of the terminal that is printed to; None where it is none."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None
