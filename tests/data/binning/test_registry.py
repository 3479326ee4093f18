"""Binners by name."""

import pytest

from bitsieve.data.binning import CategoricalBinner, EqualFrequencyBinner, EqualWidthBinner, MDLBinner, make_binner


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("mdl", MDLBinner),
        ("quantile", EqualFrequencyBinner),
        ("uniform", EqualWidthBinner),
        ("none", CategoricalBinner),
    ],
)
def test_names(name, kind):
    binner = make_binner(name, n_jobs=2, missing="bin")
    assert type(binner) is kind
    assert binner.missing == "bin"
    assert binner.n_jobs == 2


def test_parameters_go_to_the_binner():
    assert make_binner("quantile", n_bins=3).n_bins == 3
    assert make_binner("mdl", uncut="median").uncut == "median"
    assert isinstance(make_binner(), MDLBinner)


def test_objects_are_copied_unfitted():
    binner = EqualFrequencyBinner(n_bins=3, n_jobs=2).fit([[1.0], [2.0]])
    copy = make_binner(binner, n_jobs=1)
    assert copy is not binner
    assert copy.get_params() == binner.get_params()
    assert not hasattr(copy, "n_bins_")


@pytest.mark.parametrize(
    ("spec", "parameters", "message"),
    [
        (
            "quantiles",
            {},
            "binning='quantiles' is not known: give one of 'mdl', 'quantile', 'uniform', 'none' .*'quantile'?",
        ),
        ("MDL", {}, "did you mean 'mdl'"),
        (None, {}, "binning=None is not known"),
        (MDLBinner, {}, "is not known"),
        ("mdl", {"n_bins": 5}, "binning 'mdl' has no parameter 'n_bins': it has uncut, missing"),
        (MDLBinner(), {"missing": "bin"}, "binning is an object, so set missing on that object"),
    ],
)
def test_mistakes_are_refused(spec, parameters, message):
    with pytest.raises(ValueError, match=message):
        make_binner(spec, **parameters)
