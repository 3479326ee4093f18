"""Binners by name."""

import numpy as np
import pytest

from bitsieve.data.binning.registry import make_binner
from bitsieve.data.binning.transformers import (
    CategoricalBinner,
    EqualFrequencyBinner,
    EqualWidthBinner,
    MDLBinner,
    as_transformer,
)
from bitsieve.data.read import read_xy


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
    binner = as_transformer(make_binner(name, n_jobs=2, missing="bin"))
    assert type(binner) is kind
    assert as_transformer(binner) is binner
    assert binner.missing == "bin"
    assert binner.n_jobs == 2


CLASSES = np.arange(30) % 3
QUANTITY = np.arange(30) + 0.5


def test_parameters_go_to_the_binner():
    assert make_binner("quantile", n_bins=3).n_bins == 3
    assert make_binner("mdl", uncut="median").uncut == "median"
    assert make_binner(n_bins=7).n_bins == 7


@pytest.mark.parametrize(
    ("target", "parameters", "rule", "found"),
    [
        (CLASSES, {}, MDLBinner, {"uncut": "leave", "missing": "error"}),
        (CLASSES, {"uncut": "median", "missing": "bin"}, MDLBinner, {"uncut": "median", "missing": "bin"}),
        (QUANTITY, {}, EqualFrequencyBinner, {"n_bins": 4, "uncut": "apart"}),
        (np.r_[QUANTITY, np.repeat(QUANTITY, 60)], {}, EqualFrequencyBinner, {"n_bins": 5}),
        (QUANTITY, {"n_bins": 7, "missing": "bin"}, EqualFrequencyBinner, {"n_bins": 7, "missing": "bin"}),
        (np.column_stack([CLASSES, QUANTITY]), {}, EqualFrequencyBinner, {"n_bins": 4}),
        (None, {}, MDLBinner, {"uncut": "leave"}),  # which says that it needs a target
    ],
)
def test_by_default_the_rule_follows_from_the_target(target, parameters, rule, found):
    table = read_xy(np.arange(2.0 * len(CLASSES if target is None else target)).reshape(-1, 2), target)
    made = as_transformer(make_binner(n_jobs=2, **parameters).for_table(table))
    assert type(made) is rule
    assert {name: getattr(made, name) for name in found} == found
    assert made.n_jobs == 2


def test_parameters_of_the_other_rule_are_refused():
    for target, name, message in (
        (CLASSES, "n_bins", "n_bins has no meaning with binning='mdl', the rule for classes: .* binning='quantile'"),
        (QUANTITY, "uncut", "uncut has no meaning with binning='quantile', the rule for a quantity: .* binning='mdl'"),
    ):
        with pytest.raises(ValueError, match=message):
            make_binner(**{name: 3}).for_table(read_xy(np.zeros((len(target), 1)), target))


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
            "binning='quantiles' is not known: give one of 'auto', 'mdl', 'quantile', 'uniform', 'none' .*'quantile'?",
        ),
        ("MDL", {}, "did you mean 'mdl'"),
        (None, {}, "binning=None is not known"),
        (MDLBinner, {}, "is not known"),
        ("mdl", {"n_bins": 5}, "binning 'mdl' has no parameter n_bins: it has uncut, missing"),
        (MDLBinner(), {"missing": "bin"}, "binning is an object, so set missing on that object"),
    ],
)
def test_mistakes_are_refused(spec, parameters, message):
    with pytest.raises(ValueError, match=message):
        make_binner(spec, **parameters)
