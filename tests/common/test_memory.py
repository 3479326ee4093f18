"""Amounts of memory in bytes and in words."""

from __future__ import annotations

import numpy as np
import pytest

from bitsieve.common.memory import check_memory, refuse_more


@pytest.mark.parametrize(
    ("memory", "n_bytes"),
    [
        (None, None),
        (1, 1),
        (np.int64(5), 5),
        ("4GB", 4_000_000_000),
        ("4 gb", 4_000_000_000),
        ("1.5 MiB", 3 << 19),
        ("2TiB", 1 << 41),
        ("100b", 100),
    ],
)
def test_amounts(memory, n_bytes):
    assert check_memory(memory) == n_bytes


@pytest.mark.parametrize("memory", ["", "GB", "4", "-4GB", "4GB of it", "0GB", 0, -1, 2.0, False, [], "4 XB"])
def test_what_is_none(memory):
    with pytest.raises(ValueError, match="is not allowed: give bytes, or a number and a unit"):
        check_memory(memory)


def test_more_than_there_is():
    refuse_more(10, None, "they")
    refuse_more(10, 10, "they")
    with pytest.raises(ValueError, match=r"they take 11 GB, more than memory=10 GB"):
        refuse_more(11 * 10**9, 10**10, "they")
