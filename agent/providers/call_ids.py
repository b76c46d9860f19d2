"""Ids of tool calls as a server takes them: a conversation may go on with another one than the one that made its ids.

Sources, each an answer with status 400: Mistral's "Tool call id was ... but must be a-z, A-Z, 0-9, with a length of 9";
OpenAI's "string too long. Expected a string with maximum length 40", which is 64 for the `call_id` of Responses.
"""

from __future__ import annotations

import re
from hashlib import sha256

from agent.providers.base import Target

MISTRAL = "https://api.mistral.ai/"
_OPENAI = "https://api.openai.com/"
_OF_MISTRAL = re.compile("[a-zA-Z0-9]{9}")
_LONGEST = {"openai-chat": 40, "openai-responses": 64}
"""Characters, by wire format."""


def is_mistral(target: Target) -> bool:
    """Whether Mistral's own server answers, be it by way of a proxy."""
    return target.provider == "mistral" or target.base_url.startswith(MISTRAL)


def accepted_id(id: str, target: Target) -> str:
    """`id` where the server of `target` takes it, else one made from it: the same for the same, another for another."""
    if is_mistral(target):
        length = None if _OF_MISTRAL.fullmatch(id) else 9
    else:
        longest = _LONGEST.get(target.wire, 0) if target.base_url.startswith(_OPENAI) else 0
        length = longest if 0 < longest < len(id) else None
    return id if length is None else sha256(id.encode("utf-8", "surrogatepass")).hexdigest()[:length]
