from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.suites.case import Case, slug


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("lists the folder", "lists-the-folder"),
        ("A.b_c/d\\e", "a-b-c-d-e"),
        ("Straße 7", "strasse-7"),
        ("庭を見る", "庭を見る"),
        ("../../etc/passwd", "etc-passwd"),
        ("e\u0301", "\u00e9"),
    ],
)
def test_slugs(name, expected):
    assert slug(name) == expected


@given(st.text())
def test_a_slug_is_a_file_name(name):
    found = slug(name)
    assert found
    assert len(found.encode()) <= 80
    assert not set(found) & set('/\\:*?"<>|. ')
    assert slug(name) == found


def test_long_names_are_told_from_one_another():
    assert slug("x" * 500) != slug("x" * 501)
    assert slug("!") != slug("?")


def test_a_case_knows_its_folder_and_golden():
    case = Case("garden", Path("r/garden.suite.toml"), 0, "Lists it", "list", ())
    assert (case.folder, case.golden) == (Path("r"), Path("r/goldens/garden/lists-it.json"))
    assert pickle.loads(pickle.dumps(case)) == case
