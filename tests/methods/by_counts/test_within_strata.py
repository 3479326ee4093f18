"""Methods on counts within strata.

Where every stratum has the same rows, the information within the strata is that of one of them: so is the selection.
"""

from __future__ import annotations

import numpy as np
import pytest

import bitsieve

ROUNDING = 1e-8  # terms of twice the samples are rounded otherwise; solvers amplify that
METHODS = {
    "fcbf": {"delta": 0.0},
    "koller-sahami": {},
    "qpfs": {},
    "eqpfs": {},
    "speccmi": {},
    "sdpcmi": {},
}
pytestmark = pytest.mark.filterwarnings("ignore::bitsieve.BitsieveWarning")


def rows(seed=3, n_samples=300, n_features=7):
    random = np.random.default_rng(seed)
    codes = random.integers(0, 3, (n_samples, n_features))
    codes[:, 4] = (codes[:, 1] + (random.random(n_samples) < 0.2)) % 3
    classes = (codes[:, 1] + codes[:, 2] + random.integers(0, 3, n_samples) > 3).astype(int)
    return codes, classes


def select(codes, classes, method, **options):
    return bitsieve.select(
        codes, classes, method=method, binning="none", target_kind="classes", n_features_to_select=4, **options
    )


@pytest.mark.parametrize("method", METHODS)
def test_strata_of_the_same_rows_select_what_each_selects(method):
    codes, classes = rows()
    strata = np.repeat([0, 1], len(classes))
    single = select(codes, classes, method, **METHODS[method])
    within = select(np.tile(codes, (2, 1)), np.tile(classes, 2), method, strata=strata, **METHODS[method])
    assert within.indices.tolist() == single.indices.tolist()
    np.testing.assert_allclose(within.scores, single.scores, atol=ROUNDING)
    np.testing.assert_allclose(within.relevance, single.relevance, atol=ROUNDING)


@pytest.mark.parametrize("method", METHODS)
def test_a_column_that_follows_the_stratum_is_not_among_the_first(method):
    codes, classes = rows()
    random = np.random.default_rng(5)
    strata = random.integers(0, 3, len(classes))
    classes = np.where(random.random(len(classes)) < 0.4 * strata, 1, classes)
    codes[:, 0] = strata
    without = select(codes, classes, method, **METHODS[method])
    within = select(codes, classes, method, strata=strata, **METHODS[method])
    assert 0 in without.indices[:3]
    assert 0 not in within.indices[:3]


@pytest.mark.parametrize(("follows_class", "is_selected"), [(True, True), (False, False)])
def test_fcbf_takes_what_is_significant_within_the_strata(follows_class, is_selected):
    random = np.random.default_rng(2)
    strata = np.arange(600) % 3
    classes = (random.random(600) < 0.2 + 0.3 * strata).astype(int)
    cause = classes if follows_class else strata
    column = np.where(random.random(600) < 0.7, cause, random.integers(0, 3, 600))
    codes = np.column_stack([column, random.integers(0, 3, (600, 4))])
    selection = bitsieve.select(codes, classes, method="fcbf", strata=strata, binning="none", target_kind="classes")
    assert (0 in selection.indices) == is_selected


def test_selectors_take_strata_in_fit():
    codes, classes = rows()
    strata = np.arange(len(classes)) % 3
    selection = select(codes, classes, "speccmi", strata=strata)
    fitted = bitsieve.SpecCMI(4, binning="none", target_kind="classes").fit(codes, classes, strata=strata)
    assert fitted.selected_.tolist() == selection.indices.tolist()
    assert fitted.n_informative_rows_ == selection.n_informative_rows
