"""The front end for other agents: tools behind a Model Context Protocol server, over stdio or streamable HTTP.

Needs the protocol's official SDK, the package `mcp`. Faults of the caller and failures of a tool are error results,
which the client's model reads (specification, "Tools: error handling"); an unknown tool and a crash are errors of the
protocol.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import time
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

import anyio
from mcp import MCPError, types
from mcp.server import Server
from mcp.server.stdio import stdio_server

from agent.front_ends.mcp_stdin import stdin_lines
from agent.front_ends.mcp_tool import Reply, Tool
from agent.jsonio import dumps, loads_exact, scrub
from agent.tools.schema import check
from agent.tools.tool import ToolError

HEARTBEAT_SECONDS = 5.0
"""After so long without news the last progress line is sent again: clients count it against their time limits."""

HOST = "127.0.0.1"
PATH = "/mcp"
_GRACE_SECONDS = 10
"""How long open streams may stay when an HTTP server is told to end."""

_log = logging.getLogger(__name__)


class MCPServer:
    """A server that offers tools. `sdk` is the SDK's own server, for clients in the same process.

    `instructions` tell the client's model what the server is for.
    """

    def __init__(
        self, name: str, version: str, tools: Sequence[Tool], *, instructions: str, heartbeat: float = HEARTBEAT_SECONDS
    ) -> None:
        self._tools = _Tools(tools, heartbeat)
        self.sdk: Server[Any] = Server(
            name,
            version=version,
            instructions=instructions,
            on_list_tools=self._tools.list,
            on_call_tool=self._tools.call,
        )

    async def serve_stdio(self) -> None:
        """Serve one client over standard input and output until it closes them.

        Whatever else is printed goes to stderr.
        """
        try:
            async with stdio_server(stdin=stdin_lines()) as (incoming, outgoing):
                await self.sdk.run(incoming, outgoing, self.sdk.create_initialization_options())
        except* (BrokenPipeError, anyio.BrokenResourceError):
            # The client has gone; or the SDK still had a line of it to hand over when this was cancelled.
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise asyncio.CancelledError from None

    async def serve_http(self, port: int, ready: Callable[[str], None]) -> None:
        """Serve clients on this machine until a signal ends it. `port` 0 takes a free one; `ready` is told the URL.

        Requests that a web page makes a browser send are refused (by their Host and Origin). Raises `OSError` where
        the port cannot be had.
        """
        import uvicorn

        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((HOST, port))
            listener.listen(128)  # whoever is told the address may connect at once
            app = self.sdk.streamable_http_app(streamable_http_path=PATH, host=HOST)
            http: Any = uvicorn.Server(
                uvicorn.Config(
                    app,
                    log_config=None,
                    log_level="warning",
                    access_log=False,
                    timeout_graceful_shutdown=_GRACE_SECONDS,
                )
            )
            # uvicorn waits for open responses; so that they end, the calls that they belong to are ended.
            exit_of_uvicorn, loop = http.handle_exit, asyncio.get_running_loop()

            def handle_exit(number: int, frame: FrameType | None) -> None:
                exit_of_uvicorn(number, frame)
                loop.call_soon_threadsafe(self._tools.end)

            http.handle_exit = handle_exit
            ready(f"http://{HOST}:{listener.getsockname()[1]}{PATH}")
            await http.serve(sockets=[listener])


class _Tools:
    """The server's two handlers."""

    def __init__(self, tools: Sequence[Tool], heartbeat: float) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._heartbeat = heartbeat
        self._running: set[asyncio.Task[Reply]] = set()

    async def list(self, context: Any, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_described(tool) for tool in self._tools.values()])

    def end(self) -> None:
        """Cancel the calls that run."""
        for task in self._running:
            task.cancel()

    async def call(self, context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        tool = self._tools.get(params.name)
        if tool is None:
            raise MCPError(types.INVALID_PARAMS, f"unknown tool {params.name!r}; there are {', '.join(self._tools)}")
        try:
            arguments = check(tool.parameters, params.arguments or {})
            return _result(await self._run(tool, arguments, _Progress(context.session)))
        except MCPError:
            raise
        except ToolError as error:
            return types.CallToolResult(content=[_text(f"{tool.name}: {error}")], is_error=True)
        except Exception as error:
            _log.exception("the tool %s crashed", tool.name)
            raise MCPError(types.INTERNAL_ERROR, f"{tool.name} failed: {type(error).__name__}: {error}") from error

    async def _run(self, tool: Tool, arguments: dict[str, Any], progress: _Progress) -> Reply:
        """Run a tool in a task of its own.

        The SDK cancels by a scope of anyio, which breaks off every `await` in it, those of the clean-up too. So the
        tool is cancelled once, from outside that scope, and waited for.
        """
        task = asyncio.create_task(_awaited(tool, arguments, progress))
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        try:
            while not (await asyncio.wait((task,), timeout=self._heartbeat))[0]:
                await progress.repeat()
        except BaseException:
            task.cancel()
            with anyio.CancelScope(shield=True):
                await asyncio.wait((task,))
            if not task.cancelled() and task.exception() is not None:
                _log.warning("the tool %s crashed while it was cancelled: %r", tool.name, task.exception())
            raise
        if task.cancelled():
            raise MCPError(types.CONNECTION_CLOSED, "the server is ending")
        return task.result()


async def _awaited(tool: Tool, arguments: dict[str, Any], progress: _Progress) -> Reply:
    return await tool.call(arguments, progress.say)


class _Progress:
    """Progress notifications of one request. The SDK sends none where the client asked for none."""

    def __init__(self, session: Any) -> None:
        self._session = session
        self._sent = 0
        self._line = "running"
        self._since = time.monotonic()

    async def say(self, line: str) -> None:
        self._line, self._since = line, time.monotonic()
        await self._send(line)

    async def repeat(self) -> None:
        """Say that the last line still holds."""
        await self._send(f"{self._line} ({time.monotonic() - self._since:.0f} s)")

    async def _send(self, line: str) -> None:
        self._sent += 1  # "the progress value MUST increase with each notification"
        await self._session.report_progress(self._sent, message=line)


def _described(tool: Tool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.parameters,
        output_schema=tool.output,
        annotations=types.ToolAnnotations(
            read_only_hint=tool.read_only,
            destructive_hint=not tool.read_only,
            open_world_hint=tool.open_world,
        ),
    )


def _result(reply: Reply) -> types.CallToolResult:
    """The reply as JSON can hold it: half a surrogate pair in a tool's output must not end the connection."""
    return types.CallToolResult(
        content=[_text(text) for text in (reply.text, *reply.notes)],
        structured_content=None if reply.data is None else loads_exact(dumps(reply.data)),
        is_error=reply.failed,
    )


def _text(text: str) -> types.TextContent:
    return types.TextContent(type="text", text=scrub(text))
