"""What a comparison says of its counts, and what makes two comparisons equal."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_iris

import bitsieve
from bitsieve.results.call_text import target_arguments


@pytest.fixture(scope="module")
def comparison():
    X, y = load_iris(return_X_y=True)
    return bitsieve.compare(X, y, methods=["mim", "jmi"], features=[1, 2, 3], classifier="ncm", folds=5)


def test_the_recommended_method_keeps_the_recommended_number(comparison):
    """Its own best number has errors that differ more between the folds, so that fewer features are within them."""
    errors = np.full((2, 5, 3), 9)
    errors[0, :, 2] = [4, 4, 4, 4, 3]  # the smallest error, of "mim"
    errors[1, :, 1] = 4  # within its standard error with fewer features: recommended
    errors[1, :, 2] = [0, 0, 0, 0, 19]
    errors[1, :, 0] = [4, 4, 4, 4, 6]  # within the standard error of the number before
    changed = replace(comparison, errors=errors)
    assert (changed.choice().method, changed.choice().n_features) == ("jmi", 2)
    assert changed.choice("jmi").n_features == 1
    for method in ("jmi", "".join(["j", "mi"])):  # equal names, not one object
        assert changed.chosen(method).n_features == 2
    assert changed.chosen("mim") == changed.choice("mim")


@pytest.mark.parametrize("times", ["seconds_selecting", "seconds_classifying"])
def test_comparisons_of_other_times_are_equal(comparison, times):
    assert replace(comparison, **{times: getattr(comparison, times) + 1}) == comparison


def test_comparisons_of_other_errors_differ(comparison):
    assert replace(comparison, errors=comparison.errors + 1) != comparison


def test_every_method_is_tested_against_all_others(comparison):
    against = {row["method"]: list(row["against"]) for row in comparison.to_dict()["methods"]}
    assert against == {"mim": ["jmi"], "jmi": ["mim"]}


@pytest.mark.parametrize(
    ("names", "arguments"),
    [
        (("kind", None), "'kind'"),
        (("", None), "target"),
        (("days", "died"), "duration='days', event='died'"),
        (("", ""), "duration=duration, event=event"),
    ],
)
def test_the_arguments_that_give_the_target(names, arguments):
    assert target_arguments(*names) == arguments
