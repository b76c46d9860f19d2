"""The `harness` command. Each subcommand is one module, loaded when it is called: `harness --help` loads none."""

from __future__ import annotations

import atexit
import gc
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from keyword import iskeyword
from typing import Any

import click

from harness.errors import HarnessError

COMMANDS = {
    "ask": "Run one turn of the built-in agent and record it.",
    "replay": "Replay recordings offline and compare with what was recorded.",
    "record": "Run any program and record its model calls.",
    "serve": "Answer any program from recordings, offline.",
    "proxy": "Run the record proxy by itself.",
    "show": "Show what a recording, or a folder of them, holds.",
    "decode": "Turn the raw bytes of a provider's response into events.",
    "diff": "Compare runs step by step, and contenders over many runs.",
    "cost": "Tell what recordings cost, and what they would on another model.",
    "suite": "Judge recordings by suites of cases and checks.",
    "run": "Run the agent live on the tasks of suites, and compare models.",
    "sweep": "Cut and damage recorded streams in every way, and hold the laws.",
    "scan": "Look for secrets in recordings and other files.",
    "scrub": "Remove the secrets that scan finds from recordings.",
    "import": "Make recordings of the files of other tools (vcrpy cassettes).",
    "recover": "Take what can be read out of a damaged recording.",
    "doctor": "Tell what is installed and configured, for bug reports.",
    "mcp": "Serve the agent and its recordings to MCP clients.",
}
"""Name and one-line help; the command itself is `command` in the module `harness.cli.<name>`."""

EXIT_UNUSABLE = 2
EXIT_INTERRUPTED = 130


class _Misuse(click.ClickException):
    """A wrong command line, told in one line (click's own error shows the usage in three)."""

    exit_code = EXIT_UNUSABLE

    def show(self, file: Any = None) -> None:
        click.echo(self.message, err=True)


@contextmanager
def _in_one_line(ctx: click.Context | None = None) -> Iterator[None]:
    """`ctx`: that of the group whose subcommand runs."""
    try:
        yield
    except click.UsageError as error:
        if isinstance(error, getattr(click.exceptions, "NoArgsIsHelpError", ())):
            raise
        command = "harness"
        if error.ctx is not None:
            command = error.ctx.command_path
        elif ctx is not None:
            command = f"{ctx.command_path} {ctx.invoked_subcommand}"
        message = " ".join(error.format_message().split()).rstrip(".")
        raise _Misuse(f"{command}: {message} (see `{command} --help`)") from None


class LazyGroup(click.Group):
    """`table`: its commands as in `COMMANDS`; their modules begin with `modules`."""

    def __init__(
        self, *args: Any, table: Mapping[str, str] = COMMANDS, modules: str = "harness.cli.", **more: Any
    ) -> None:
        super().__init__(*args, **more)
        self.table = table
        self.modules = modules

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        with _in_one_line():
            return super().make_context(*args, **kwargs)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.table:
            return None
        module = f"{cmd_name}_" if iskeyword(cmd_name) else cmd_name
        command: click.Command = import_module(f"{self.modules}{module}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(self.table.items()))

    def invoke(self, ctx: click.Context) -> object:
        try:
            with _in_one_line(ctx):
                return super().invoke(ctx)
        except HarnessError as error:
            click.echo(f"harness: {error}", err=True)
            ctx.exit(EXIT_UNUSABLE)
        except KeyboardInterrupt:
            ctx.exit(EXIT_INTERRUPTED)


def _print_version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from importlib.metadata import version  # it loads the email package

        click.echo(f"harness {version('trajectory-harness')}")
        ctx.exit()


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version", is_flag=True, expose_value=False, is_eager=True, callback=_print_version, help="Show the version."
)
def main() -> None:
    """Record LLM agents down to the raw SSE frame, replay them offline, and judge them.

    \b
    harness ask --model openai/gpt-4.1-mini "What does this folder hold?"
    harness replay recordings/
    """
    atexit.register(gc.freeze)  # else Python looks through all that was loaded for garbage before it exits


if __name__ == "__main__":
    sys.exit(main())
