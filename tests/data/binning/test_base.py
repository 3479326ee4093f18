"""What every rule by edges does with numbers: those that double precision cannot tell apart are refused; defaults."""

import ast
import inspect
import re

import numpy as np
import pytest

from bitsieve.data.binning import transformers
from bitsieve.data.binning.registry import RULES, rule_named
from bitsieve.data.binning.transformers import EqualFrequencyBinner, EqualWidthBinner, MDLBinner

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
    rule = rule_named(name)
    (transformer,) = (kind for kind in rule.__subclasses__() if kind.__name__.endswith("Binner"))
    both = defaults(rule).keys() & defaults(transformer).keys()
    assert {"missing", "n_jobs"} <= both
    assert {parameter: defaults(rule)[parameter] for parameter in both} == {
        parameter: defaults(transformer)[parameter] for parameter in both
    }
