"""scikit-learn's own checks of every selector.

All select one feature: the checks' data has as few as one column, and asking for more than there are is an error.
"""

from __future__ import annotations

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from bitsieve import (
    VMI,
    CategoricalBinner,
    EqualFrequencyBinner,
    ForwardSelector,
    MDLBinner,
    SpecCMI,
    list_methods,
    make_selector,
)
from bitsieve.by_counts.criteria import MIFS, MIQ

SELECTORS = [
    *(make_selector(method.name, 1) for method in list_methods()),
    *(make("jmi", 1, binning=binning) for make in [make_selector] for binning in ("quantile", "uniform", "none")),
    ForwardSelector(1, criterion=MIFS(beta=0.5)),
    ForwardSelector(1, criterion=MIQ(eps=0.01), n_jobs=2),
    ForwardSelector(1, binning=MDLBinner(uncut="median")),
    ForwardSelector(1, binning=EqualFrequencyBinner(n_bins=3, missing="bin")),
    ForwardSelector(1, binning=CategoricalBinner(missing="bin")),
    SpecCMI(1, binning="quantile", dtype="float32", n_jobs=2),
    SpecCMI(1, binning="none"),
    VMI(1, decomposition="pairwise", on_plateau="restart", binning=None, n_jobs=2),
]


# Their data has classes of one sample, or a column that is constant within a class: no density, one line says so.
WITHOUT_WIDTH = (
    "check_dict_unchanged",
    "check_dont_overwrite_parameters",
    "check_estimators_pickle",
    "check_f_contiguous_array_estimator",
    "check_fit2d_1feature",
    "check_fit2d_predict1d",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
    "check_pipeline_consistency",
    "check_positive_only_tag_during_fit",
)


def expected_failures(selector):
    if selector.binning is None:
        return dict.fromkeys(
            WITHOUT_WIDTH, "a class of one sample, or a column constant within a class, has no density"
        )
    if isinstance(selector.binning, CategoricalBinner):
        # The check subtracts a mean from float data; where NaN is allowed it does not make whole numbers of them.
        return {"check_positive_only_tag_during_fit": "fractional values are refused: they are no codes"}
    return {}


@parametrize_with_checks(SELECTORS, expected_failed_checks=expected_failures)
def test_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("selector", SELECTORS, ids=repr)
def test_tags(selector):
    tags = selector.__sklearn_tags__()
    assert tags.target_tags.required
    assert tags.input_tags.string
    assert tags.input_tags.categorical
    assert tags.input_tags.allow_nan == (getattr(selector.binning, "missing", "error") == "bin")
