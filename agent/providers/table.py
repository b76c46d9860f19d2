"""The providers, as rows of data, and how a model name becomes a target.

    TargetError(ValueError)
      UnknownProvider   the name before the slash is in no row, and no base URL was given
      MissingKey        the provider needs a key, and its variable is not set (or holds no usable key)
      BadBaseURL        a base URL that no request can be sent to

Sources: the providers' API references (base URLs, key variables, output-limit parameters), Ollama's `OLLAMA_HOST`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from agent.providers.base import Target
from agent.providers.base_url import BadBaseURL, TargetError, normalize, ollama_base_url

__all__ = ["PROVIDERS", "BadBaseURL", "MissingKey", "Provider", "TargetError", "UnknownProvider", "resolve"]


class UnknownProvider(TargetError):
    """The model name names no provider that can be reached."""


class MissingKey(TargetError):
    """The provider's key variable is not set, or its value cannot be a key."""


@dataclass(slots=True, frozen=True)
class Provider:
    """One row. `key_variables`: the first one that is set counts. `host_variable`: names a local server's address."""

    name: str
    base_url: str
    key_variables: tuple[str, ...]
    wire: str = "openai-chat"
    max_tokens_param: str = "max_tokens"
    headers: tuple[tuple[str, str], ...] = ()
    needs_key: bool = True
    host_variable: str | None = None


_COPILOT_HEADERS = (
    ("copilot-integration-id", "vscode-chat"),
    ("editor-version", "vscode/1.104.1"),
    ("openai-intent", "conversation-panel"),
)
"""Copilot refuses clients that do not name an editor it knows."""

_ROWS = (
    Provider("openai", "https://api.openai.com/v1", ("OPENAI_API_KEY",), max_tokens_param="max_completion_tokens"),
    Provider(
        "openai-responses", "https://api.openai.com/v1", ("OPENAI_API_KEY",), "openai-responses", "max_output_tokens"
    ),
    Provider(
        "groq", "https://api.groq.com/openai/v1", ("GROQ_API_KEY",), max_tokens_param="max_completion_tokens"
    ),
    Provider("mistral", "https://api.mistral.ai/v1", ("MISTRAL_API_KEY",)),
    Provider("deepseek", "https://api.deepseek.com/v1", ("DEEPSEEK_API_KEY",)),
    Provider("xai", "https://api.x.ai/v1", ("XAI_API_KEY",), max_tokens_param="max_completion_tokens"),
    Provider("together", "https://api.together.xyz/v1", ("TOGETHER_API_KEY",)),
    Provider("fireworks", "https://api.fireworks.ai/inference/v1", ("FIREWORKS_API_KEY",)),
    Provider("perplexity", "https://api.perplexity.ai", ("PERPLEXITY_API_KEY", "PPLX_API_KEY")),
    Provider("openrouter", "https://openrouter.ai/api/v1", ("OPENROUTER_API_KEY",)),
    Provider(
        "ollama", "http://127.0.0.1:11434/v1", ("OLLAMA_API_KEY",), needs_key=False, host_variable="OLLAMA_HOST"
    ),
    Provider("lmstudio", "http://127.0.0.1:1234/v1", ("LMSTUDIO_API_KEY", "LM_API_TOKEN"), needs_key=False),
    Provider("copilot", "https://api.githubcopilot.com", ("GITHUB_COPILOT_TOKEN",), headers=_COPILOT_HEADERS),
    Provider("anthropic", "https://api.anthropic.com/v1", ("ANTHROPIC_API_KEY",), "anthropic"),
    Provider(
        "gemini", "https://generativelanguage.googleapis.com/v1beta", ("GEMINI_API_KEY", "GOOGLE_API_KEY"), "gemini",
        "maxOutputTokens",
    ),
)  # fmt: skip

PROVIDERS: Mapping[str, Provider] = {row.name: row for row in _ROWS}


def resolve(
    model: str,
    *,
    base_url: str | None,
    environ: Mapping[str, str],
    providers: Mapping[str, Provider] = PROVIDERS,
) -> tuple[Target, str]:
    """The target of `provider/model`, and the model's own id (which may hold slashes itself).

    With a base URL the key is optional, and a provider that is in no row is taken as OpenAI-compatible chat, its key
    from `NAME_API_KEY` where that is set. Raises `UnknownProvider`, `MissingKey` or `BadBaseURL`.
    """
    name, slash, model_id = model.strip().partition("/")
    name = name.lower()
    if not slash or not name or not model_id:
        raise UnknownProvider(
            f"the model {model!r} is not of the form provider/model: write for example openai/gpt-4.1"
        )
    row = providers.get(name)
    if row is None:
        if base_url is None:
            raise UnknownProvider(_unknown(name, providers))
        row = Provider(name, "", (re.sub(r"\W", "_", name).upper() + "_API_KEY",), needs_key=False)
    variable, key = _key(row, environ)
    if key is None and row.needs_key and base_url is None:
        names = " or ".join(row.key_variables)
        raise MissingKey(f"no API key for {name}: set {names}, or give the base URL of a server that needs none")
    return Target(
        provider=name,
        wire=row.wire,
        base_url=_base_url(row, base_url, environ),
        key=key,
        key_variable=variable,
        headers=row.headers,
        max_tokens_param=row.max_tokens_param,
    ), model_id


def _base_url(row: Provider, base_url: str | None, environ: Mapping[str, str]) -> str:
    if base_url is not None:
        return normalize(base_url, row.wire, known=row.base_url)
    host = environ.get(row.host_variable, "").strip() if row.host_variable else ""
    return ollama_base_url(host) if host else row.base_url


def _key(row: Provider, environ: Mapping[str, str]) -> tuple[str, str | None]:
    """The variable that counts, and the key in it. Header values are visible ASCII (RFC 9110 5.5)."""
    for variable in row.key_variables:
        key = environ.get(variable, "").strip()
        if key and not (key.isascii() and key.isprintable()):
            raise MissingKey(f"the value of {variable} cannot be an API key (odd characters in it): set it again")
        if key:
            return variable, key
    return row.key_variables[0], None


def _unknown(name: str, providers: Mapping[str, Provider]) -> str:
    from difflib import get_close_matches  # nearly never needed

    near = get_close_matches(name, providers, n=1)
    advice = f"did you mean {near[0]}" if near else f"use one of {', '.join(providers)}"
    return f"unknown provider {name!r}: {advice}, or give the base URL of an OpenAI-compatible server"
