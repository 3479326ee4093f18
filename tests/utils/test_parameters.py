"""Rules of parameters: what is allowed, and the line that says so."""

from __future__ import annotations

import warnings
from functools import partial

import numpy as np
import pytest

from bitsieve.diagnostics import ParameterError
from bitsieve.utils.note_warnings import BitsieveWarning
from bitsieve.utils.parameters import (
    FeatureCount,
    check_choice,
    check_flag,
    check_integer,
    check_number,
    check_parameters,
    check_threads,
    made_by,
    optional,
)


class Base:
    parameter_rules = {"n_jobs": check_threads, "k": partial(check_integer, low=1)}  # noqa: RUF012

    def __init__(self, **parameters):
        vars(self).update({"n_jobs": None, "k": 1, "share": 0.5, **parameters})


class Derived(Base):
    parameter_rules = {"share": optional(partial(check_number, low=0, high=1))}  # noqa: RUF012


def test_rules_of_base_classes_hold_too():
    check_parameters(Derived(k=np.int64(3), share=None, n_jobs=-1))
    for name, wrong in (("n_jobs", 0), ("k", 0), ("share", 2)):
        with pytest.raises(ParameterError) as caught:
            check_parameters(Derived(**{name: wrong}))
        assert caught.value.parameters == {name: wrong}
    check_parameters(Base(share=2))


@pytest.mark.parametrize(
    ("rule", "allowed", "refused", "line"),
    [
        (
            partial(check_integer, low=1),
            (1, np.uint8(7)),
            (0, 1.0, True, "1", None),
            "give a whole number of 1 or more",
        ),
        (partial(check_integer, low=1, high=3), (3,), (4,), "give a whole number from 1 to 3"),
        (partial(check_number, low=0), (0, 0.5), (-1, np.nan, np.inf, True, "a"), "give a number of 0 or more"),
        (partial(check_number, low=0, high=1), (0, 1.0), (1.5, np.nan), "give a number from 0 to 1"),
        (partial(check_number, low=0, instead="or none"), (2,), (-1,), "give a number of 0 or more, or none"),
        (partial(check_choice, choices=("a", None)), ("a", None), ("b", 1, [1]), "give 'a' or None"),
        (check_flag, (True, np.False_), (0, 1, None), "give True or False"),
        (
            check_threads,
            (None, 1, -1, np.int8(2)),
            (0, 1.5, "2", np.nan, False),
            "give 1 or more, or -1 for every core",
        ),
        (optional(partial(check_integer, low=1)), (None, 1), (0,), "give a whole number of 1 or more"),
    ],
)
def test_rules(rule, allowed, refused, line):
    for value in allowed:
        rule("size", value)
    for value in refused:
        with pytest.raises(ParameterError) as caught:
            rule("size", value)
        assert str(caught.value).startswith(f"size={value!r} is not a")
        assert str(caught.value).endswith(f": {line}")


def test_what_is_made_is_allowed():
    with pytest.raises(ValueError, match="invalid literal"):
        made_by(int)("size", "a")
    made_by(int)("size", "3")


def test_numbers_of_features():
    count = FeatureCount()
    assert [count.among(asked, 10) for asked in (1, 10, 0.25, 0.01, np.int64(3), np.float32(0.5))] == [
        1,
        10,
        2,
        1,
        3,
        5,
    ]
    with pytest.raises(ParameterError, match="give a whole number from 1 to 10, a share between 0 and 1, or auto"):
        FeatureCount(("auto",)).among(2.5, 10)
    assert FeatureCount(("auto", None)).among("auto", 10) == FeatureCount((None,)).among(None, 10) == 10
    for wrong, line in (
        (0, "n_features_to_select=0 is not allowed: give a whole number from 1 to 10 (the table has 10 features)"),
        (
            "aut",
            "n_features_to_select='aut' is not allowed: give a whole number from 1 to 10 or a share between 0 and 1 "
            "(the table has 10 features)",
        ),
        ("auto", "n_features_to_select='auto' is not allowed here: this method does not end by itself, give a number"),
    ):
        with pytest.raises(ParameterError) as caught:
            count.among(wrong, 10)
        assert str(caught.value) == line


def test_the_default_number_of_features_is_clipped_without_a_warning():
    count = FeatureCount()
    assert count.among(None, 22) == count.among(None, 20) == 20
    with warnings.catch_warnings():
        warnings.simplefilter("error", BitsieveWarning)
        assert count.among(None, 4) == 4


def test_more_features_than_there_are_means_all_with_a_warning():
    with pytest.warns(BitsieveWarning, match="10 features, fewer than the 11 requested: all are ranked"):
        assert FeatureCount().among(11, 10) == 10
