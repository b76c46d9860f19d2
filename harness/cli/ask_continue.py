"""`harness ask --continue` and `--append`: what a turn takes over from a recording, and which options go together."""

from __future__ import annotations

import contextlib
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click

from agent.prompt import is_system_prompt
from harness.cli.saying import say
from harness.config import Config
from harness.errors import HarnessError
from harness.recorder.session import find_target

MODES = ("plan", "fix", "build", "swe")
_CONTRADICTIONS = (
    ("append", "continued"), ("append", "out"), ("append", "no_record"), ("out", "no_record"), ("fsync", "no_record"),
)  # fmt: skip
_OF_A_NEW_FILE = ("force", "task", "tags", "source")
_NAMES = {"continued": "--continue", "tags": "--tag"}


def check_file_options(options: dict[str, Any]) -> None:
    """Raises `UsageError` for options that contradict each other."""
    for one, other in _CONTRADICTIONS:
        if options[one] and options[other]:
            raise click.UsageError(f"{_named(one)} and {_named(other)} contradict each other: leave one out")
    old = next((name for name in ("append", "continued") if options[name] and not options["out"]), None)
    useless = next((name for name in _OF_A_NEW_FILE if options[name]), None)
    if old is not None and useless is not None and not options["no_record"]:
        raise click.UsageError(f"{_named(useless)} is for a new recording; {_named(old)} goes on with an old one")


def continued_options(ctx: click.Context, options: dict[str, Any], config: Config) -> dict[str, Any]:
    """The options, with those of the recording's last turn where none were given, `history` and `given_params`.

    The built-in system prompt is written anew: it tells the folder, the day and the mode. Raises `HarnessError`.
    """
    from harness.recorder.continuing import continued
    from harness.recording.opening import open as open_recording

    path: Path = options["continued"]
    recording = open_recording(path)
    if not recording.turns:
        raise HarnessError(f"{path}: it holds no turn of the agent to go on with (--append begins one in it)")
    turn = recording.turns[-1]
    for warning in recording.warnings:
        if warning.what not in ("not_closed", "truncated_tail"):
            say(f"{path}: {warning}; what is lost is not taken over")
    model = options["model"] if _on_command_line(ctx, "model") else f"{turn.provider}/{turn.model}"
    system = turn.system if turn.system is None or not is_system_prompt(turn.system) else None
    mode = options["mode"] or turn.mode.lower()
    return {
        **options,
        "model": model,
        "base_url": options["base_url"] or _base_url(path, turn.provider, turn.base_url, model, config),
        "mode": mode if mode in MODES else None,
        "system": options["system"] if options["system"] is not None else system,
        "no_tools": options["no_tools"] or (not turn.tools and not options["mode"]),
        "given_params": turn.params,
        "history": continued(turn),
    }


def _base_url(path: Path, provider: str, recorded: str | None, model: str, config: Config) -> str | None:
    """The recorded base URL where calls may go again; None for the place that the provider has by itself.

    A recording may come from anybody, and keys are sent to where it says: so only to this machine unasked.
    """
    if recorded is None or model.partition("/")[0].lower() != provider.lower():
        return None
    row = config.providers.get(provider.lower())
    if row is not None and row.base_url == recorded:
        return None
    if _on_this_machine(recorded):
        return recorded
    with contextlib.suppress(HarnessError):
        if find_target(model, None, config)[0].base_url == recorded:
            return None
    raise HarnessError(f"{path}: its last turn went to {recorded}: pass --base-url {recorded} to send there again")


def _on_this_machine(url: str) -> bool:
    try:
        host = urlsplit(url).hostname or ""
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _on_command_line(ctx: click.Context, name: str) -> bool:
    return ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE


def _named(name: str) -> str:
    return _NAMES.get(name, f"--{name.replace('_', '-')}")
