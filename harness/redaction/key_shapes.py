"""What secrets look like: the known key shapes as data, and placeholder values that are none.

Sources are the providers' own pages on key formats (GitHub's token formats, AWS unique identifiers, Slack token types,
RFC 6750 for bearer tokens, RFC 7468 for PEM) and the keys that their consoles hand out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

_PLACEHOLDER = rb"(?P<placeholder>\[redacted:[A-Za-z0-9_.-]+:[0-9]+\])"

_ESCAPE = rb"\\{1,64}"
"""JSON inside JSON doubles backslashes; bounded, so that a run of them costs no square time."""

START = rb"(?:(?<![A-Za-z0-9])|(?<=\\[nrtbf])|(?<=\\u[0-9A-Fa-f]{4}))(?<![A-Za-z0-9_-]{32})"
"""A key begins where a word does, also right behind a JSON escape; but not inside a long run of such characters: in the
encrypted data of providers, which must stay as it is, `-sk-` and the like come up by chance.
"""

_WORDS = rb"(?:[a-z]{1,14}-)*[a-z]{1,14}"
_NOT_WORDS = rb"(?!" + _WORDS + rb"(?![A-Za-z0-9_-]))"
_NOT_PROSE = rb"(?!" + _WORDS + rb"\.?(?![A-Za-z0-9._~+/=-]))"
"""Lower-case words joined by hyphens are a name (`sk-learn-some-package`), no key."""


def secret_pattern(secret: bytes) -> re.Pattern[bytes]:
    """Finds a secret, and placeholders too, so that nothing is found inside one. `secret` has a group `lead`.

    Backslashes before it are matched with it, so that no half escape is left behind.
    """
    return re.compile(_PLACEHOLDER + rb"|(?<!\\)(?P<slashes>\\*)" + secret)


@dataclass(frozen=True)
class Shape:
    """What a secret looks like (`secret`), and what stands before it and is kept (`lead`).

    Of the shapes that are runs of letters, digits, `_` and `-`, `heads` say how they begin, one character or set of
    characters after another, and `openings` find a beginning that reaches the end of a text.
    """

    name: str
    secret: bytes
    lead: bytes = b""
    heads: tuple[bytes, ...] = ()
    openings: tuple[bytes, ...] = ()

    @cached_property
    def quick(self) -> re.Pattern[bytes]:
        """Finds something wherever `pattern` does, and little else."""
        return re.compile(self.lead + b"(?:" + self.secret + b")")

    @cached_property
    def pattern(self) -> re.Pattern[bytes]:
        """Has the groups `placeholder`, `slashes`, and `lead`."""
        return secret_pattern(START + b"(?P<lead>" + self.lead + b")(?:" + self.secret + b")")


@dataclass(slots=True, frozen=True)
class _Key:
    """One form of a shape: a head, then `least` or more of `chars`.

    `unless`: a lookahead behind the head.
    """

    head: bytes
    chars: bytes
    least: int
    unless: bytes = b""

    @property
    def secret(self) -> bytes:
        return self.head + self.unless + self.chars + b"{%d,}" % self.least

    @property
    def opening(self) -> bytes:
        """The head as far as it goes, or all of it and more of the key."""
        return nested(units(self.head), self.chars + rb"*\Z")


def units(head: bytes) -> list[bytes]:
    """The parts of a head that stand for one character each."""
    return re.findall(rb"\[[^\]]*\]|.", head)


def nested(parts: Sequence[bytes], rest: bytes) -> bytes:
    """Finds the first of `parts`, and then the others and `rest`, or the end of the text before them."""
    pattern = rest
    for part in reversed(parts[1:]):
        pattern = rb"(?:\Z|" + part + pattern + b")"
    return parts[0] + pattern


def _shape(name: str, *keys: _Key) -> Shape:
    secret = b"|".join(key.secret for key in keys)
    return Shape(name, secret, heads=tuple(key.head for key in keys), openings=tuple(key.opening for key in keys))


SPACE = rb"(?: |%20)"
PEM_NAME = rb"(?:[A-Z0-9 ]|%20){0,40}PRIVATE" + SPACE + b"KEY(?:" + SPACE + b"BLOCK)?-----"
PEM_LENGTH = 20_000
PEM_END = rb"-----END" + SPACE + PEM_NAME
_PEM_LINE = rb"[A-Za-z0-9+/=:, .-]|\\{1,64}[nr/]|\r?\n(?=[A-Za-z0-9+/=])|%(?:0[ADad]|2[BFbf0]|3[Dd])"
_PEM = (
    rb"-----BEGIN" + SPACE + PEM_NAME
    + rb'(?:[^"]{0,%d}?' % PEM_LENGTH + PEM_END
    + rb"|(?:" + _PEM_LINE + rb"){0,%d})" % PEM_LENGTH
)  # fmt: skip

BEARER_CHAR = rb"(?:[A-Za-z0-9._~+/=-]|\\/|%(?:2[BFbf]|3[Dd]))"

_ALNUM = rb"[A-Za-z0-9]"
_WORD = rb"[A-Za-z0-9_-]"
_AWS_HEADS = (b"AKIA", b"ASIA")

SHAPES: tuple[Shape, ...] = (
    Shape("private_key", _PEM),
    _shape("anthropic", _Key(b"sk-ant-", _WORD, 16)),
    _shape("openrouter", _Key(b"sk-or-", _WORD, 16)),
    _shape("openai", _Key(b"sk-", _WORD, 16, unless=_NOT_WORDS)),
    _shape("stripe", _Key(b"[sr]k_live_", _ALNUM, 16), _Key(b"[sr]k_test_", _ALNUM, 16)),
    _shape("google", _Key(b"AIza", _WORD, 30)),
    Shape(
        "aws",
        rb"A(?:KIA|SIA)[A-Z0-9]{16}(?![A-Z0-9])",
        heads=_AWS_HEADS,
        openings=tuple(nested(units(head), rb"[A-Z0-9]{0,16}\Z") for head in _AWS_HEADS),
    ),
    _shape("github", _Key(b"gh[pousr]_", _ALNUM, 20), _Key(b"github_pat_", rb"[A-Za-z0-9_]", 20)),
    _shape("gitlab", _Key(b"glpat-", _WORD, 16)),
    _shape("slack", _Key(b"xox[abeoprs]-", rb"[A-Za-z0-9-]", 10), _Key(b"xapp-", rb"[A-Za-z0-9-]", 10)),
    _shape("groq", _Key(b"gsk_", _ALNUM, 20)),
    _shape("xai", _Key(b"xai-", _WORD, 20)),
    _shape("huggingface", _Key(b"hf_", _ALNUM, 20)),
    _shape("perplexity", _Key(b"pplx-", _ALNUM, 20)),
    _shape("nvidia", _Key(b"nvapi-", _WORD, 20)),
    _shape("npm", _Key(b"npm_", _ALNUM, 30)),
    Shape("bearer", _NOT_PROSE + BEARER_CHAR + b"{16,}", lead=rb"[Bb]earer" + SPACE + b"+"),
)


def _hint(head: bytes) -> bytes:
    """Behind a head that stands where a key may begin (see `START`)."""
    before = (rb"(?<![A-Za-z0-9]%s)", rb"(?<=\\[nrtbf]%s)", rb"(?<=\\u[0-9A-Fa-f]{4}%s)")
    return rb"(?<=%s)(?:%s)" % (head, b"|".join(way % head for way in before))


def _hints(*heads: bytes) -> bytes:
    return b"(?:" + b"|".join(map(_hint, heads)) + b")"


HINTS = (
    re.compile(
        rb"-(?<=[abeikoprstx-]-)(?:(?<=--)---BEGIN[ %]|"
        + _hints(b"sk-", b"xai-", b"xox[abeoprs]-", b"xapp-", b"pplx-", b"glpat-", b"nvapi-")
        + b")"
    ),
    re.compile(
        rb"_(?<=[fhkmoprstue]_)"
        + _hints(b"gsk_", b"hf_", b"gh[pousr]_", b"github_pat_", b"npm_", b"[rs]k_live_", b"[rs]k_test_")
    ),
    re.compile(rb"A(?:Iza|KIA|SIA)"),
    re.compile(rb" (?<=[Bb]earer )"),
    re.compile(rb"%20(?<=[Bb]earer%20)"),
)
"""Cheap searches, each led by a single byte, one of which finds something wherever a shape does."""

_dash, _underscore, _upper_a, _space, _percent = (hint.search for hint in HINTS)


def may_hold_key(data: bytes) -> bool:
    """Whether one of the `HINTS` finds something."""
    return (
        _dash(data) is not None
        or _underscore(data) is not None
        or _upper_a(data) is not None
        or _space(data) is not None
        or (37 in data and _percent(data) is not None)  # a percent sign
    )


NOT_SECRET = frozenset({
    "anonymous", "api-key", "apikey", "changeme", "dummy-key", "dummykey", "lm-studio", "localhost", "no-api-key",
    "no-key-needed", "none-needed", "not-needed", "not-required", "placeholder", "redacted", "sk-dummy",
    "sk-no-key-required", "test-key", "your-api-key",
})  # fmt: skip
"""What people put where a local server wants no key. Replacing such words would only garble texts."""

AWS_LENGTH = 20
"""Characters of an AWS key id, the shortest key of known shape that is letters and digits only."""

MIN_LENGTH = 8
"""Characters a value must have to be replaced wherever it stands."""


def is_secret(value: str) -> bool:
    """Whether a value from a key's place is long and odd enough to be replaced in texts."""
    return len(value) >= MIN_LENGTH and value.lower() not in NOT_SECRET


def shape_of(value: bytes) -> str | None:
    """The name of the shape that the whole of `value` has."""
    if not may_hold_key(value):
        return None
    return next((shape.name for shape in SHAPES if shape.pattern.fullmatch(value)), None)


def is_number(value: str) -> bool:
    """Whether JSON would read the value as a number."""
    return re.fullmatch(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?", value) is not None


def plain_run(value: str) -> bytes:
    """The longest part of a value that no usual escaping touches (RFC 3986, 2.3)."""
    return max(re.findall(r"[A-Za-z0-9._~-]+", value), key=len, default="").encode()


def char_pattern(char: str) -> bytes:
    r"""Finds a character as it is, in any JSON escaping (`\u002d`, `\/`, JSON inside JSON) and percent-encoded."""
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
    return b"(?:" + b"|".join(forms) + b")"


def value_pattern(value: str) -> re.Pattern[bytes]:
    """Finds a secret in every form that `char_pattern` knows."""
    pattern = b"".join(map(char_pattern, value))
    if is_number(value):
        pattern = rb"(?<![0-9.eE+-])" + pattern + rb"(?![0-9.eE])"
    return secret_pattern(b"(?P<lead>)" + pattern)
