"""The levels of drift where nothing drifts, in small form."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import drift

N_TABLES = 10
MAX_SHARE = 0.12  # of 200 columns: 24 or more come less than once in a thousand times where the level is 0.05


@pytest.mark.slow("a smaller form of a benchmark")
@pytest.mark.parametrize("name", drift.DESIGNS)
def test_p_keeps_its_level_where_nothing_drifts(name):
    shares = [drift.shares_of_small_p(drift.DESIGNS[name], seed)[0] for seed in range(N_TABLES)]
    assert np.mean(shares) < MAX_SHARE


@pytest.mark.slow("a smaller form of a benchmark")
@pytest.mark.parametrize("name", drift.GROUPED_DESIGNS)
def test_p_keeps_its_level_where_rows_belong_together(name):
    shares = [drift.shares_of_small_p_in_groups(drift.GROUPED_DESIGNS[name], seed)[0] for seed in range(N_TABLES)]
    assert np.mean(shares) < MAX_SHARE


@pytest.mark.slow("a smaller form of a benchmark")
def test_the_cost_is_printed(capsys):
    drift.print_cost(1, n_rows=2_000)
    assert len(capsys.readouterr().out.splitlines()) == 4
