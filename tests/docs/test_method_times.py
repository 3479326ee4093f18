"""The table of the time of every method is what the methods say."""

from __future__ import annotations

import pytest
from tools.method_times import PAGE, SIZES, page, table

from bitsieve.methods.registry import list_methods


def test_the_page_is_what_the_methods_say():
    assert PAGE.read_text(encoding="utf-8") == page(), "python -m tools.method_times writes it anew"


def test_every_method_has_a_line():
    lines = table().splitlines()
    listed = [name for line in lines[2:] for name in line.split("|")[1].strip().split(", ")]
    assert sorted(listed) == sorted(f"`{method.name}`" for method in list_methods() if not method.same_as)
    assert all(line.count("|") == len(SIZES) + 2 for line in lines)


@pytest.mark.parametrize("method", list_methods(), ids=lambda method: method.name)
def test_more_columns_and_rows_take_longer(method):
    for n, d in ((100, 50), (5_000, 70), (300, 20_000)):
        seconds = method.seconds(n, d, 20)
        assert 0 < seconds < method.seconds(4 * n, d, 20) < method.seconds(16 * n, d, 20)
        assert seconds < method.seconds(n, 4 * d, 20) or method.name == "sdpcmi"  # to 2,000 columns n^3 alone
