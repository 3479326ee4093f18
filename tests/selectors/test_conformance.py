"""scikit-learn's own checks of every selector.

All select one feature: the checks' data has as few as one column, and asking for more than there are is an error.
"""

from __future__ import annotations

import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import parametrize_with_checks

from bitsieve import (
    EQPFS,
    FCBF,
    GDM,
    GMI,
    QPFS,
    RCFS,
    SDPCMI,
    VMI,
    CategoricalBinner,
    DpSelector,
    EqualFrequencyBinner,
    ForwardSelector,
    KollerSahami,
    MDLBinner,
    ModelSelector,
    Nystrom,
    ReliefF,
    SpecCMI,
    list_methods,
    make_selector,
)
from bitsieve.methods.by_counts.criteria import MIFS, MIQ

SELECTORS = [
    *(make_selector(method.name, 1) for method in list_methods() if not method.same_as),
    make_selector("mifs-u", 1, beta=0.5),
    ForwardSelector(1, criterion="soa"),
    *(make("jmi", 1, binning=binning) for make in [make_selector] for binning in ("quantile", "uniform", "none")),
    ForwardSelector(1, criterion=MIFS(beta=0.5)),
    ForwardSelector(1, criterion=MIQ(eps=0.01), n_jobs=2),
    ForwardSelector(1, binning=MDLBinner(uncut="median")),
    ForwardSelector(1, binning=EqualFrequencyBinner(n_bins=3, missing="bin")),
    ForwardSelector(1, binning=CategoricalBinner(missing="bin")),
    ForwardSelector(1, estimator="miller-madow"),
    ForwardSelector(1, estimator="shrinkage", binning="quantile", n_jobs=2),
    SpecCMI(1, binning="quantile", dtype="float32", n_jobs=2),
    SpecCMI(1, binning="none"),
    QPFS(1, alpha=0.5, convexify="shift", binning="quantile", n_jobs=2),
    QPFS(1, alpha=0.5, approximation=Nystrom(0.3), binning="quantile"),
    EQPFS(1, beta=0.5, binning="quantile"),
    FCBF(delta=0.01, binning="quantile"),
    KollerSahami(1, blanket_size=2, blanket="redundancy", binning="quantile"),
    ReliefF(1, n_neighbors=3, n_samples=10, random_state=0, n_jobs=2),
    RCFS(1, standardize=False),
    GMI(1, removal="backward", relevance=0.5, priors="pooled", n_repeats=2, n_jobs=2),
    DpSelector(1, weighted=True, n_jobs=2),
    ModelSelector(1, model=LogisticRegression()),
    SDPCMI(1, rounding="factor", refine="swap", binning="none"),
    VMI(1, decomposition="pairwise", on_plateau="restart", binning=None, n_jobs=2),
    GDM(1, tau=0.1, C=100.0, matching="exact", n_jobs=2),
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
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weights_not_overwritten",
    "check_sample_weights_shape",
)


WEIGHTED = tuple(f"check_sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse"))


def expected_failures(selector):
    reason = "fractional values are refused: they are no codes"
    failures = {}
    if isinstance(selector, VMI) and selector.binning is None:
        return dict.fromkeys(
            WITHOUT_WIDTH, "a class of one sample, or a column constant within a class, has no density"
        )
    if isinstance(selector, GDM):
        failures["check_classifier_multioutput"] = "several targets are one, whose classes are their combinations"
        failures["check_classifiers_regression_target"] = "a continuous target is cut into intervals, its classes"
    binning = getattr(selector, "binning", None)  # a method on rows has none
    if binning == "none" or isinstance(binning, CategoricalBinner):
        failures |= dict.fromkeys(WEIGHTED, reason)
    if isinstance(binning, CategoricalBinner):
        # The check subtracts a mean from float data; where NaN is allowed it does not make whole numbers of them.
        failures["check_positive_only_tag_during_fit"] = reason
    if isinstance(selector, GMI) or (isinstance(selector, ReliefF) and selector.n_samples is not None):
        failures["check_sample_weight_equivalence_on_dense_data"] = "which samples are drawn depends on their order"
    if isinstance(selector, QPFS) and selector.convexify is None and selector.approximation is None:
        # The check has more columns than samples, for which H is hardly ever convex.
        failures |= dict.fromkeys(WEIGHTED, "a problem that is not convex is refused")
    return failures


@parametrize_with_checks(SELECTORS, expected_failed_checks=expected_failures)
def test_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("selector", SELECTORS, ids=repr)
def test_tags(selector):
    tags = selector.__sklearn_tags__()
    assert tags.target_tags.required
    assert tags.input_tags.string
    assert tags.input_tags.categorical
    takes_missing = isinstance(selector, ReliefF) or getattr(getattr(selector, "binning", None), "missing", "") == "bin"
    assert tags.input_tags.allow_nan == takes_missing
