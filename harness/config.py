"""`[tool.harness]` of the user's pyproject.toml: what `docs/configuration.md` describes, ready for use.

The nearest pyproject.toml at or above a folder that has the table counts; without one all is as by default. Options of
a command win over it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agent.providers.table import PROVIDERS, Provider
from harness.errors import ConfigError, HarnessError
from harness.redaction.user_rules import Rule
from harness.toml_input import read_toml

if TYPE_CHECKING:
    from harness.redaction.redactor import Redactor
    from harness.replaying.matching import MatchRules

FILE = "pyproject.toml"
TABLE = "tool.harness"


@dataclass(slots=True, frozen=True)
class Config:
    """What was configured, with the defaults of all that was not.

    `path`: the file it comes from, None for the defaults. `providers`: the built-in rows and the user's own, by name.
    `prices`: rows for `harness.costs.rows`, by `provider/model` or `provider/*`.
    """

    path: Path | None = None
    model: str | None = None
    recordings: Path = Path("recordings")
    reports: Path = Path("reports")
    redact: tuple[Rule, ...] = ()
    ignore: tuple[str, ...] = ()
    normalizers: tuple[str, ...] = ()
    providers: Mapping[str, Provider] = field(default_factory=lambda: PROVIDERS)
    prices: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def match_rules(self, *, host: bool = False) -> MatchRules:
        """What requests are matched by."""
        from harness.replaying.matching import MatchRules

        return MatchRules(host, self.ignore, self.normalizers)

    def key_values(self, environ: Mapping[str, str] | None = None) -> dict[str, str]:
        """The values of all key variables that are set (None: of this process), by name of the variable."""
        values = os.environ if environ is None else environ
        return {name: values[name] for name in self.key_variables() if values.get(name)}

    def key_variables(self) -> list[str]:
        """The variables in which the providers' keys are looked for, each once."""
        return list(dict.fromkeys(name for row in self.providers.values() for name in row.key_variables))

    def redactor(self) -> Redactor:
        """A redactor of the keys in use and of the user's rules."""
        from harness.redaction.redactor import Redactor

        return Redactor(self.key_values(), self.redact)


def load(start: Path) -> Config:
    """The configuration that holds in the folder `start`. Raises `ConfigError`."""
    for folder in (start.absolute(), *start.absolute().parents):
        path = folder / FILE
        table = _table(path) if path.is_file() else None
        if table is not None:
            return _config(path, table)
    return Config()


def current() -> Config:
    """The configuration that holds in the current folder; it is read once. Raises `HarnessError`."""
    return _cached(current_folder())


def current_folder() -> Path:
    """Raises `HarnessError` where it was deleted meanwhile."""
    try:
        return Path.cwd()
    except OSError as error:
        reason = error.strerror or error
        raise HarnessError(f"the current folder cannot be found ({reason}): change to one that is there") from None


_cached = cache(load)


def _table(path: Path) -> dict[str, Any] | None:
    """The table of one file, None where it has none."""
    try:
        document = read_toml(path)
    except ValueError as error:
        raise ConfigError(path, None, str(error)) from None
    tool = document.get("tool")
    table = tool.get("harness") if isinstance(tool, dict) else None
    if table is not None and not isinstance(table, dict):
        raise ConfigError(path, TABLE, "should be a table: write [tool.harness]")
    return table


def _config(path: Path, table: dict[str, Any]) -> Config:
    from harness.config_models import check

    found = check(path, table)
    return Config(
        path,
        model=found.model,
        recordings=_folder(path, "recordings", found.recordings, Config().recordings),
        reports=_folder(path, "reports", found.reports, Config().reports),
        redact=tuple(Rule(rule.name, rule.pattern) for rule in found.redact),
        ignore=tuple(found.ignore),
        normalizers=tuple(found.normalizers),
        providers={**PROVIDERS, **{name: row.provider(name) for name, row in found.providers.items()}},
        prices={name: row.model_dump(exclude_none=True, exclude_defaults=True) for name, row in found.prices.items()},
    )


def _folder(path: Path, key: str, given: str | None, default: Path) -> Path:
    """A folder of the file is relative to the file; the default one to the current folder."""
    if given is None:
        return default
    try:
        return path.parent / Path(given).expanduser()
    except RuntimeError:
        raise ConfigError(
            path, f"{TABLE}.{key}", f"there is no home folder for {given!r}: write the whole path"
        ) from None
