from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.providers.base_url import KEY_QUERY
from harness.replaying.matching import VOLATILE, MatchRules, differences, nearest, request_key
from harness.replaying.normalizers import BUILT_IN

URL = "https://h/v1/chat/completions"
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


def key(body=b"{}", url=URL, method="POST", **rules):
    return request_key(method, url, body, MatchRules(**rules))


class TestSame:
    @pytest.mark.parametrize(
        ("one", "other"),
        [
            (b'{"a":1,"b":[{"x":1,"y":2}]}', b'{ "b": [{"y": 2, "x": 1}],\n"a": 1 }'),
            (b'{"a":"\\u00e9"}', '{"a":"é"}'.encode()),
            (b'{"a":1}', {"a": 1}),
            (b'{"a":12345678901234567890123}', {"a": 12345678901234567890123}),
            (b"", b""),
            (b"\xff\x00", b"\xff\x00"),
        ],
    )
    def test_bodies(self, one, other):
        assert key(one) == key(other)
        assert hash(key(one)) == hash(key(other))
        assert differences(key(one), key(other)) == []

    def test_the_order_of_the_query_and_keys_in_it(self):
        assert key(url=URL + "?b=2&a=1&key=K1") == key(url=URL + "?a=1&b=2&KEY=other")
        for name in KEY_QUERY:
            assert key(url=f"{URL}?{name}=x") == key()

    def test_method_and_host(self):
        assert key(method="post") == key(url=URL.replace("//h/", "//other/"))
        assert key(host=True) != key(url=URL.replace("//h/", "//other/"), host=True)

    @pytest.mark.parametrize("name", VOLATILE)
    def test_volatile_fields(self, name):
        assert key({name: 1, "a": 2}) == key({"a": 2})
        assert key({"a": {name: 1}}) != key({"a": {}})

    def test_normalizers(self, monkeypatch):
        monkeypatch.setitem(BUILT_IN, "upper", lambda body: {k: v.upper() for k, v in body.items()})
        assert key({"a": "x"}, normalizers=("upper",)) == key({"a": "X"}, normalizers=("upper",))

    def test_an_unknown_normalizer_is_refused(self):
        with pytest.raises(ValueError, match="unknown normalizer 'nope'; known are codex, dates"):
            MatchRules(normalizers=("nope",))


class TestDifferent:
    @pytest.mark.parametrize(
        ("one", "other", "path"),
        [
            ({"model": "m"}, {"model": "m2"}, "model"),
            ({"temperature": 0.1}, {}, "temperature"),
            ({}, {"tools": []}, "tools"),
            ({"m": [{"c": "A"}]}, {"m": [{"c": "B"}]}, "m[0].c"),
            ({"m": [1]}, {"m": [1, 2]}, "m[1]"),
            ({"m": True}, {"m": 1}, "m"),
            ({"m": None}, {"m": 0}, "m"),
            ({"m": None}, {}, "m"),
            ({"m": {}}, {"m": []}, "m"),
            ({"m": 1}, b"", "body"),
            (b"abc", b"abd", "body"),
            ([1], {"a": 1}, "body"),
        ],
    )
    def test_the_path_is_named(self, one, other, path):
        assert key(one) != key(other)
        assert [found.path for found in differences(key(one), key(other))] == [path]

    @pytest.mark.parametrize(
        ("one", "other", "said"),
        [
            ("?x=1", "", 'query.x: recorded "1", sent nothing'),
            ("", "?x=1", 'query.x: recorded nothing, sent "1"'),
            ("?x=1", "?x=2", 'query.x: recorded "1", sent "2"'),
            ("?x=1&x=2", "?x=2", 'query.x: recorded ["1","2"], sent "2"'),
            ("?x=", "", 'query.x: recorded "", sent nothing'),
        ],
    )
    def test_queries(self, one, other, said):
        assert [found.say("sent") for found in differences(key(url=URL + one), key(url=URL + other))] == [said]

    def test_method_host_and_path(self):
        other = key(url="https://i/v1/responses", method="PUT", host=True)
        assert [found.path for found in differences(key(host=True), other)] == ["method", "host", "path"]

    def test_deep_values(self):
        def deep(leaf):
            for _ in range(300):
                leaf = [leaf]
            return leaf

        found = differences(key({"a": deep(1)}), key({"a": deep(2)}))
        assert len(found) == 1
        assert len(found[0].say("sent")) < 1000


@given(json_values, json_values)
def test_keys_and_differences_agree(one, other):
    assert (key(one) == key(other)) == (differences(key(one), key(other)) == [])
    for found in differences(key(one), key(other)):
        assert "\n" not in found.say("sent")


class TestNearest:
    def test_fewest_differences_then_the_smallest_then_the_first(self):
        asked = key({"a": 1, "b": 2})
        assert nearest([key({"a": 9, "b": 9}), key({"a": 1, "b": "long " * 20}), key({"a": 1, "b": 3})], asked)[0] == 2
        assert nearest([key({"a": 1, "b": 3}), key({"a": 1, "b": 4})], asked)[0] == 0

    def test_no_candidate(self):
        assert nearest([], key()) is None
