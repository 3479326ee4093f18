"""Sorting by column: how much is sorted at once."""

from __future__ import annotations

import numpy as np
import pytest

from bitsieve.io.spooled_columns import block_edges


@pytest.mark.parametrize("most", [1, 7, 50, 10**6])
def test_blocks_hold_at_most_twice_as_many_values_or_one_piece(most):
    random = np.random.default_rng(0)
    for _ in range(50):
        lengths = random.choice([0, 1, 5, 60, 900], random.integers(1, 40))
        start = np.concatenate([[0], np.cumsum(lengths)])
        edges = block_edges(start, most)
        assert (edges[0], edges[-1]) == (0, len(lengths))
        assert (np.diff(edges) > 0).all()
        sizes = np.diff(start[edges])
        assert (sizes[np.diff(edges) > 1] <= 2 * most).all()
        assert len(edges) <= 2 + start[-1] // most + 2 * (lengths > most).sum()
