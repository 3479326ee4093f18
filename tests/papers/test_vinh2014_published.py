"""What the paper prints: its numbers are all there, and agree with what it says of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from papers.vinh2014.data import INDEPENDENT, METHODS, TABLE_2, TABLE_3, TABLE_4, TABLE_5


def test_the_paper_s_rows_are_all_there():
    assert set(TABLE_4) == set(TABLE_5)
    assert len(TABLE_5) == 15
    assert all(list(row) == list(METHODS) for row in TABLE_5.values())
    assert len(TABLE_2) == 6
    assert set(TABLE_2) < set(TABLE_5)
    assert set(TABLE_5) - set(INDEPENDENT) == {"Gisette"}
    assert len(TABLE_3) == 7


# Wins, ties and losses of SPECCMI, the last line of table 5.
LAST_LINE = {"maxRel": (10, 4, 1), "MIQ": (11, 2, 2), "CIFE": (14, 1, 0), "MRMR": (4, 9, 2), "EMRMR": (4, 8, 3)} | {
    "QPFS": (9, 4, 2)
}


# Of every row of table 5, and of every column, the sums of its errors and of its deviations in tenths of a per cent;
# and the signs. What changes a number changes a row and a column.
OF_ROWS = {
    "Lung": (815, 227, "++++++="),
    "NCI60": (2602, 635, "+++=--="),
    "Colon": (907, 108, "==+=-+="),
    "Leukemia": (199, 70, "+-+--=="),
    "Lymphoma": (448, 225, "=++==+="),
    "SRBCT": (172, 123, "-++-=-="),
    "Promoter": (649, 217, "==++==="),
    "Spambase": (877, 151, "+++=++="),
    "Musk2": (519, 99, "+-====="),
    "Arrhythmia": (1598, 113, "++++++="),
    "Multifeat": (159, 73, "+++==+="),
    "Optdigits": (232, 180, "+++==+="),
    "Waveform": (992, 90, "=++===="),
    "Gisette": (502, 181, "+++=++="),
    "Madelon": (1570, 223, "++++=+="),
}
OF_COLUMNS = {
    "maxRel": (1662, 383),
    "MIQ": (1936, 548),
    "CIFE": (2379, 360),
    "MRMR": (1633, 357),
    "EMRMR": (1495, 332),
    "QPFS": (1627, 398),
    "SPECCMI": (1509, 337),
}


def in_tenths(cells):
    """The sums of errors and deviations, which have one digit behind the point."""
    cells = list(cells)
    tenths = [tuple(round(10 * value, 9) for value in (cell.error, cell.deviation)) for cell in cells]
    assert all(value == int(value) > 0 for pair in tenths for value in pair)
    return tuple(int(sum(values)) for values in zip(*tenths, strict=True))


def test_every_cell_of_table_5_counts():
    rows = {name: (*in_tenths(row.values()), "".join(c.sign for c in row.values())) for name, row in TABLE_5.items()}
    assert rows == OF_ROWS
    assert {method: in_tenths(row[method] for row in TABLE_5.values()) for method in METHODS} == OF_COLUMNS


@pytest.mark.parametrize("method", LAST_LINE)
def test_signs_add_up_to_the_paper_s_last_line(method):
    signs = [row[method].sign for row in TABLE_5.values()]
    assert tuple(signs.count(sign) for sign in "+=-") == LAST_LINE[method]


def test_seconds_are_those_of_the_methods():
    """The paper: "MRMR outpaces SPECCMI"; QPFS is slower than that by two or more orders "on average"."""
    for seconds in TABLE_3.values():
        assert seconds.mrmr < seconds.speccmi
    ratios = [seconds.qpfs / seconds.speccmi for seconds in TABLE_3.values() if seconds.qpfs is not None]
    assert np.mean(ratios) > 100


def test_the_documentation_has_the_same_seconds():
    text = (Path(__file__).parents[2] / "docs" / "papers.md").read_text(encoding="utf-8")
    part = text.partition("## Table 3")[2].partition("\n## ")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in part.splitlines() if line[:1] == "|"]
    assert rows[0][1::2] == ["QPFS, s", "MRMR, s", "SPECCMI, s"]
    for size, *cells in rows[2:]:
        assert tuple(map(float, cells[1::2])) == TABLE_3[int(size.replace(",", ""))]
