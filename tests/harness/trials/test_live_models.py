from __future__ import annotations

import pytest

from harness.config import Config
from harness.errors import HarnessError
from harness.trials.live_models import find_live_models


@pytest.fixture(autouse=True)
def keys(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-000000000000000000000000")
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    monkeypatch.delenv("OLLAMA_HOST", raising=False)


@pytest.mark.parametrize(
    ("text", "name", "provider", "model", "url", "folder"),
    [
        ("openai/gpt-4.1", "openai/gpt-4.1", "openai", "gpt-4.1", "https://api.openai.com/v1", "openai-gpt-4-1"),
        ("big=openai/gpt-4.1", "big", "openai", "gpt-4.1", "https://api.openai.com/v1", "big"),
        ("a=x/m@http://h:1", "a", "x", "m", "http://h:1/v1", "a"),
        ("x/m@2024@https://h/v2/", "x/m@2024", "x", "m@2024", "https://h/v2", "x-m-2024"),
        ("openai/m@2024:free", "openai/m@2024:free", "openai", "m@2024:free", "https://api.openai.com/v1",
         "openai-m-2024-free"),
        ("x/a/b:free@HTTP://h", "x/a/b:free", "x", "a/b:free", "http://h/v1", "x-a-b-free"),
        ("ollama/q=4", "ollama/q=4", "ollama", "q=4", "http://127.0.0.1:11434/v1", "ollama-q-4"),
    ],
)  # fmt: skip
def test_what_a_model_is_called(text, name, provider, model, url, folder):
    (found,) = find_live_models([text], Config())
    assert (found.name, found.target.provider, found.model, found.folder) == (name, provider, model, folder)
    assert found.to_dict() == {"name": name, "provider": provider, "model": model, "base_url": url}


@pytest.mark.parametrize(
    ("texts", "problem"),
    [
        (["gpt"], "--model gpt: the model 'gpt' is not of the form provider/model"),
        (["=openai/m"], "there is no name before the `=`"),
        (["anthropic/m"], "no API key for anthropic: set ANTHROPIC_API_KEY"),
        (["mine/m"], r"unknown provider 'mine'.*\(provider/model@URL\)"),
        (["openai/m", "openai/m"], "--model openai/m is given twice: name it, as in second=openai/m"),
        (["openai/m.1", "openai/m-1"], 'beside "openai/m.1", which has the same folder'),
        (["x/m@http://user:pw@h"], "must hold no user name"),
        (["openai/m@ftp://h"], "the address behind the @ has to begin with http:// or https://"),
        (["openai/m@127.0.0.1:8080"], "--model openai/m@127.0.0.1:8080: the address behind the @ has to begin with"),
        (["a=openai/m@localhost:8080/v1"], "the address behind the @ has to begin with"),
    ],
)
def test_what_cannot_take_part(texts, problem):
    with pytest.raises(HarnessError, match=problem):
        find_live_models(texts, Config())
