from __future__ import annotations

import pytest

from harness import wire
from tests.harness.transports import family

FAMILIES = pytest.mark.parametrize("name", wire.FAMILIES)


@FAMILIES
def test_a_request_tells_its_family(name):
    lib = family(name)

    class Own(lib.Request):
        pass

    assert wire.family_of(lib.Request("GET", "https://x")) is lib
    assert wire.family_of(Own("GET", "https://x")) is lib


@pytest.mark.parametrize("value", [None, "GET", object()])
def test_anything_else_is_refused(value):
    with pytest.raises(TypeError, match="httpx or httpx2"):
        wire.family_of(value)


@FAMILIES
def test_streams_pass_for_both_kinds_of_the_family(name):
    lib = family(name)
    stream = wire.stream_class(lib)(iterate=lambda: iter([b"a"]))
    assert isinstance(stream, lib.SyncByteStream)
    assert isinstance(stream, lib.AsyncByteStream)
    assert list(stream) == [b"a"]
    stream.close()
    assert wire.stream_class(lib) is wire.stream_class(lib)


@FAMILIES
class TestErrors:
    @pytest.mark.parametrize(
        "error", ["ConnectError", "ConnectTimeout", "ReadError", "ReadTimeout", "RemoteProtocolError", "WriteError",
                  "PoolTimeout", "ProxyError", "UnsupportedProtocol", "DecodingError", "TooManyRedirects"],
    )  # fmt: skip
    def test_of_the_family(self, name, error):
        lib = family(name)
        request = lib.Request("GET", "https://x")
        made = wire.transport_error(lib, error, "why", request)
        assert type(made) is getattr(lib, error)
        assert (str(made), made.request) == ("why", request)

    @pytest.mark.parametrize(
        ("error", "message"),
        [
            ("ConnectionResetError", "[Errno 104] reset"), ("OSError", ""), ("RuntimeError", "x"),
            ("TimeoutError", "x"), ("UnicodeError", "label too long"),
        ],
    )  # fmt: skip
    def test_of_python(self, name, error, message):
        made = wire.transport_error(family(name), error, message, None)
        assert type(made).__module__ == "builtins"
        assert (type(made).__name__, str(made)) == (error, message)

    @pytest.mark.parametrize(
        "error", ["gaierror", "SSLError", "KeyError", "UnicodeDecodeError", "StopIteration", "StopAsyncIteration",
                  "SystemExit", "KeyboardInterrupt", "GeneratorExit", "Client", "HTTPStatusError", "int", "__doc__"],
    )  # fmt: skip
    def test_others_bear_the_name(self, name, error):
        lib = family(name)
        made = wire.transport_error(lib, error, "why", lib.Request("GET", "https://x"))
        assert isinstance(made, lib.ReadError)
        assert (type(made).__name__, str(made)) == (error, "why")

    @pytest.mark.parametrize("error", [None, "", "no name", "a\0b", "\ud800"])
    def test_no_name_is_a_read_error(self, name, error):
        lib = family(name)
        assert type(wire.transport_error(lib, error, "why", None)) is lib.ReadError
