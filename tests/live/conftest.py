from __future__ import annotations

import pytest

from tests.llamacpp import llamacpp, missing


def pytest_collection_modifyitems(items):
    reason = missing()
    for item in items:
        if "tests/live/" in item.path.as_posix():
            item.add_marker(pytest.mark.live)
            if reason:
                item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """The URL of a llama.cpp server that thinks, calls tools and answers."""
    with llamacpp(tmp_path_factory.mktemp("llamacpp")) as url:
        yield url
