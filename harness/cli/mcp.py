"""`harness mcp`: the agent and its recordings, for MCP clients."""

from __future__ import annotations

import asyncio
from importlib.metadata import version
from pathlib import Path
from typing import Any

import click

from harness.cli.ask_turn import cancel_on_signals
from harness.cli.saying import say
from harness.config import Config, current
from harness.errors import HarnessError
from harness.mcp.folders import Folders
from harness.recorder.session import Agent, find_target, network

MODES = ("plan", "fix", "build", "swe")
EXIT_INTERRUPTED = 130


@click.command(name="mcp")
@click.option("--model", "-m", envvar="HARNESS_MODEL", help="provider/model; without one only recordings are offered.")
@click.option("--mode", type=click.Choice(MODES), default="plan", show_default=True, help="What the agent may do.")
@click.option("--base-url", help="Another server that speaks the provider's format.")
@click.option(
    "--workspace",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=".",
    help="The agent's folder.  [default: the current one]",
)
@click.option(
    "--recordings",
    "folders",
    type=click.Path(file_okay=False, path_type=Path),
    multiple=True,
    metavar="DIR",
    help="Folder of recordings; may be repeated, the first gets new ones.  [default: recordings/]",
)
@click.option("--transport", type=click.Choice(("stdio", "http")), default="stdio", show_default=True)
@click.option("--port", type=click.IntRange(0, 65535), help="Port for http.  [default: a free one]")
@click.pass_context
def command(ctx: click.Context, /, folders: tuple[Path, ...], transport: str, port: int | None, **options: Any) -> None:
    """Serve the agent and its recordings to MCP clients: over stdio, or over streamable HTTP on 127.0.0.1.

    Offers the tools ask_agent, list_recordings, show_recording, replay_recording and recording_cost. Each run of the
    agent is recorded as `harness ask` does. Needs the extra: pip install 'trajectory-harness[mcp]'.

    \b
    harness mcp --model anthropic/claude-haiku-4-5 --workspace ~/app --recordings ~/app/recordings
    harness mcp -m ollama/qwen3 --transport http --port 8765
    harness mcp --recordings recordings
    """
    if port is not None and transport != "http":
        raise click.UsageError("--port goes with --transport http")
    try:
        from agent.front_ends.mcp import MCPServer
    except ImportError:
        raise HarnessError("the MCP server needs an extra: pip install 'trajectory-harness[mcp]'") from None
    from agent.front_ends.mcp_tool import agent_tool
    from harness.costs.priced_by import configured
    from harness.mcp.agent import agent_runner, introduce
    from harness.mcp.tools import recording_tools

    config = current()
    recordings = Folders(folders or (config.recordings,))
    tools = recording_tools(recordings, configured(config))
    model = options["model"] or config.model
    if model:
        agent = _agent(model, config, options)
        network(agent.target)
        runner = agent_runner(agent, recordings, config, warn=say)
        tools.insert(0, agent_tool(runner, introduce(agent), read_only=agent.mode == "PLAN"))
    else:
        say("no --model, so nothing but the recordings is offered")
    server = MCPServer("trajectory-harness", version("trajectory-harness"), tools, instructions=_instructions(model))
    try:
        asyncio.run(_serve(server, transport, port or 0))
    except (KeyboardInterrupt, asyncio.CancelledError):
        ctx.exit(EXIT_INTERRUPTED)


def _agent(name: str, config: Config, options: dict[str, Any]) -> Agent:
    target, model = find_target(name, options["base_url"], config)
    return Agent(target, model, options["mode"].upper(), options["workspace"].resolve())


def _instructions(model: str | None) -> str:
    text = "Recorded sessions of LLM agents: list them, show what happened, replay them offline, see their cost."
    if model:
        text = f"An agent that works in a folder of this machine; each of its runs is recorded. {text}"
    return text


async def _serve(server: Any, transport: str, port: int) -> None:
    if transport == "http":
        try:
            await server.serve_http(port, lambda url: say(f"MCP server at {url}"))
        except OSError as error:
            raise HarnessError(f"port {port}: {error.strerror or error}; without --port a free one is taken") from None
        return
    cancel_on_signals()
    say("MCP server on standard input and output")
    await server.serve_stdio()
