"""Where a local server stands in for the providers: its path prefixes, and the variables that lead there. Pure.

`/openai/v1/chat/completions` on the proxy is `/v1/chat/completions` at OpenAI: the first segment names the provider,
what follows is the provider's own path (after the base path of the server that stands in for it, where it has one).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from urllib.parse import SplitResult, urlsplit

from agent.providers.base_url import TargetError, normalize, ollama_base_url
from agent.providers.table import Provider
from harness.serving.variables import FURTHER, VARIABLES, Variable

ROOT_VARIABLE = "HARNESS_PROXY_URL"
"""Tells a child where the server is, for programs that are pointed there by an option or a file of their own."""

_VERSION = re.compile(r"/v\d+[a-z]*\d*$")
_LOOPBACK = ("127.0.0.1", "localhost")


class NoRoute(ValueError):
    """A path that leads to no provider; the message is one line that says what to do."""


@dataclass(slots=True, frozen=True)
class Upstream:
    """A server: scheme, host and port, and the path before its versions. `provider` is named where it is its own."""

    origin: str
    base: str = ""
    provider: str | None = None


@dataclass(slots=True)
class Doors:
    """`upstreams` by prefix; `variables`: name to path on the local server; `everything`: where all else goes."""

    upstreams: dict[str, Upstream] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)
    everything: Upstream | None = None

    def route(self, path: str) -> tuple[Upstream, str]:
        """The server that a path on the local server stands for, and the path there. Raises `NoRoute`."""
        head, rest = _split_head(path)
        upstream = self.upstreams.get(head)
        if upstream is not None:
            return upstream, upstream.base + rest
        upstream = self.everything
        if upstream is None:
            raise NoRoute(
                f"the path {path[:80]!r} names no provider: set the base URL to this server's address and /openai/v1, "
                f"/anthropic or /gemini (known: {', '.join(self.upstreams)}), or name the server with --upstream URL"
            )
        return upstream, path if path.startswith(f"{upstream.base}/") else upstream.base + path

    def unprefixed(self, path: str) -> str:
        """A path without its prefix, where it has one."""
        head, rest = _split_head(path)
        return rest if head in self.upstreams else path

    def environment(self, url: str, environ: Mapping[str, str]) -> dict[str, str]:
        """What a child's environment gets, so that it talks to the server at `url`."""
        found = {name: url + path for name, path in self.variables.items()} | {ROOT_VARIABLE: url}
        if any(name.lower().endswith("_proxy") and environ[name] for name in environ):
            for name in ("NO_PROXY", "no_proxy"):
                hosts = [host.strip() for host in environ.get(name, "").split(",") if host.strip()]
                found[name] = ",".join([*hosts, *(host for host in _LOOPBACK if host not in hosts)])
        return found


def plan(
    environ: Mapping[str, str],
    providers: Mapping[str, Provider],
    upstreams: Iterable[str] = (),
) -> Doors:
    """Prefixes and variables for a program that would run with `environ`.

    A base URL that a variable of it already names stays the upstream of that variable. `upstreams` win over it: a `URL`
    for everything, `NAME=URL` for one provider. Raises `TargetError` for one that cannot be used.
    """
    everything, named = _given(upstreams)
    doors = Doors()
    if everything is not None:
        doors.everything = Upstream(_origin(everything), _versioned(everything.path)[0])
    servers = {name: _origin(urlsplit(row.base_url)) for name, row in providers.items()} | FURTHER
    by_provider: dict[str, list[Variable]] = {}
    for variable in VARIABLES:
        by_provider.setdefault(variable.provider, []).append(variable)
    for name in dict.fromkeys([*servers, *named, *by_provider]):
        variables = by_provider.get(name, [])
        given = named.get(name, everything)
        if given is not None:
            base, version = _versioned(given.path)
            doors.upstreams[name] = Upstream(_origin(given), base)
            for item in variables:
                path = version if item.path and given.path.strip("/") else item.path
                doors.variables[item.name] = f"/{name}{path}"
        elif not _as_set(doors, name, variables, environ, servers.get(name)) and name in servers:
            doors.upstreams[name] = Upstream(servers[name], provider=name)
            doors.variables |= {item.name: f"/{name}{item.path}" for item in variables}
    return doors


def _as_set(doors: Doors, name: str, variables: list[Variable], environ: Mapping[str, str], server: str | None) -> bool:
    """Follow the values that a provider's variables have; False where none has a usable one.

    Variables that are not set follow the first that is: a program may read either.
    """
    values = [(item, _value(item, environ)) for item in variables]
    found = [(item, value) for item, value in values if value is not None]
    if not found:
        return False
    first, main = found[0]
    doors.upstreams[name], version = _upstream(main, first, server)
    for item, value in values:
        prefix, path = name, _followed(version, first, item)
        if value is not None:
            upstream, path = _upstream(value, item, server)
            if upstream != doors.upstreams[name]:
                prefix = item.name.lower().replace("_", "-")
                doors.upstreams[prefix] = upstream
        doors.variables[item.name] = f"/{prefix}{path}"
    return True


def _upstream(value: SplitResult, variable: Variable, server: str | None) -> tuple[Upstream, str]:
    """The server of a variable's value, and the end of its path that clients of other variables may not share."""
    path = value.path.rstrip("/")
    if variable.path and path.endswith(variable.path):
        base, version = path.removesuffix(variable.path), variable.path
    else:
        base, version = _versioned(path)
    origin = _origin(value)
    return Upstream(origin, base, variable.provider if origin == server else None), version


def _value(variable: Variable, environ: Mapping[str, str]) -> SplitResult | None:
    """The URL that a variable is set to; None where it is not set, or to nothing that can be forwarded to."""
    text = environ.get(variable.name, "").strip()
    if not text:
        return None
    try:
        if variable.name == "OLLAMA_HOST":
            text = ollama_base_url(text).removesuffix("/v1")
        normalize(text, "openai-chat")
    except TargetError:
        return None
    return urlsplit(text)


def _given(upstreams: Iterable[str]) -> tuple[SplitResult | None, dict[str, SplitResult]]:
    everything = None
    named = {}
    for text in upstreams:
        name, mark, url = text.partition("=")
        if not mark or "/" in name:
            name, url = "", text
        elif not re.fullmatch(r"[a-z0-9][a-z0-9._-]*", name):
            raise TargetError(f"the upstream {text!r} should read URL or NAME=URL, with NAME in lower case")
        if "?" in normalize(url, "openai-chat"):
            raise TargetError(f"the upstream {text!r} has a query: each request brings its own, so leave it out")
        if name:
            named[name] = urlsplit(url.strip())
        else:
            everything = urlsplit(url.strip())
    return everything, named


def _followed(version: str, source: Variable, variable: Variable) -> str:
    """The end of the path of a variable that follows another one, whose value ends with `version`."""
    if version == source.path:
        return variable.path
    return version if variable.path == source.path else ""


def _versioned(path: str) -> tuple[str, str]:
    """A base URL's path in two: what stands before the version at its end, and the version (`/v1`)."""
    path = path.rstrip("/")
    found = _VERSION.search(path)
    return (path, "") if found is None else (path[: found.start()], found[0])


def _origin(url: SplitResult) -> str:
    return f"{url.scheme.lower()}://{url.netloc}"


def _split_head(path: str) -> tuple[str, str]:
    """The first segment of a path, and the rest with its slash."""
    head, slash, rest = path.lstrip("/").partition("/")
    return head, slash + rest
