"""Brute force is the plain count of two columns by class, and finds an integer that differs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from benchmarks.brute_force import KERNELS, compare, random_table


def test_the_cells_are_those_of_a_loop():
    table = random_table(np.random.default_rng(0))
    width = int(table.widths[0])
    expected = np.zeros((width, width, table.n_classes), np.int64)
    for code, label in zip(table.codes[:, 0], table.classes, strict=True):
        expected[code, code, label] += 1
    assert table.cells[0][: expected.size].tolist() == expected.ravel().tolist()


@pytest.mark.parametrize("kernel", KERNELS)
def test_another_integer_is_found(kernel):
    table = random_table(np.random.default_rng(0))
    assert compare(table, kernel) > 0
    wrong = replace(table, cells=[*table.cells[:-1], table.cells[-1] + 1])
    with pytest.raises(AssertionError, match="and brute force"):
        compare(wrong, kernel)
