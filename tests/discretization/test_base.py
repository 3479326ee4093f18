"""What every rule by edges does with numbers that double precision cannot separate; defaults; rules by name."""

import ast
import inspect
import re

import numpy as np
import pandas as pd
import pytest

from bitsieve.dataset.read import read_xy
from bitsieve.discretization import transformers
from bitsieve.discretization.registry import RULES, make_binner
from bitsieve.discretization.transformers import (
    CategoricalBinner,
    EqualFrequencyBinner,
    EqualWidthBinner,
    MDLBinner,
    as_transformer,
)

BINNERS = (EqualWidthBinner(n_bins=2), EqualFrequencyBinner(n_bins=2), MDLBinner())
Y = [0, 1, 0, 1]


@pytest.mark.parametrize("binner", BINNERS, ids=lambda binner: type(binner).__name__)
@pytest.mark.parametrize("sign", [1, -1])
def test_whole_numbers_that_become_one_float_are_refused(binner, sign):
    near = sign * np.array([[2**53, 0], [2**53 + 1, 1], [5, 2], [7, 3]])  # 2^53 + 1 is no double
    with pytest.raises(ValueError, match="column 'x0' holds values that differ but are the same in double precision"):
        binner.fit(near, Y)
    with pytest.raises(ValueError, match="column 'x1' holds values that differ"):
        binner.fit(near[:, ::-1], Y)
    near[1] = 2**53 - 1
    assert binner.fit(near, Y).transform(near).shape == (4, 2)


def test_whole_numbers_beside_columns_of_floats_are_checked_too():
    near = np.array([2**53, 2**53 + 1, 5, 7])
    for floats in ("before", "zz"):  # the name of the column of floats, which stands first or last
        frame = pd.DataFrame({"n": near, floats: [0.5, 1.5, 2.5, 3.5]})
        with pytest.raises(ValueError, match="column 'n' holds values that differ"):
            EqualWidthBinner(n_bins=2).fit(frame[sorted(frame)])


@pytest.mark.parametrize("binner", BINNERS, ids=lambda binner: type(binner).__name__)
def test_floats_are_what_they_are(binner):
    """Also those beyond 2^53, of which all differ."""
    values = np.array([[2.0**60], [2.0**60 + 256], [-(2.0**70)], [1e300]])
    expected = np.argsort(np.argsort(values[:, 0]))
    codes = binner.fit(values, Y).transform(values)[:, 0]
    assert (np.diff(codes[np.argsort(expected)].astype(int)) >= 0).all()


def defaults(kind):
    return {name: one.default for name, one in inspect.signature(kind).parameters.items()}


@pytest.mark.parametrize("name", [kind.__name__ for kind in transformers.Binner.__subclasses__()])
def test_defaults_are_those_that_are_written_down(name):
    kind = getattr(transformers, name)
    written = re.findall(r"^(\w+) : .*default=(.+)$", inspect.cleandoc(kind.__doc__), re.MULTILINE)
    assert {parameter: ast.literal_eval(value) for parameter, value in written} == defaults(kind)


@pytest.mark.parametrize("name", [name for name in RULES if name != "auto"])
def test_a_rule_has_the_defaults_of_its_transformer(name):
    rule = RULES[name]
    (transformer,) = (kind for kind in rule.__subclasses__() if kind.__name__.endswith("Binner"))
    both = defaults(rule).keys() & defaults(transformer).keys()
    assert {"missing", "n_jobs"} <= both
    assert {parameter: defaults(rule)[parameter] for parameter in both} == {
        parameter: defaults(transformer)[parameter] for parameter in both
    }


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("mdl", MDLBinner),
        ("quantile", EqualFrequencyBinner),
        ("uniform", EqualWidthBinner),
        ("none", CategoricalBinner),
        ("monotone", transformers.MonotoneCutsBinner),
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
        (CLASSES, "n_bins", "n_bins has no effect with binning 'mdl', the rule for classes: .* binning='quantile'"),
        (QUANTITY, "uncut", "uncut has no effect with binning 'quantile', the rule for a quantity: .* binning='mdl'"),
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
            "binning='quantiles' is not known: give one of 'auto', 'mdl', 'quantile', 'uniform', 'monotone', 'none', .*"
            "'quantile'",
        ),
        ("MDL", {}, "did you mean 'mdl'"),
        (None, {}, "binning=None is not known"),
        (MDLBinner, {}, "is not known"),
        ("mdl", {"n_bins": 5}, "n_bins is no parameter of binning 'mdl': it has uncut, missing"),
        ("uniform", {"uncut": "apart"}, "binning 'uniform': it has n_bins, missing; binning may be"),
        (MDLBinner(), {"missing": "bin"}, "binning is an object, so set missing on that object"),
    ],
)
def test_mistakes_are_refused(spec, parameters, message):
    with pytest.raises(ValueError, match=message):
        make_binner(spec, **parameters)


@pytest.mark.parametrize("name", [name for name in RULES if name != "auto"])
def test_a_misspelt_parameter_of_a_rule_is_answered_with_the_right_name(name):
    with pytest.raises(TypeError, match="did you mean missing=None"):
        RULES[name](misssing=None)
