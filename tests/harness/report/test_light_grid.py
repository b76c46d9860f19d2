from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from harness.report.grid import grid
from harness.report.light_grid import light_grid

HEADERS = ["verdict", "recording", "n"]
cells = st.text("ab/-_. \u8336\u00e9\x1b\n", max_size=40)


@given(st.lists(st.tuples(cells, cells, cells), max_size=5), st.sampled_from([None, 20, 45, 200]))
def test_it_is_the_table_of_tabulate(rows, width):
    assert light_grid(HEADERS, rows, ["n"], width) == grid(HEADERS, rows, ["n"], width)
