"""A report as one HTML page: the blocks of its text, and plots of its data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from harness.page.blocks import Blocks
from harness.page.cost_plots import cost_plots
from harness.page.diff_plots import comparison_plots
from harness.page.embedded import embedded
from harness.page.plot import Plot
from harness.page.shell import page
from harness.page.suite_plots import suite_plots
from harness.page.svg import figure
from harness.page.sweep_plots import sweep_plots
from harness.report.figures import listed
from harness.report.report import Block, Heading, Report, Table

PLOTS: dict[str, Callable[[dict[str, Any]], list[Plot]]] = {
    "cost": cost_plots,
    "diff": comparison_plots,
    "suite": suite_plots,
    "sweep": sweep_plots,
    "trials": lambda data: comparison_plots(data["comparison"]),
}
"""By the name of a report, what draws its data. The others have no plots."""

_TITLES = {
    "diff": "Comparison", "suite": "Suite run", "suite-accept": "Golden events", "suite-prove": "Proof of a suite",
    "sweep": "Sweep",
}  # fmt: skip
"""Of reports that do not begin with a heading."""


def report_page(report: Report, name: str, version: str) -> str:
    """The whole document. `name`: what the report is of, `diff` or `cost`. `version`: of this program.

    Recordings that a report of suites or of a comparison is about are read, and shown below it.
    """
    blocks = [*report.blocks]
    title = _title(name, report.data)
    first = blocks[0] if blocks else None
    if isinstance(first, Heading):
        title, blocks = first.text, blocks[1:]
    draw = PLOTS.get(name)
    recordings, links = embedded(name, report.data)
    body = _body(blocks, [] if draw is None else draw(report.data), Blocks(links))
    return page(title, [*body, *recordings], version, parts=("viewer",) if recordings else ())


def _title(name: str, data: Mapping[str, Any]) -> str:
    title = _TITLES.get(name, name.capitalize())
    return f"{title} of {listed([one['name'] for one in data['contenders']])}" if name == "diff" else title


def _body(blocks: Sequence[Block], plots: Sequence[Plot], writer: Blocks) -> Iterator[str]:
    """The plots stand before the first table: what introduces that introduces them too."""
    blocks = _totals_first(blocks)
    first = next((at for at, block in enumerate(blocks) if isinstance(block, Table) and block.rows), len(blocks))
    for at, block in enumerate(blocks):
        if at == first:
            yield from _figures(plots)
        yield from writer.write(block)


def _totals_first(blocks: Sequence[Block]) -> Sequence[Block]:
    """A report that begins with a table ends with sentences on the whole of it, where a terminal shows them; a page
    begins with these."""
    if not blocks or not isinstance(blocks[0], Table):
        return blocks
    end = len(blocks)
    while isinstance(blocks[end - 1], str):
        end -= 1
    return [*blocks[end:], *blocks[:end]]


def _figures(plots: Sequence[Plot]) -> Iterator[str]:
    if plots:
        yield '<div class="plots">'
        for number, plot in enumerate(plots):
            yield from figure(plot, f"plot-{number}")
        yield "</div>"
