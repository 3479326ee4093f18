"""scikit-learn's own checks of every binner."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks
from tests.scikit_learn_checks import checks_that_fail

from bitsieve.discretization.transformers import (
    CategoricalBinner,
    EqualFrequencyBinner,
    EqualWidthBinner,
    MDLBinner,
    ZeroApartBinner,
)

_BINNERS = [
    MDLBinner(uncut="median", missing="bin", n_jobs=2),
    EqualFrequencyBinner(),
    EqualWidthBinner(n_bins=300, missing="bin"),
    CategoricalBinner(missing="bin"),
    ZeroApartBinner(),
]
_OTHER_PARAMETERS = [
    MDLBinner(),
    EqualFrequencyBinner(n_bins=3, missing="bin", n_jobs=2),
    EqualWidthBinner(),
    CategoricalBinner(),
    ZeroApartBinner(EqualFrequencyBinner(missing="bin"), n_jobs=2),
]


def _expected_failures(binner):
    reason = "fractional values are refused: they are no codes"
    failures = {}
    if isinstance(binner, CategoricalBinner):
        failures["check_sample_weight_equivalence_on_dense_data"] = reason
        if binner.missing == "bin":
            # the check subtracts a mean from float data; where NaN is allowed it does not make whole numbers of them
            failures["check_positive_only_tag_during_fit"] = reason
    return failures


@parametrize_with_checks(_BINNERS, expected_failed_checks=_expected_failures)
def test_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.slow("the same classes with other parameters")
@pytest.mark.parametrize("binner", _OTHER_PARAMETERS, ids=lambda binner: type(binner).__name__)
def test_scikit_learn_with_other_parameters(binner):
    assert checks_that_fail(binner) == _expected_failures(binner).keys()


@pytest.mark.parametrize("binner", [*_BINNERS, *_OTHER_PARAMETERS])
def test_tags(binner):
    tags = binner.__sklearn_tags__()
    assert tags.input_tags.allow_nan == (binner.missing == "bin")
    by_class = isinstance(binner, MDLBinner) or getattr(binner, "binning", None) == "mdl"
    assert tags.target_tags.required == by_class
