"""The models that take part: `[NAME=]provider/model[@URL]`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from agent.providers.base import Target
from harness.config import Config
from harness.errors import HarnessError
from harness.recorder.session import find_target
from harness.suites.case import slug

_TEXT = re.compile(r"(?:(?P<name>[^/=]*)=)?(?P<model>.*?)(?:@(?P<url>https?://.*))?", re.I | re.S)
_ADDRESS = re.compile(r"@[^/]*://|@[^@/]*:\d+(?:/|\Z)")
"""What is an address without `http://`: it would be asked of the provider as a part of the model's name."""


@dataclass(slots=True, frozen=True)
class LiveModel:
    """A model that takes part. `name`: how reports call it; `model`: its own id, without the provider."""

    name: str
    target: Target
    model: str

    @property
    def folder(self) -> str:
        """The name of its folder."""
        return slug(self.name)

    def to_dict(self) -> dict[str, Any]:
        """What `trials.json` says of it; no key."""
        return {
            "name": self.name,
            "provider": self.target.provider,
            "model": self.model,
            "base_url": self.target.base_url,
        }


def find_live_models(texts: Sequence[str], config: Config) -> list[LiveModel]:
    """What `--model` names, in order. Raises `HarnessError` where one cannot be reached (its key is missing, say), or
    two cannot be told apart."""
    found = [_live_model(text, config) for text in texts]
    seen: dict[str, LiveModel] = {}
    for model in found:
        other = seen.setdefault(model.folder, model)
        if other is not model:
            same = "twice" if other.name == model.name else f'beside "{other.name}", which has the same folder'
            raise HarnessError(f"--model {model.name} is given {same}: name it, as in {_example(model)}")
    return found


def _live_model(text: str, config: Config) -> LiveModel:
    parts = _TEXT.fullmatch(text.strip())
    assert parts is not None
    name, model, url = parts["name"], parts["model"], parts["url"]
    if name is not None and not name.strip():
        raise HarnessError(f"--model {text}: there is no name before the `=`")
    if url is None and _ADDRESS.search(model):
        raise HarnessError(f"--model {text}: the address behind the @ has to begin with http:// or https://")
    try:
        target, own = find_target(model, url, config)
    except HarnessError as error:
        said = str(error).removesuffix(" (--base-url URL)")
        raise HarnessError(f"--model {text}: {said}{'' if said == str(error) else ' (provider/model@URL)'}") from None
    return LiveModel(name.strip() if name else f"{target.provider}/{own}", target, own)


def _example(model: LiveModel) -> str:
    return f"second={model.target.provider}/{model.model}"
