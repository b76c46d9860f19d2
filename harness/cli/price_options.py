"""`--prices FILE` of the commands that price calls, and what it leads to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from harness.config import Config
    from harness.costs.priced_by import PricedBy

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def price_options(command: Decorated) -> Decorated:
    """Adds the option; the command gets it as `prices`, for `price_for`."""
    return click.option(
        "--prices",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Prices (TOML or JSON) that win over the configured ones and the table; see docs/cost.md.",
    )(command)


def price_for(file: Path | None, config: Config) -> PricedBy:
    """The prices of `file`, then the configured ones, then the table. Raises `ConfigError`."""
    from harness.costs.priced_by import configured

    if file is None:
        return configured(config)
    from harness.costs.price_file import read_price_file

    return configured(config, read_price_file(file))
