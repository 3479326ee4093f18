"""Sums of tests within strata: from the codes of the samples and from tables they are the same numbers."""

import numpy as np
import pytest

from bitsieve.counts import independence_codes
from bitsieve.counts.independence_counts import IndependenceCounts
from bitsieve.counts.independence_sums import IndependenceSums, OptionalSums
from bitsieve.counts.packed import PackedSource
from bitsieve.counts.tables import make_entropy_terms

EVERY_SUM = OptionalSums(expected_excess=True, pearson=True)


def source_of(n_samples, n_codes, n_jobs=1):
    """Columns of so many codes, of which each follows the one before in half of the samples; the last is the class."""
    random = np.random.default_rng(0)
    columns = [random.integers(0, n_codes[0], n_samples)]
    for n in n_codes[1:]:
        columns.append(np.where(random.random(n_samples) < 0.5, columns[-1] % n, random.integers(0, n, n_samples)))
    return PackedSource(np.column_stack(columns[:-1]).astype(np.uint16), columns[-1], n_jobs=n_jobs)


def assert_same_sums(sums, expected):
    for name in IndependenceSums._fields:
        if name == "pearson":  # a sum of floats in another order
            np.testing.assert_allclose(sums.pearson, expected.pearson, rtol=1e-9, atol=1e-9)
        else:
            np.testing.assert_array_equal(getattr(sums, name), getattr(expected, name), err_msg=name)


@pytest.mark.parametrize(
    ("n_samples", "n_codes"),
    [
        (60, (3, 2, 4, 1, 2)),
        (5000, (4, 3, 2, 2, 5, 2, 3, 4, 4, 2, 3)),  # several columns are counted together
        (5000, (4, 300, 200, 3, 2000)),  # strata lie in several blocks
        (3, (2, 2, 2)),
    ],
)
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_sums_of_codes_are_those_of_tables(n_samples, n_codes, n_jobs):
    source = source_of(n_samples, n_codes, n_jobs)
    terms = make_entropy_terms(source.n_samples)
    counts = IndependenceCounts(source, terms)
    n_variables = len(n_codes)
    for x in (0, n_variables - 1, 1):
        for n_strata_variables in range(n_variables - 2):
            variables = [variable for variable in range(n_variables) if variable != x]
            strata = tuple(variables[:n_strata_variables])
            others = variables[n_strata_variables:]
            sums = counts.sums(x, np.array(others), strata, EVERY_SUM)
            expected = IndependenceSums.of_tables(counts.tables(x, others, strata), terms, EVERY_SUM)
            assert_same_sums(sums, expected)


def test_sums_do_not_depend_on_which_variable_is_the_first():
    counts = IndependenceCounts(source_of(700, (3, 4, 5, 6, 2)), make_entropy_terms(700))
    for x, y in [(0, 1), (2, 4), (3, 1)]:
        strata = tuple(variable for variable in range(5) if variable not in (x, y))
        for n_strata_variables in range(4):
            forward = counts.sums(x, np.array([y]), strata[:n_strata_variables], EVERY_SUM)
            backward = counts.sums(y, np.array([x]), strata[:n_strata_variables], EVERY_SUM)
            assert_same_sums(forward, backward)


def test_sums_do_not_depend_on_how_many_codes_are_in_memory(monkeypatch):
    source = source_of(400, (3, 4, 5, 6, 2, 3, 2))
    terms = make_entropy_terms(400)
    others = np.array([1, 2, 3, 4, 6])
    expected = IndependenceCounts(source, terms).sums(0, others, (5,), EVERY_SUM)
    monkeypatch.setattr(independence_codes, "MAX_CODE_BYTES", 2000)
    assert_same_sums(IndependenceCounts(source, terms).sums(0, others, (5,), EVERY_SUM), expected)
    monkeypatch.setattr(independence_codes, "MAX_PAIR_CELLS", 2)  # pairs are counted as tables
    assert_same_sums(IndependenceCounts(source, terms).sums(0, others, (5,), EVERY_SUM), expected)


def test_sums_that_no_test_needs_are_not_computed():
    counts = IndependenceCounts(source_of(400, (3, 4, 5)), make_entropy_terms(400))
    sums = counts.sums(0, np.array([1]), (2,), OptionalSums())
    assert sums.expected_excess.tolist() == sums.pearson.tolist() == [0.0]
    assert sums.information[0] > 0
