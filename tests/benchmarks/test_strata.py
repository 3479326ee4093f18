"""The levels of stopping rules within strata, and the true columns that selections within strata find."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import strata

#: The tables in which a rule may take a column, of so many: more come less than once in a thousand times.
MAX_TAKEN = {(12, 0.05): 4, (12, 0.1): 5, (500, 0.05): 41, (500, 0.1): 72}
LEVELS = {"significance": 0.05, "permutation": 0.05, "fdr": 0.1}


@pytest.mark.slow("a smaller form of a benchmark")
@pytest.mark.parametrize("n_tables", [12, pytest.param(500, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("rule", strata.RULES)
@pytest.mark.parametrize("name", strata.DESIGNS)
def test_rules_keep_their_levels_where_columns_follow_the_batch(name, rule, n_tables):
    taken = [strata.takes_any(strata.DESIGNS[name], rule, seed) for seed in range(n_tables)]
    assert sum(taken) <= MAX_TAKEN[n_tables, LEVELS[rule]]


@pytest.mark.slow("a smaller form of a benchmark")
@pytest.mark.parametrize("true_follow_batch", [True, False])
def test_more_true_columns_are_found_within_strata(true_follow_batch):
    def found(within):
        shares = [
            strata.share_found("mim", seed, true_follow_batch=true_follow_batch, within=within) for seed in range(5)
        ]
        return np.mean(shares)

    assert found(within=True) >= found(within=False) + 0.3  # 0.7 and more over 30 tables


def test_the_tables_are_printed(capsys):
    strata.main(["1", "found"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"| true columns | strata | {' | '.join(strata.CRITERIA)} |"
    assert len(lines) == 6
