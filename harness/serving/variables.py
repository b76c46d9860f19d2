"""The environment variables that point SDKs and agents at another base URL. Rules as data, pure.

Sources: the SDKs' clients (openai, anthropic, google-genai, groq, together, cohere, ollama; `*_BASE_URL`, `CO_API_URL`,
`OLLAMA_HOST`), LiteLLM's and LangChain's provider modules (`*_API_BASE`, `ANTHROPIC_API_URL`), Goose (`*_HOST`),
Pydantic AI (`OLLAMA_BASE_URL`, `VLLM_BASE_URL`).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True, frozen=True)
class Variable:
    """One variable. `path`: what its value holds after the host, before the client appends an endpoint.

    `provider`: a row of `agent.providers.table` or of `FURTHER`; one that is in neither has no server of its own, and
    the variable is pointed anew only where it is set.
    """

    name: str
    provider: str
    path: str = ""


FURTHER = {"cohere": "https://api.cohere.com", "cerebras": "https://api.cerebras.ai"}
"""Providers that have an SDK variable but no row in the provider table, with their servers."""

VARIABLES = (
    Variable("OPENAI_BASE_URL", "openai", "/v1"),
    Variable("OPENAI_API_BASE", "openai", "/v1"),
    Variable("OPENAI_HOST", "openai"),
    Variable("ANTHROPIC_BASE_URL", "anthropic"),
    Variable("ANTHROPIC_API_BASE", "anthropic"),
    Variable("ANTHROPIC_API_URL", "anthropic"),
    Variable("ANTHROPIC_HOST", "anthropic"),
    Variable("GOOGLE_GEMINI_BASE_URL", "gemini"),
    Variable("GEMINI_BASE_URL", "gemini"),
    Variable("GEMINI_API_BASE", "gemini", "/v1beta"),
    Variable("GROQ_BASE_URL", "groq"),
    Variable("GROQ_API_BASE", "groq", "/openai/v1"),
    Variable("MISTRAL_API_BASE", "mistral", "/v1"),
    Variable("DEEPSEEK_API_BASE", "deepseek", "/v1"),
    Variable("XAI_API_BASE", "xai", "/v1"),
    Variable("TOGETHER_BASE_URL", "together"),
    Variable("TOGETHER_AI_API_BASE", "together", "/v1"),
    Variable("FIREWORKS_API_BASE", "fireworks", "/inference/v1"),
    Variable("PERPLEXITY_API_BASE", "perplexity"),
    Variable("OPENROUTER_BASE_URL", "openrouter", "/api/v1"),
    Variable("OPENROUTER_API_BASE", "openrouter", "/api/v1"),
    Variable("OLLAMA_HOST", "ollama"),
    Variable("OLLAMA_API_BASE", "ollama"),
    Variable("OLLAMA_BASE_URL", "ollama", "/v1"),
    Variable("LM_STUDIO_API_BASE", "lmstudio", "/v1"),
    Variable("CO_API_URL", "cohere"),
    Variable("CEREBRAS_BASE_URL", "cerebras"),
    Variable("AZURE_OPENAI_ENDPOINT", "azure"),
    Variable("AZURE_API_BASE", "azure"),
    Variable("GOOGLE_VERTEX_BASE_URL", "vertex"),
    Variable("LITELLM_PROXY_API_BASE", "litellm"),
    Variable("HOSTED_VLLM_API_BASE", "vllm", "/v1"),
    Variable("VLLM_BASE_URL", "vllm", "/v1"),
)
