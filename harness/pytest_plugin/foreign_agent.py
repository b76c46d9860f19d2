"""Whether `agent` is the package that this one needs: many a project has a folder of that name."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

from harness.errors import HarnessError

OWN = Path(__file__).resolve().parents[2] / "agent"


def check_agent() -> None:
    """Raises `HarnessError` with one line that names the folder where `agent` is another package. Imports nothing."""
    loaded = sys.modules.get("agent")
    spec = find_spec("agent") if loaded is None else getattr(loaded, "__spec__", None)
    places = [*(getattr(spec, "submodule_search_locations", None) or ()), getattr(loaded, "__file__", None)]
    origin = getattr(spec, "origin", None)
    found = next((Path(place) for place in (*places, origin) if place), None)
    if found is None or found.resolve() == OWN:
        return
    raise HarnessError(
        f"{found} is imported as `agent`, the name of a package that trajectory-harness needs ({OWN}): rename it, or "
        "keep its parent folder off sys.path (pytest --import-mode=importlib, and not `python -m pytest`)"
    )
