"""A fitted rule of every kind gives the same codes after a way through JSON."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest

from bitsieve.dataset.read import read_xy
from bitsieve.discretization.coding import (
    Coding,
    array_from_json,
    array_to_json,
    fit_on_summary,
    rule_facts,
    rule_from_facts,
)
from bitsieve.discretization.registry import RULES, binning_name, make_binner
from bitsieve.discretization.summary import summarize
from bitsieve.discretization.transformers import CategoricalBinner, ZeroApartBinner

FITTED = [name for name in RULES if name != "auto"]  # which becomes one of the others
N = 120


def table(*, gaps=False, whole=False):
    random = np.random.default_rng(3)
    y = random.integers(0, 2, N)
    lacks = (np.arange(N) % 7 == 0) & gaps
    numbers = y + random.integers(0, 3, N)
    columns = {
        "whole": pa.array(numbers, mask=lacks),
        "text": pa.array(np.array(["low", "mid", "größe"])[numbers % 3], mask=lacks),
        "truth": pa.array(numbers > 1),
        "constant": pa.array(np.zeros(N)),  # without any cut
        "far": pa.array(numbers.astype(np.uint64) + np.uint64(2**63)) if whole else pa.array(random.normal(size=N) + y),
    }
    return read_xy(pa.table(columns), y)


@pytest.mark.parametrize("missing", ["error", "bin"])
@pytest.mark.parametrize("name", FITTED)
def test_codes_are_the_same(name, missing):
    of = table(gaps=missing == "bin", whole=name == "none")
    fitted = make_binner(name, missing=missing).fit_table(of)
    again = rule_from_facts(json.loads(json.dumps(rule_facts(fitted))), list(of.names))
    np.testing.assert_array_equal(again.codes(of), fitted.codes(of))
    assert again.n_bins_.tolist() == fitted.n_bins_.tolist()
    assert again.feature_names_in_.tolist() == list(of.names)
    assert again.parameters["missing"] == missing
    assert hasattr(again, "uncut_") == hasattr(fitted, "uncut_")
    assert not hasattr(fitted, "uncut_") or again.uncut_.tolist() == fitted.uncut_.tolist()


@pytest.mark.parametrize("name", FITTED)
def test_a_coding_of_parts_is_the_same(name):
    of = table(gaps=True, whole=name == "none")
    coding = fit_on_summary(make_binner(name, missing="bin"), summarize(of, make_binner(name, missing="bin")))
    again = Coding.from_facts(json.loads(json.dumps(coding.facts())), list(of.names))
    np.testing.assert_array_equal(again.codes(of), coding.codes(of))
    assert (again.kinds, again.sampled, again.rank_error) == (coding.kinds, coding.sampled, coding.rank_error)
    assert again.arities.tolist() == coding.arities.tolist()
    assert again.binner.parameters == coding.binner.parameters


def test_transformers_have_the_names_of_their_rules():
    assert binning_name(CategoricalBinner()) == "none"
    with pytest.raises(ValueError, match=r"^counts by ZeroApartBinner cannot be saved: use one of 'auto', 'mdl'"):
        binning_name(ZeroApartBinner())


@pytest.mark.parametrize("values", [[1, 2], ["a", "ä"], [True], ["2024-01-31"], [1.5, 2**63]])
def test_arrays_of_any_type(values):
    given = np.array(values, "M8[D]" if values[0] == "2024-01-31" else object if isinstance(values[0], str) else None)
    again = array_from_json(json.loads(json.dumps(array_to_json(given))))
    assert again.dtype == given.dtype
    assert again.tolist() == given.tolist()
