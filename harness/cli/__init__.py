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

from harness.cli.streams import open_missing, unwritten
from harness.errors import HarnessError

MUCH_GARBAGE = 50_000
"""Objects made, less those that are gone, after which garbage is looked for."""

SECTIONS = {
    "Record": {
        "ask": "Run one turn of the built-in agent and record it.",
        "record": "Run any program and record its model calls.",
        "proxy": "Run the record proxy by itself.",
        "import": "Make recordings of the files of other tools (vcrpy cassettes).",
    },
    "Replay": {
        "replay": "Replay recordings offline and compare with what was recorded.",
        "serve": "Answer any program from recordings, offline.",
    },
    "Look": {
        "show": "Show what a recording, or a folder of them, holds.",
        "decode": "Turn the raw bytes of a provider's response into events.",
    },
    "Evaluate": {
        "suite": "Judge recordings by suites of cases and checks.",
        "run": "Run the agent live on the tasks of suites, and compare models.",
        "diff": "Compare runs step by step, and contenders over many runs.",
        "cost": "Tell what recordings cost, and what they would on another model.",
        "sweep": "Cut and damage recorded streams in every way, and hold the laws.",
    },
    "Secrets and damage": {
        "scan": "Look for secrets in recordings and other files.",
        "scrub": "Remove the secrets that scan finds from recordings.",
        "recover": "Take what can be read out of a damaged recording.",
    },
    "More": {
        "mcp": "Serve the agent and its recordings to MCP clients.",
        "doctor": "Tell what is installed and configured, for bug reports.",
    },
}
"""As `harness --help` shows them: name and one-line help; the command is `command` in `harness.cli.<name>`."""

COMMANDS = {name: about for section in SECTIONS.values() for name, about in section.items()}

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
    """`sections`: its commands as in `SECTIONS`; their modules begin with `modules`."""

    def __init__(
        self,
        *args: Any,
        sections: Mapping[str, Mapping[str, str]] = SECTIONS,
        modules: str = "harness.cli.",
        **more: Any,
    ) -> None:
        super().__init__(*args, **more)
        self.sections = sections
        self.table = {name: about for section in sections.values() for name, about in section.items()}
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
        width = max(map(len, self.table))  # so that all sections have one column of names
        for title, commands in self.sections.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), about) for name, about in commands.items()])

    def invoke(self, ctx: click.Context) -> object:
        try:
            with _in_one_line(ctx):
                return super().invoke(ctx)
        except HarnessError as error:
            from harness.cli.saying import say

            say(str(error))
            ctx.exit(EXIT_UNUSABLE)
        except KeyboardInterrupt:
            ctx.exit(EXIT_INTERRUPTED)


class _Program(LazyGroup):
    """The command as a process: it may lack standard streams, and its output may have no room."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        gc.set_threshold(MUCH_GARBAGE)  # what a command loads is none, and looking through it takes long
        open_missing()
        try:
            return super().main(*args, **kwargs)
        except (OSError, SystemExit) as ended:
            reason = unwritten(ended)
            if reason is None:
                raise
            click.echo(f"harness: the output cannot be written: {reason}", err=True)
            sys.exit(EXIT_UNUSABLE)


def _print_version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from importlib.metadata import version  # it loads the email package

        click.echo(f"harness {version('trajectory-harness')}")
        ctx.exit()


@click.group(cls=_Program, context_settings={"help_option_names": ["-h", "--help"]})
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
