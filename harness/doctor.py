"""What is installed and configured here: the work of `harness doctor`.

It is meant for bug reports, so it names variables and never their values, and a home folder is written `~`.
"""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

from agent.providers.table import PROVIDERS, Provider
from harness.config import Config, load
from harness.errors import ConfigError

DISTRIBUTION = "trajectory-harness"
NETWORK = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR")
CLIENTS = ("httpx2", "openai", "anthropic", "google-genai", "pytest")
"""Packages that are worked with where they are installed."""
OTHERS = ("CI", "HARNESS_MODEL", "NO_COLOR")
"""Variables that change what commands do, besides those of keys."""

_NAME = re.compile(r"[A-Za-z0-9._-]+")
_EXTRA = re.compile(r"""extra\s*==\s*["']([^"']+)["']""")


@dataclass(slots=True)
class Extra:
    """An optional part. `missing`: the packages that it lacks here."""

    name: str
    missing: list[str]


@dataclass(slots=True)
class Access:
    """A provider. `key`: the variable that holds its key, None where none is set; `needs_key` whether it must have one.

    `own`: the row is of the user's configuration. `problem`: why the key cannot be used.
    """

    name: str
    wire: str
    key: str | None
    needs_key: bool
    own: bool
    problem: str | None = None

    @property
    def ready(self) -> bool:
        return self.problem is None and (self.key is not None or not self.needs_key)


@dataclass(slots=True)
class Folder:
    """A folder that commands write to. It is made when it is needed, so `writable` counts also for one to be made."""

    use: str
    path: str
    exists: bool
    writable: bool


@dataclass(slots=True)
class Report:
    """What was found. `problems` are sentences; none where all is well."""

    versions: dict[str, str] = field(default_factory=dict)
    extras: list[Extra] = field(default_factory=list)
    providers: list[Access] = field(default_factory=list)
    config: str | None = None
    model: str | None = None
    folders: list[Folder] = field(default_factory=list)
    variables: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        providers = [
            {
                "name": one.name, "wire": one.wire, "key": one.key, "needs_key": one.needs_key, "own": one.own,
                "ready": one.ready,
            }
            for one in self.providers
        ]  # fmt: skip
        return {
            "versions": self.versions,
            "extras": {extra.name: {"present": not extra.missing, "missing": extra.missing} for extra in self.extras},
            "providers": providers,
            "config": self.config,
            "model": self.model,
            "folders": [
                {"use": one.use, "path": one.path, "exists": one.exists, "writable": one.writable}
                for one in self.folders
            ],
            "variables": self.variables,
            "problems": self.problems,
        }


def examine(start: Path, environ: Mapping[str, str]) -> Report:
    """What holds for commands that are run in the folder `start`."""
    report = Report()
    _packages(report)
    try:
        config = load(start)
    except ConfigError as error:
        config = Config(error.path if isinstance(error.path, Path) else Path(error.path))
        report.problems.append(_homely(str(error)))
    report.config = None if config.path is None else _homely(str(config.path))
    report.model = environ.get("HARNESS_MODEL") or config.model
    report.providers = [_access(row, environ) for row in config.providers.values()]
    report.problems += [f"{one.name}: {one.problem}" for one in report.providers if one.problem is not None]
    for use, folder in (("recordings", config.recordings), ("reports", config.reports)):
        found = _folder(use, start / folder)
        report.folders.append(found)
        if not found.writable:
            report.problems.append(f"the folder for {use} cannot be written to: {found.path}")
    names = {*OTHERS, *NETWORK, *(name.lower() for name in NETWORK)}
    names |= {row.host_variable for row in config.providers.values() if row.host_variable}
    report.variables = sorted(name for name in names if environ.get(name))
    return report


def _packages(report: Report) -> None:
    """Versions of what the package needs, and which extras are whole."""
    report.versions = {
        DISTRIBUTION: _version(DISTRIBUTION) or "not installed",
        platform.python_implementation(): platform.python_version(),
        platform.system() or "system": f"{platform.release()} {platform.machine()}".strip(),
    }
    extras: dict[str, list[str]] = {}
    for requirement in metadata.requires(DISTRIBUTION) or ():
        match = _NAME.match(requirement)
        if match is None:
            continue
        name = match[0]
        found = _version(name)
        extra = _EXTRA.search(requirement)
        if extra is not None:
            missing = extras.setdefault(extra[1], [])
            if found is None:
                missing.append(name)
            continue
        report.versions[name] = found or "not installed"
        if found is None:
            report.problems.append(f"the package {name} is not installed: pip install {DISTRIBUTION}")
    report.versions |= {name: found for name in CLIENTS if name not in report.versions and (found := _version(name))}
    report.extras = [Extra(name, missing) for name, missing in sorted(extras.items())]


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _access(row: Provider, environ: Mapping[str, str]) -> Access:
    own = PROVIDERS.get(row.name) is not row
    for variable in row.key_variables:
        key = environ.get(variable, "").strip()
        if key:
            problem = None if key.isascii() and key.isprintable() else f"the value of {variable} has odd characters"
            return Access(row.name, row.wire, variable, row.needs_key, own, problem)
    return Access(row.name, row.wire, None, row.needs_key, own)


def _folder(use: str, path: Path) -> Folder:
    exists = path.is_dir()
    nearest = path
    while not nearest.exists() and nearest != nearest.parent:
        nearest = nearest.parent
    return Folder(use, _homely(str(path)), exists, nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK))


def _homely(text: str) -> str:
    """A text without the name of the home folder."""
    home = str(Path.home())
    return text.replace(home, "~") if len(home) > 1 else text
