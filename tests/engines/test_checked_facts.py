"""Values of JSON of another site are what they are to be, or refused by a ValueError that names the field."""

from __future__ import annotations

import pytest

from bitsieve.engines.checked_facts import check_rule, distinct_texts, plain_array, sorted_array

RULE = {"binning": "mdl", "missing": None, "bins": [2, 3], "bin_edges": [[1.5], []], "categories": [None, ["<U1", []]]}


@pytest.mark.parametrize("values", [[], "ab", ["a", 1], [1], ["a", "a"], [None]], ids=repr)
def test_texts_that_do_not_differ_or_are_none(values):
    with pytest.raises(ValueError, match="'names'"):
        distinct_texts({"names": values}, "names")


def test_texts_that_differ():
    assert distinct_texts({"names": ["b", "a"]}, "names") == ["b", "a"]


@pytest.mark.parametrize(
    "value",
    [None, ["<f8"], [8, [1.0]], ["<f8", "12"], ["<f8", {"a": 1}], ["<f8", [1.0, "a"]], ["<f8", [[1.0]]], ["V8", []]],
    ids=repr,
)
def test_arrays_that_are_none(value):
    with pytest.raises(ValueError, match="'values'"):
        plain_array(value, "values")


@pytest.mark.parametrize("values", [[1.0, 1.0], [2.0, 1.0], ["nan"], [1.0, "nan"]], ids=repr)
def test_arrays_that_do_not_rise(values):
    with pytest.raises(ValueError, match="'values'"):
        sorted_array(["<f8", [float(value) for value in values]], "values")


def test_a_rule():
    check_rule(RULE, 2, 5)


@pytest.mark.parametrize(
    "change",
    [
        {"binning": "other"},
        {"missing": "drop"},
        {"bins": [2]},
        {"bins": [2, 6]},
        {"bin_edges": [[2.0, 1.0], []]},
        {"bin_edges": [["a"], []]},
        {"bin_edges": [[1.5]]},
        {"categories": [None, ["<U1", ["b", "a"]]]},
        {"categories": [None]},
    ],
    ids=repr,
)
def test_a_rule_with_a_wrong_value(change):
    (name,) = change
    with pytest.raises(ValueError, match=f"'{name}'"):
        check_rule({**RULE, **change}, 2, 5)
