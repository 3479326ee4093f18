"""Bad input to the selectors: refused in one line that says what to do, or handled by a stated rule."""

from __future__ import annotations

import numpy as np
import pytest

from bitsieve import (
    EQPFS,
    QPFS,
    BitsieveWarning,
    CategoricalBinner,
    EqualFrequencyBinner,
    ForwardSelector,
    KollerSahami,
    MDLBinner,
    SpecCMI,
    UserError,
    mutual_information,
)
from bitsieve.methods.by_counts.criteria.linear import JMI

pandas = pytest.importorskip("pandas")

every_selector = pytest.mark.parametrize("make", [ForwardSelector, SpecCMI, QPFS, EQPFS, KollerSahami])
X = np.array([[0.0, 5.0, 1.0], [1.0, 5.0, 0.0], [0.0, 5.0, 0.5], [1.0, 5.0, 0.25], [0.0, 5.0, 2.0], [1.0, 5.0, 3.0]])
Y = np.array([0, 1, 0, 1, 0, 1])


def refused(make, X, y, *parts, k=1, **parameters):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - all parts of the line are looked at
        make(k, **parameters).fit(X, y)
    message = str(caught.value)
    assert "\n" not in message
    for part in parts:
        assert part in message


def spoiled(value):
    table = X.copy()
    table[2, 1] = value
    return table


@every_selector
@pytest.mark.parametrize("binning", ["mdl", "quantile", "uniform", "none"])
def test_missing_and_infinite_values(make, binning):
    refused(
        make,
        spoiled(np.nan),
        Y,
        "1 column holds missing values (NaN): 'x1'",
        "set missing='bin'",
        binning=binning,
        missing="error",
    )
    for infinity in (np.inf, -np.inf):
        refused(
            make, spoiled(infinity), Y, "1 column holds infinite values (inf): 'x1'", "drop the rows", binning=binning
        )
    frame = pandas.DataFrame(spoiled(np.nan), columns=["age", "height", "weight"])
    refused(make, frame, Y, "'height'", binning=binning, missing="error")


@every_selector
def test_missing_values_at_transform_pass_through(make):
    """Selecting columns looks at no values."""
    fitted = make(1, binning="quantile").fit(X, Y)
    assert fitted.selected_.tolist() == [0]
    binned = make(2, binning=EqualFrequencyBinner(missing="bin")).fit(spoiled(np.nan), Y)
    assert np.isnan(binned.transform(spoiled(np.nan))).sum() == binned.support_[1]


@every_selector
@pytest.mark.parametrize("y", [[0, 1, 0, np.nan, 0, 1], [0, 1, None, 1, None, 1], ["a", "b", None, "a", "b", "a"]])
def test_missing_targets(make, y):
    refused(make, X, y, "the target has", "missing value", "drop those samples")


@every_selector
def test_infinite_targets(make):
    refused(make, X, [0.5, 1.0, np.inf, 0.0, -np.inf, 1.0], "2 infinite values (inf) among 6", "drop those samples")


@every_selector
def test_no_target(make):
    refused(make, X, None, "requires y to be passed")


@every_selector
def test_one_class(make):
    refused(make, X, np.zeros(6, int), "the target 'y' has one class only ('0')", "give one with at least two")
    refused(make, X, ["a"] * 6, "'a'", "give one with at least two")


@every_selector
def test_constant_column(make):
    fitted = make(3, binning="quantile").fit(X, Y)
    assert fitted.ranking_[1] == 3
    assert fitted.relevance_[1] == 0
    assert fitted.scores_[2] == 0 or isinstance(fitted, ForwardSelector)


@every_selector
@pytest.mark.parametrize("binning", ["mdl", "quantile", "uniform", "none"])
def test_all_columns_constant(make, binning):
    """No column is better than another: the first ones, all scores 0."""
    fitted = make(2, binning=binning).fit(np.ones((6, 3)), Y)
    assert fitted.selected_.tolist() == [0, 1]
    assert fitted.scores_.tolist() == [0, 0]
    assert fitted.relevance_.tolist() == [0, 0, 0]
    assert fitted.overlap_with_.tolist() == [-1, 0]


@every_selector
@pytest.mark.parametrize("k", [0, -1, 2.5, "2", True, np.inf])
def test_number_of_features(make, k):
    refused(make, X, Y, f"n_features_to_select={k!r} is not allowed: give a whole number from 1 to 3", k=k)


@every_selector
def test_more_features_than_there_are(make):
    """All of them, so that a search over numbers goes on."""
    with pytest.warns(BitsieveWarning, match=r"3 features, fewer than the 4 requested: all are ranked$"):
        found = make(4).fit(X, Y)
    assert found.selected_.tolist() == make(3).fit(X, Y).selected_.tolist()


@every_selector
@pytest.mark.parametrize("k", [2, np.int64(2), np.uint8(2)])
def test_whole_numbers_of_any_type(make, k):
    assert len(make(k, binning="quantile").fit(X, Y).selected_) == 2


@every_selector
def test_codes_that_are_negative_or_have_gaps(make):
    """They are names for classes of samples: only which are equal matters."""
    codes = np.random.default_rng(0).integers(0, 4, (80, 5))
    y = codes[:, 3] % 2
    plain = make(5, binning="none").fit(codes, y)
    for values in ([-7, 0, 3, 10**9], [-(2**62), -1, 2**40, 2**62]):
        named = make(5, binning="none").fit(np.array(values)[codes], np.array([-5, 9])[y])
        assert named.selected_.tolist() == plain.selected_.tolist()
        assert named.scores_.tobytes() == plain.scores_.tobytes()
        assert named.classes_.tolist() == [-5, 9]


@every_selector
def test_fractional_values_are_no_codes(make):
    refused(make, X, Y, "column 'x2' holds 0.5", "use 'mdl', 'quantile' or 'uniform'", binning="none")


@every_selector
def test_one_sample(make):
    refused(make, X[:1], [1], "the target 'y' has one class only")


@every_selector
def test_no_samples_or_columns(make):
    refused(make, np.empty((0, 3)), [], "0 sample(s)")
    refused(make, np.empty((6, 0)), Y, "0 feature(s)")
    refused(make, pandas.DataFrame({"a": []}), [], "0 samples")
    refused(make, pandas.DataFrame(index=range(6)), Y, "0 columns")


@every_selector
def test_two_samples(make):
    assert make(1, binning="none").fit([[0, 0], [0, 1]], [0, 1]).selected_.tolist() == [1]


@every_selector
def test_shapes(make):
    refused(make, X[:, 0], Y, "the data has shape (6,): give a table", "values.reshape(-1, 1)")
    with pytest.raises(ValueError, match="dim"):
        make(1).fit(X.reshape(6, 3, 1), Y)
    refused(make, X, Y[:5], "X has 6 rows but y has 5 values: both must have the same number of rows")
    refused(make, pandas.DataFrame(X), Y[:5], "X has 6 rows but y has 5 values: both must have the same number of rows")


@every_selector
def test_duplicate_column_names(make):
    frame = pandas.DataFrame(X, columns=["a", "b", "a"])
    refused(make, frame, Y, "several columns are named", "'a'", "give every column a different name")


@pytest.mark.slow("forty thousand classes")
@every_selector
def test_forty_thousand_distinct_classes(make):
    """All but two samples have a class of their own: every code tells all of itself."""
    n = 40_000
    customers = np.random.default_rng(0).permutation(n)
    customers[customers == customers[4]] = customers[0]  # both have the same codes
    labels = np.array([f"customer {i:05}" for i in customers])
    codes = np.arange(n).reshape(-1, 1) % [1, 2, 4]
    plain = {"estimator": "plug-in"} if make is ForwardSelector else {}
    fitted = make(2, binning="none", **plain).fit(codes, labels)
    assert len(fitted.classes_) == n - 1
    assert fitted.classes_[0] == "customer 00000"
    # n is no power of two, so each of at most 7 terms is off by 2**-58 bit, and the quotient is rounded once.
    assert np.abs(fitted.relevance_ - [0, 1, 2]).max() <= 1e-15
    assert fitted.selected_.tolist() == [2, 1]


@every_selector
def test_too_many_codes_in_a_column(make):
    codes = np.arange(70_000).reshape(-1, 1)
    refused(make, codes, codes[:, 0] % 2, "'x0' has 70,000 codes", "at most 65,536", "drop it or group", binning="none")


@every_selector
def test_unknown_binning(make):
    refused(make, X, Y, "binning='mdll' is not known", "did you mean 'mdl'?", binning="mdll")
    for wrong in (None, 5, CategoricalBinner):
        refused(make, X, Y, "is not known: give one of 'auto', 'mdl'", binning=wrong)


@every_selector
@pytest.mark.parametrize("n_jobs", [0, 1.5, "2", np.nan, True])
def test_no_number_of_threads(make, n_jobs):
    refused(make, X, Y, f"n_jobs={n_jobs!r} is not a number of threads: give 1 or more, or -1", n_jobs=n_jobs)


@pytest.mark.parametrize(
    ("criterion", "part"),
    [
        ("mrm", "did you mean mrmr"),
        ("", "choose one of mim"),
        (None, "neither a name nor"),
        (JMI, "neither a name nor"),
    ],
)
def test_unknown_criterion(criterion, part):
    refused(ForwardSelector, X, Y, part, criterion=criterion)


@every_selector
def test_complex_is_refused(make):
    with pytest.raises(ValueError, match="Complex data not supported"):
        make(1).fit(X.astype(complex), Y)


@every_selector
def test_a_parameter_is_looked_at_when_fitting_only(make):
    """As scikit-learn asks: constructors keep what they are given."""
    assert make(-3, binning="nothing").get_params()["binning"] == "nothing"


def test_a_name_in_place_of_the_values_of_the_target_is_called_a_single_value():
    for fit in (ForwardSelector(2).fit, mutual_information, MDLBinner().fit):
        with pytest.raises(UserError, match="single value, 'target'") as caught:
            fit(X, "target")
        assert caught.value.code == "wrong-shape"
