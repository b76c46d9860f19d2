"""What a drawing shows, measured on it: bars and dots as values, read off its own axis."""

from __future__ import annotations

import re
from collections.abc import Sequence

from harness.page.plot import Plot
from harness.page.svg import figure
from tests.harness.page.markup import Element, parsed

ROW = 38.0


def drawn(plot: Plot) -> Element:
    return parsed("\n".join(figure(plot, "p")))


def _axis(root: Element) -> tuple[float, float, float, float]:
    """Two places with their values: the outer ticks."""
    ticks = root.all("text", class_="tick")[:-1]
    lines = [one for one in root.all("path") if one.attributes["class"] in ("grid", "zero")]
    found = [
        (float(re.match(r"M(-?[\d.]+) ", line.attributes["d"])[1]), _number(tick.whole))
        for tick, line in zip(ticks, lines, strict=True)
    ]
    (left, low), (right, high) = found[0], found[-1]
    return left, low, right, high


def _number(text: str) -> float:
    return float(re.sub(r"[$%,]", "", text.replace("−", "-")))


def value_at(root: Element, place: float) -> float:
    left, low, right, high = _axis(root)
    return low + (place - left) / (right - left) * (high - low)


def bars(root: Element) -> list[list[tuple[str, float, float]]]:
    """By row: class, start and end of each part, in values."""
    rows: dict[int, list[tuple[str, float, float]]] = {}
    for one in root.all("rect"):
        x, width = float(one.attributes["x"]), float(one.attributes["width"])
        row = int(float(one.attributes["y"]) // ROW)
        rows.setdefault(row, []).append((one.attributes["class"], value_at(root, x), value_at(root, x + width)))
    return [rows.get(row, []) for row in range(len(root.all("text", class_="name")))]


def dots(root: Element) -> list[tuple[float | None, tuple[float, float] | None]]:
    """By row: the value, and the ends of the whisker."""
    values: dict[int, float] = {}
    whiskers: dict[int, tuple[float, float]] = {}
    for one in root.all("circle"):
        values[int(float(one.attributes["cy"]) // ROW)] = value_at(root, float(one.attributes["cx"]))
    for one in root.all("path", class_="whisker"):
        left, middle, right = re.match(r"M(-?[\d.]+) ([\d.]+)H(-?[\d.]+)", one.attributes["d"]).groups()
        whiskers[int(float(middle) // ROW)] = value_at(root, float(left)), value_at(root, float(right))
    return [(values.get(row), whiskers.get(row)) for row in range(len(root.all("text", class_="name")))]


def texts(root: Element, kind: str) -> Sequence[str]:
    return [" ".join(one.text.split()) for one in root.all("text", class_=kind)]
