"""The study of tall tables, in small form."""

import numpy as np
import pytest
from benchmarks.default_criterion import Split
from sklearn.datasets import load_wine

from benchmarks import tall_tables


@pytest.mark.slow("a smaller form of a benchmark")
def test_a_split_has_errors_of_every_contestant():
    X, y = load_wine(return_X_y=True)
    result = tall_tables.run_split(Split(X[::2], y[::2], X[1::2], y[1::2]), "wine", 1)
    assert list(result["errors"]) == tall_tables.contestants()
    for errors in result["errors"].values():
        assert list(errors) == ["5", "10"]
        assert max(errors.values()) < 25  # percent; the largest class has 40 % of the rows


def test_residuals_select_what_is_left_of_a_sum_before_a_copy():
    random = np.random.default_rng(0)
    first, second = random.normal(size=(2, 2000))
    y = (2 * first + second > 0).astype(int)
    X = np.column_stack([random.normal(size=2000), first, -3 * first, second])
    assert tall_tables.order_by_residuals(X, y, 2).tolist() == [1, 3]


def test_the_difference_to_the_default_has_a_standard_error_over_the_sets():
    def result(name, seed, default, other):
        return {"name": name, "seed": seed, "errors": {"cmim2": {"5": default}, "jmi": {"5": other}}}

    results = [result("a", 1, 10.0, 12.0), result("a", 2, 10.0, 10.0), result("b", 1, 20.0, 23.0)]
    row = tall_tables.summary(results, 5)[1]
    assert row.contestant == "jmi"
    assert row.error == 17.0
    assert row.difference == 2.0
    assert row.standard_error == 1.0  # of the differences 1 and 3
    assert tall_tables.summary(results, 5)[0].standard_error == 0.0


def test_sets_with_few_rows_take_no_part(tmp_path):
    for name, n_rows in (("short", 100), ("tall", tall_tables.MIN_ROWS)):
        np.savez(tmp_path / f"{name}.npz", X=np.zeros((n_rows, 2)), y=np.arange(n_rows) % 2)
    assert tall_tables.names_of_tall_sets(tmp_path) == ["tall"]
