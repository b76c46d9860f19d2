"""The environment of child processes: the caller's, without variables that look like secrets.

A variable is dropped where a word of its name (split at `_`) ends in one of `SECRET_ENDINGS`, or its last word is one
of `SECRET_LAST_WORDS`: OPENAI_API_KEY, AWS_SESSION_TOKEN, PGPASSWORD, MYSQL_PWD, but not PWD or TOKENIZERS_PARALLELISM.
This keeps keys out of `env` and of logs. It is no sandbox: a command runs as the same user as the harness.
"""

from __future__ import annotations

from collections.abc import Mapping

SECRET_ENDINGS = (
    "KEY", "KEYS", "TOKEN", "TOKENS", "SECRET", "SECRETS", "PASSWORD", "PASSWORDS", "PASSWD", "PASSPHRASE",
    "CREDENTIAL", "CREDENTIALS",
)  # fmt: skip
SECRET_LAST_WORDS = ("PWD", "PASS", "PAT", "AUTH")

QUIET = {"TERM": "dumb", "NO_COLOR": "1", "PAGER": "cat", "GIT_PAGER": "cat", "GIT_TERMINAL_PROMPT": "0"}
"""Set for every child: nobody looks at a terminal, and a prompt or a pager would wait for ever."""


def looks_secret(name: str) -> bool:
    """Whether a variable's name says that its value is a secret."""
    words = name.upper().replace("-", "_").split("_")
    if any(word.endswith(SECRET_ENDINGS) for word in words):
        return True
    return len(words) > 1 and words[-1] in SECRET_LAST_WORDS


def child_environ(environ: Mapping[str, str]) -> dict[str, str]:
    """What a child process gets of `environ`."""
    kept = {name: value for name, value in environ.items() if not looks_secret(name)}
    return kept | QUIET
