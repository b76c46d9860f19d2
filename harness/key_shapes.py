"""What secrets look like: the known key shapes as data, and placeholder values that are none.

Sources are the providers' own pages on key formats (GitHub's token formats, AWS unique identifiers, Slack token types,
RFC 6750 for bearer tokens, RFC 7468 for PEM) and the keys that their consoles hand out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_PLACEHOLDER = rb"(?P<placeholder>\[redacted:[A-Za-z0-9_.-]+:[0-9]+\])"

_ESCAPE = rb"\\{1,64}"
"""JSON inside JSON doubles backslashes; bounded, so that a run of them costs no square time."""

_START = rb"(?:(?<![A-Za-z0-9])|(?<=\\[nrtbf])|(?<=\\u[0-9A-Fa-f]{4}))"
"""A key begins where a word does, also right behind a JSON escape."""

_WORDS = rb"(?:[a-z]{1,14}-)*[a-z]{1,14}"
_NOT_WORDS = rb"(?!" + _WORDS + rb"(?![A-Za-z0-9_-]))"
_NOT_PROSE = rb"(?!" + _WORDS + rb"\.?(?![A-Za-z0-9._~+/=-]))"
"""Lower-case words joined by hyphens are a name (`sk-learn-some-package`), no key."""


def _pattern(secret: bytes) -> re.Pattern[bytes]:
    """Finds a secret, and placeholders too, so that nothing is found inside one.

    Backslashes before it are matched with it, so that no half escape is left behind.
    """
    return re.compile(_PLACEHOLDER + rb"|(?<!\\)(?P<slashes>\\*)" + secret)


@dataclass(slots=True, frozen=True)
class Shape:
    """`quick` finds something wherever `pattern` does, and little else.

    `pattern` has the groups `placeholder`, `slashes`, and `lead` for what stands before the secret and is kept.
    """

    name: str
    quick: re.Pattern[bytes]
    pattern: re.Pattern[bytes]


def _shape(name: str, secret: bytes, lead: bytes = b"") -> Shape:
    return Shape(
        name,
        re.compile(lead + b"(?:" + secret + b")"),
        _pattern(_START + b"(?P<lead>" + lead + b")(?:" + secret + b")"),
    )


_PEM_NAME = rb"[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
_PEM_LINE = rb"[A-Za-z0-9+/=:, .-]|\\{1,64}[nr/]|\r?\n(?=[A-Za-z0-9+/=])"

SHAPES: tuple[Shape, ...] = (
    _shape(
        "private_key",
        rb"-----BEGIN "
        + _PEM_NAME
        + rb'(?:[^"]{0,20000}?-----END '
        + _PEM_NAME
        + rb"|(?:"
        + _PEM_LINE
        + rb"){0,20000})",
    ),
    _shape("anthropic", rb"sk-ant-[A-Za-z0-9_-]{16,}"),
    _shape("openrouter", rb"sk-or-[A-Za-z0-9_-]{16,}"),
    _shape("openai", rb"sk-" + _NOT_WORDS + rb"[A-Za-z0-9_-]{16,}"),
    _shape("stripe", rb"[sr]k_(?:live|test)_[A-Za-z0-9]{16,}"),
    _shape("google", rb"AIza[A-Za-z0-9_-]{30,}"),
    _shape("aws", rb"A(?:KIA|SIA)[A-Z0-9]{16}(?![A-Z0-9])"),
    _shape("github", rb"gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}"),
    _shape("gitlab", rb"glpat-[A-Za-z0-9_-]{16,}"),
    _shape("slack", rb"xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-[A-Za-z0-9-]{10,}"),
    _shape("groq", rb"gsk_[A-Za-z0-9]{20,}"),
    _shape("xai", rb"xai-[A-Za-z0-9_-]{20,}"),
    _shape("huggingface", rb"hf_[A-Za-z0-9]{20,}"),
    _shape("perplexity", rb"pplx-[A-Za-z0-9]{20,}"),
    _shape("nvidia", rb"nvapi-[A-Za-z0-9_-]{20,}"),
    _shape("npm", rb"npm_[A-Za-z0-9]{30,}"),
    _shape("bearer", _NOT_PROSE + rb"(?:[A-Za-z0-9._~+/=-]|\\/){16,}", lead=rb"[Bb]earer +"),
)

HINTS = (
    re.compile(
        rb"-(?<=[abeikoprstx-]-)"
        rb"(?:(?<=sk-)|(?<=xai-)|(?<=xox[abeoprs]-)|(?<=xapp-)|(?<=pplx-)|(?<=glpat-)|(?<=nvapi-)|(?<=--)---BEGIN )"
    ),
    re.compile(
        rb"_(?<=[fhkmoprstue]_)(?:(?<=gsk_)|(?<=hf_)|(?<=gh[pousr]_)|(?<=_pat_)|(?<=npm_)|(?<=k_(?:live|test)_))"
    ),
    re.compile(rb"A(?:Iza|KIA|SIA)"),
    re.compile(rb" (?<=earer )"),
)
"""Cheap searches, each led by a single byte, one of which finds something wherever a shape does."""

NOT_SECRET = frozenset({
    "anonymous", "api-key", "apikey", "changeme", "dummy-key", "dummykey", "lm-studio", "localhost", "no-api-key",
    "no-key-needed", "none-needed", "not-needed", "not-required", "placeholder", "redacted", "sk-dummy",
    "sk-no-key-required", "test-key", "your-api-key",
})  # fmt: skip
"""What people put where a local server wants no key. Replacing such words would only garble texts."""

MIN_LENGTH = 8
"""Characters a value must have to be replaced wherever it stands."""


def is_secret(value: str) -> bool:
    """Whether a value from a key's place is long and odd enough to be replaced in texts."""
    return len(value) >= MIN_LENGTH and value.lower() not in NOT_SECRET


def shape_of(value: bytes) -> str | None:
    """The name of the shape that the whole of `value` has."""
    return next((shape.name for shape in SHAPES if shape.pattern.fullmatch(value)), None)


def is_number(value: str) -> bool:
    """Whether JSON would read the value as a number."""
    return re.fullmatch(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?", value) is not None


def value_pattern(value: str) -> re.Pattern[bytes]:
    r"""Finds a secret as it is, in any JSON escaping (`\u002d`, `\/`, JSON inside JSON) and percent-encoded."""
    parts = []
    for char in value:
        raw = char.encode("utf-8", "surrogatepass")
        units = char.encode("utf-16-be", "surrogatepass")
        codes = b"".join(
            _ESCAPE + rb"u(?i:%04x)" % int.from_bytes(units[i : i + 2], "big") for i in range(0, len(units), 2)
        )
        forms = [re.escape(raw), codes]
        if not char.isalnum() or not char.isascii():
            forms.append(b"(?i:" + b"".join(b"%%%02x" % byte for byte in raw) + b")")
        short = {"\n": b"n", "\r": b"r", "\t": b"t", "\b": b"b", "\f": b"f"}.get(char)
        if short:
            forms.append(_ESCAPE + short)
        elif char in '"\\/':
            forms[0] = rb"\\{0,64}" + re.escape(raw)
        parts.append(b"(?:" + b"|".join(forms) + b")")
    pattern = b"".join(parts)
    if is_number(value):
        pattern = rb"(?<![0-9.eE+-])" + pattern + rb"(?![0-9.eE])"
    return _pattern(b"(?P<lead>)" + pattern)
