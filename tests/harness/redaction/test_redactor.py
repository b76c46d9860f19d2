"""Keys in these tests are put together at run time, so that no scanner takes them for leaked ones."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.jsonio import canonical
from agent.sse import SSEDecoder
from harness.redaction.placeholders import unnumbered
from harness.redaction.redactor import Redactor, Rule

TAIL = "aB3dE5gH7jK9" * 4
KEYS = {
    "openai": "s" + "k-" + TAIL,
    "anthropic": "s" + "k-ant-api03-" + TAIL,
    "openrouter": "s" + "k-or-v1-" + TAIL,
    "google": "AI" + "za" + TAIL[:35],
    "github": "gh" + "p_" + TAIL[:36],
    "aws": "AK" + "IA" + "ABCDEFGH12345678",
    "slack": "xo" + "xb-" + "123456789012-" + TAIL[:24],
    "groq": "gs" + "k_" + TAIL,
    "xai": "xa" + "i-" + TAIL,
    "huggingface": "hf" + "_" + TAIL[:34],
    "gitlab": "gl" + "pat-" + TAIL[:20],
    "stripe": "sk" + "_live_" + TAIL[:24],
    "perplexity": "pp" + "lx-" + TAIL,
    "nvidia": "nv" + "api-" + TAIL,
    "npm": "np" + "m_" + TAIL[:36],
}
PEM = "-----BEGIN RSA PRIVATE" + " KEY-----\nMIIEow+/AB\nCDEF==\n-----END RSA PRIVATE" + " KEY-----"
GITHUB_FINE = "github" + "_pat_" + "11ABCDEFG0" + TAIL[:40]


@pytest.mark.parametrize(("rule", "key"), [*KEYS.items(), ("github", GITHUB_FINE)])
@pytest.mark.parametrize("around", ["{}", "key={} ", "a '{}', b", "({})", "x\n{}\ny", "<{}>", "https://h/?k={}&b=1"])
def test_known_shapes(rule, key, around):
    redactor = Redactor()
    expected = around.format(f"[redacted:{rule}:1]")
    assert redactor.text(around.format(key)) == expected
    for dumped in (json.dumps, lambda v: json.dumps(v, ensure_ascii=False, indent=2)):
        found = redactor.bytes(dumped({"a": [around.format(key)]}).encode())
        assert json.loads(found) == {"a": [expected]}
    go_style = json.dumps(around.format(key)).replace("<", "\\u003c").encode()
    assert json.loads(redactor.bytes(go_style)) == expected
    assert redactor.json({around.format(key): 1}) == {expected: 1}


@pytest.mark.parametrize(
    "text",
    [
        "task-force risk-averse-and-so-on desk-1234567890123456789",
        "import sk-learn-contrib-imbalanced",
        "AKIA is a prefix, so is AIza",
        "hf_hub_download ghp_ xoxb- gsk_short",
        "The bearer of this letter is bearer authentication-required",
        'WWW-Authenticate: Bearer realm="x"',
        "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----",
        "chatcmpl-9aBcDeFgHiJkLmNoPqRsTuVwXyZ01 gpt-4o-mini-2024-07-18 fp_0ba0d124f1",
        "",
    ],
)
def test_nothing_else_is_touched(text):
    redactor = Redactor({"KEY": "a value that is not there"})
    assert redactor.text(text) is text
    data = json.dumps(text).encode()
    assert redactor.bytes(data) is data
    value = {"a": text}
    assert redactor.json(value) is value


def test_private_keys():
    redactor = Redactor()
    assert redactor.text(f"a {PEM} b") == "a [redacted:private_key:1] b"
    assert redactor.json({"a": PEM, "b": 1}) == {"a": "[redacted:private_key:1]", "b": 1}
    nested = json.dumps({"a": json.dumps({"b": PEM})}).encode()
    assert json.loads(json.loads(redactor.bytes(nested))["a"])["b"].startswith("[redacted:private_key:")
    cut = redactor.bytes(b'{"a":"x ' + json.dumps(PEM[:60])[1:-1].encode() + b'","b":1}')
    assert json.loads(cut)["b"] == 1
    assert b"MIIE" not in cut
    stream = b"data: " + PEM[:60].replace("\n", "\ndata: ").encode() + b"\n\ndata: next\n\n"
    assert redactor.bytes(stream).endswith(b"\n\ndata: next\n\n")
    assert b"MIIE" not in redactor.bytes(stream)


def test_bearer_tokens_in_text():
    redactor = Redactor()
    token = "abc.DEF-123_" + "xyz~456+/=="
    assert redactor.text(f"curl -H 'Authorization: Bearer {token}'") == (
        "curl -H 'Authorization: Bearer [redacted:bearer:1]'"
    )
    slashes = json.dumps(f"Bearer {token}").replace("/", "\\/").encode()
    assert json.loads(redactor.bytes(slashes)).startswith("Bearer [redacted:bearer:")
    assert redactor.text(f"Bearer {KEYS['openai']}") == "Bearer [redacted:openai:1]"


VALUE = "TESTKEY-" + 'q"/\\+ü\n=1'


class TestValues:
    def test_every_escaping(self):
        plain = "x " + VALUE + " y"
        texts = [
            json.dumps(plain),
            json.dumps(plain, ensure_ascii=False),
            json.dumps(plain).replace("/", "\\/"),
            json.dumps(plain).replace("-", "\\u002d").replace("=", "\\u003D"),
            json.dumps(json.dumps(plain)),
            json.dumps(json.dumps(json.dumps(plain)).replace("/", "\\/")),
        ]
        for text in texts:
            redactor = Redactor({"KEY": VALUE})
            found = redactor.bytes(text.encode())
            assert b"TESTKEY" not in found
            value = json.loads(found)
            while value[:1] == '"':
                value = json.loads(value)
            assert value == "x [redacted:key:1] y"
        assert Redactor({"KEY": VALUE}).text(plain) == "x [redacted:key:1] y"

    def test_percent_encoded(self):
        redactor = Redactor({"KEY": "abc+def/ghi=="})
        assert redactor.text("?k=abc%2Bdef%2Fghi%3D%3D&x=1") == "?k=[redacted:key:1]&x=1"
        assert redactor.text("?k=abc%2bdef%2fghi%3d%3d&x=1") == "?k=[redacted:key:1]&x=1"

    def test_a_value_of_a_known_shape_goes_by_the_shape(self):
        key = KEYS["groq"]
        assert Redactor({"GROQ_API_KEY": key}).text(f"a {key}") == Redactor().text(f"a {key}")

    def test_longest_first(self):
        redactor = Redactor({"A": "SECRETSECRET", "B": "SECRETSECRET-LONGER"})
        assert redactor.text("SECRETSECRET-LONGER SECRETSECRET") == "[redacted:key:1] [redacted:key:2]"

    @pytest.mark.parametrize("dummy", ["", "short", "1234567", "dummy-key", "lm-studio", "Not-Needed", "redacted"])
    def test_short_and_dummy_values_are_let_be(self, dummy):
        text = f"a {dummy} b [redacted:key:1]"
        assert Redactor({"K": dummy}).text(text) == text

    def test_learned_later(self):
        redactor = Redactor()
        data = b'{"a":"TESTKEY-LATER"}'
        assert redactor.bytes(data) is data
        redactor.learn("TESTKEY-LATER")
        redactor.learn("TESTKEY-LATER")
        assert redactor.bytes(data) == b'{"a":"[redacted:key:1]"}'

    def test_a_half_escape_goes_with_the_secret(self):
        redactor = Redactor({"K": "nabcdefgh"})
        assert json.loads(redactor.bytes(b'"x\\nabcdefgh"')) == "x[redacted:key:1]"
        assert json.loads(redactor.bytes(b'"x\\\\nabcdefgh"')) == "x\\[redacted:key:1]"
        assert redactor.text("x\\nabcdefgh") == "x\\[redacted:key:1]"

    def test_a_number_becomes_a_string(self):
        redactor = Redactor({"PIN": "12345678"})
        data = b'{"a":12345678,"b":[12345678 , "x \\" 12345678,"],"c":9912345678,"d":12345678.5}'
        assert json.loads(redactor.bytes(data)) == {
            "a": "[redacted:key:1]",
            "b": ["[redacted:key:1]", 'x " [redacted:key:1],'],
            "c": 9912345678,
            "d": 12345678.5,
        }
        assert redactor.text("pin 12345678") == "pin [redacted:key:1]"


@pytest.mark.parametrize("around", ["pin {}", "x[1]", ""])
def test_a_number_in_json_in_json(around):
    redactor = Redactor({"PIN": "12345678"})
    inner = json.dumps({"a": 12345678, "b": ['"12345678', 12345678], "c": "x"})
    for document in ({"args": inner}, {"text": around.format(12345678), "args": [inner, inner]}):
        found = json.loads(redactor.bytes(json.dumps(document).encode()))
        for args in [found["args"]] if isinstance(found["args"], str) else found["args"]:
            shown = "[redacted:key:1]"
            assert json.loads(args) == {"a": shown, "b": [f'"{shown}', shown], "c": "x"}
        assert found.get("text", "") in (around.replace("{}", "[redacted:key:1]"), "")
    assert json.loads(redactor.text(inner))["a"] == "[redacted:key:1]"


def test_a_known_value_in_a_private_key():
    redactor = Redactor({"K": "MIIEow+/AB"})
    assert redactor.text(f"a {PEM} b") == "a [redacted:private_key:1] b"
    assert json.loads(redactor.bytes(json.dumps(PEM).encode())) == "[redacted:private_key:1]"


def test_percent_encoded_shapes():
    redactor = Redactor()
    token = "abc.DEF-123_xyz~456+/=="
    shown = redactor.text(f"Bearer {token}")
    assert redactor.text("?h=Bearer%20" + quote(token, safe="")) == "?h=Bearer%20" + shown.removeprefix("Bearer ")
    assert redactor.text(PEM) == redactor.text(quote(PEM)) == "[redacted:private_key:1]"


class TestNumbers:
    def test_go_on(self):
        redactor = Redactor()
        redactor.text(KEYS["groq"])
        redactor.go_on(b"x [redacted:openai:7] [redacted:openai:3] [redacted:groq:1]")
        assert redactor.text(KEYS["openai"]) == "[redacted:openai:8]"
        assert redactor.text(f"{KEYS['groq']} {KEYS['groq']}x") == "[redacted:groq:1] [redacted:groq:2]"
        assert redactor.text(KEYS["github"]) == "[redacted:github:1]"

    def test_looking_numbers_nothing(self):
        redactor = Redactor()
        found = redactor.find(f"a {KEYS['openai']} b".encode())
        assert [(secret.start, secret.rule) for secret in found] == [(2, "openai")]
        assert redactor.text(KEYS["openai"] + "x") == "[redacted:openai:1]"

    def test_from_several_threads(self):
        redactor = Redactor()
        keys = [f"{KEYS['openai']}{number}" for number in range(200)]
        with ThreadPoolExecutor(8) as pool:
            found = [*pool.map(redactor.text, keys * 4)]
            [*pool.map(redactor.learn, [f"VALUE-number-{number}" for number in range(100)])]
        assert found[:200] * 4 == found
        assert len({*found}) == 200
        assert all(redactor.text(f"VALUE-number-{n}").startswith("[redacted:key:") for n in range(100))


def test_equal_secrets_equal_placeholders():
    redactor = Redactor()
    a, b = KEYS["openai"], KEYS["openai"] + "x"
    assert redactor.text(f"{a} {b} {a}") == "[redacted:openai:1] [redacted:openai:2] [redacted:openai:1]"
    assert redactor.json([a]) == ["[redacted:openai:1]"]


def test_rules_are_named():
    rules = Redactor(rules=[Rule("badge", r"B-\d{6}")]).rules
    assert rules[0] == "key"
    assert {"openai", "anthropic", "private_key", "badge"} <= {*rules}


class TestUserRules:
    RULES = (Rule("badge", r"B-\d{6}"), Rule("quoted", r'pass(word)?[":= ]+\S+'))

    def test_in_texts_and_json(self):
        redactor = Redactor(rules=self.RULES)
        assert redactor.text("B-123456 B-654321") == "[redacted:badge:1] [redacted:badge:2]"
        assert redactor.json({"a": ["B-123456"]}) == {"a": ["[redacted:badge:1]"]}

    def test_json_and_streams_stay_valid(self):
        redactor = Redactor(rules=self.RULES)
        text = 'the password: "hunter22" and "more"'
        document = json.dumps({"password": "x", "a": text}).encode()
        found = json.loads(redactor.bytes(document))
        assert found == {"password": "x", "a": 'the [redacted:quoted:1] and "more"'}
        frame = b"event: x\r\ndata: " + document + b"\r\n\r\n"
        (frame,) = SSEDecoder().feed(redactor.bytes(frame))
        assert json.loads(frame.data) == found
        assert redactor.bytes(b"data: password=hunter22\n\n") == b"data: [redacted:quoted:2]\n\n"
        assert redactor.bytes(b"plain B-123456\xff") == b"plain [redacted:badge:1]\xff"

    def test_the_ends_of_a_text(self):
        redactor = Redactor(rules=[Rule("first", r"^\w+"), Rule("last", r"\w+$")])
        assert redactor.text(f"a {KEYS['groq']} b c") == "[redacted:first:1] [redacted:groq:1] b [redacted:last:1]"
        assert redactor.text(f"{KEYS['groq']} b {KEYS['groq']}") == "[redacted:groq:1] b [redacted:groq:1]"
        assert redactor.json({"x y": ["p q"]}) == {
            "[redacted:first:2] [redacted:last:2]": ["[redacted:first:3] [redacted:last:3]"]
        }

    def test_nothing_found(self):
        redactor = Redactor(rules=self.RULES)
        data = b'data: {"a": 1.50}\n\n'
        assert redactor.bytes(data) is data

    @pytest.mark.parametrize("rule", [Rule("a b", "x"), Rule("", "x"), Rule("x", "(")])
    def test_bad_rules(self, rule):
        with pytest.raises(ValueError, match="redaction rule"):
            Redactor(rules=[rule])


SECRETS = [*KEYS.values(), PEM, VALUE, "nabcdefgh", "12345678"]
pieces = st.lists(
    st.sampled_from(
        [*(f" {secret}," for secret in SECRETS), *'\\"\n\r/<:,[{ ', "n", "x", "é", "Bearer ", "[redacted:key:1]"]
    )
    | st.text()
)
texts = pieces.map("".join)
values = st.recursive(
    texts | st.integers(-(10**25), 10**25) | st.just(12345678) | st.none(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
rules = st.sampled_from([(), (Rule("all", r"x.*"), Rule("quote", r'["\\].'))])


@given(values, st.booleans(), rules)
def test_json_stays_valid_and_a_second_time_changes_nothing(value, ascii_only, rules):
    redactor = Redactor({"A": VALUE, "B": "nabcdefgh", "C": "12345678"}, rules)
    data = json.dumps(value, ensure_ascii=ascii_only).encode("utf-8", "replace")
    found = redactor.bytes(data)
    json.loads(found)
    assert redactor.bytes(found) == found
    for key in KEYS.values():
        assert key not in found.decode()
    frame = b"data: " + data + b"\n\n"
    assert [json.loads(item.data) for item in SSEDecoder().feed(redactor.bytes(frame))] == [json.loads(found)]


@given(texts)
def test_texts_twice(text):
    redactor = Redactor({"A": VALUE, "B": "nabcdefgh", "C": "12345678"})
    found = redactor.text(text)
    assert redactor.text(found) == found
    assert not any(key in found for key in KEYS.values())


def test_a_live_request_compares_equal_to_the_recorded_one():
    body = {"messages": [{"content": f"{KEYS['openai']} {KEYS['openai']}1"}, {"content": "TESTKEY-AAAA"}]}
    recorded, live = Redactor({"K": "TESTKEY-AAAA"}), Redactor()
    live.text(KEYS["openai"] + "another")
    live.learn("TESTKEY-AAAA")
    one, other = canonical(recorded.json(body)), canonical(live.json(body))
    assert one != other
    assert unnumbered(one) == unnumbered(other)


def test_long_runs_take_linear_time():
    """Each of these takes hours where a pattern takes square time."""
    redactor = Redactor({"K": VALUE, "B": "nabcdefgh", "N": "12345678"})
    key = KEYS["openai"].encode()
    for unit in (b"\\", b"-----BEGIN PRIVATE" + b" KEY-----", b"Bearer a-", b"sk-a-", b"\\u0054", b"a-", b'"', b"\n"):
        found = redactor.bytes(unit * (400_000 // len(unit)) + b" " + key + b" \\u0054")
        assert key not in found


def test_rules_are_asked_once_of_short_texts():
    redactor = Redactor(rules=[Rule("badge", r"B-\d{3}")])
    texts = [b"delta", b"B-123", *(b"%d" % number for number in range(5000))]
    for _ in range(2):
        assert [redactor.by_user_rules(text) for text in texts] == [b"delta", b"[redacted:badge:1]", *texts[2:]]
