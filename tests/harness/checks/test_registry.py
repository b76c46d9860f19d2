from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest

from harness.checks import registry
from harness.checks.base import Check
from harness.checks.registry import BUILT_IN, GROUP, check_class, names
from harness.errors import CheckError


@pytest.fixture
def installed(monkeypatch):
    """Entry points as packages would bring them."""
    points = []

    def entry_points(*, group, name=None):
        return [point for point in points if point.group == group and name in (None, point.name)]

    monkeypatch.setattr(registry, "entry_points", entry_points)
    check_class.cache_clear()
    yield lambda name, value: points.append(EntryPoint(name, value, GROUP))
    check_class.cache_clear()


@pytest.mark.parametrize("name", BUILT_IN)
def test_built_in_checks(name):
    found = check_class(name)
    assert issubclass(found, Check)
    assert found.model_fields["type"].annotation.__args__ == (name,)
    assert found.of in ("outcome", "way")


def test_which_look_at_the_outcome_and_which_need_frames():
    assert {name for name in BUILT_IN if check_class(name).of == "outcome"} == {"file", "text"}
    assert {name for name in BUILT_IN if check_class(name).needs_frames} == {"events", "requests"}


def test_a_check_of_a_package(installed):
    installed("even", "tests.harness.checks.test_base:Even")
    assert check_class("even").__name__ == "Even"
    assert names() == sorted([*BUILT_IN, "even"])


def test_a_built_in_check_wins(installed):
    installed("text", "tests.harness.checks.test_base:Even")
    assert check_class("text").__module__ == BUILT_IN["text"].partition(":")[0]


@pytest.mark.parametrize(
    ("points", "name", "reason"),
    [
        ([], "tool", "unknown check 'tool'; did you mean 'tools'"),
        ([("sentiment", "x:Y")], "sentimental", "unknown check 'sentimental'; did you mean 'sentiment'"),
        ([], "zzz", "unknown check 'zzz'; known are budget, complete,"),
        ([("x", "no_such_module:X")], "x", "check 'x': no_such_module:X does not load: ModuleNotFoundError: "),
        ([("x", "json:nothing")], "x", "check 'x': json:nothing does not load: AttributeError: "),
        ([("x", "json:loads")], "x", "check 'x': json:loads is no subclass of harness.checks.base.Check"),
        ([("x", "json:a"), ("x", "json:b")], "x", "check 'x': several packages have one: json:a, json:b"),
    ],
)
def test_what_cannot_be_had(installed, points, name, reason):
    for point in points:
        installed(*point)
    with pytest.raises(CheckError) as error:
        check_class(name)
    assert str(error.value).startswith(reason)


def test_the_place_of_an_entry_point_names_its_package():
    class Point:
        value = "a:B"
        dist = type("Dist", (), {"name": "package"})()

    assert registry._place(Point()) == "a:B of package"
