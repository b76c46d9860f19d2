from __future__ import annotations

import pytest

from agent.tools.environment import child_environ, looks_secret


@pytest.mark.parametrize(
    "name",
    [
        "OPENAI_API_KEY", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "GITHUB_TOKEN", "HF_TOKEN",
        "PGPASSWORD", "MYSQL_PWD", "DB_PASS", "GITHUB_PAT", "NPM_CONFIG__AUTH", "npm_config_authtoken", "SECRET",
        "MYAPIKEY", "GOOGLE_APPLICATION_CREDENTIALS", "ANTHROPIC_AUTH_TOKEN", "GPG_PASSPHRASE", "x-api-key",
    ],
)  # fmt: skip
def test_secret_names(name):
    assert looks_secret(name)


@pytest.mark.parametrize(
    "name",
    ["PATH", "PWD", "OLDPWD", "HOME", "LANG", "TOKENIZERS_PARALLELISM", "SSH_AUTH_SOCK", "KEYBOARD", "PYTHONPATH",
     "VIRTUAL_ENV", "COMPASS", "XDG_SESSION_ID"],
)  # fmt: skip
def test_other_names(name):
    assert not looks_secret(name)


def test_child_environ_leaves_secrets_out_and_asks_for_quiet():
    child = child_environ({"PATH": "/bin", "OPENAI_API_KEY": "sk", "PAGER": "less"})
    assert child["PATH"] == "/bin"
    assert child["PAGER"] == "cat"
    assert "OPENAI_API_KEY" not in child
