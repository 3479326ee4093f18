"""How many features are selected where no number is asked for."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_iris
from tests.diagnosed import codes, warns_code

import bitsieve
from bitsieve import Constraints, ForwardSelector
from bitsieve.cli import main
from bitsieve.methods.registry import find_method, list_methods
from bitsieve.selectors.making import make_selector

X, Y = load_iris(return_X_y=True)
OPEN_ENDED = ("fcbf", "gdm")  # keep no more than their rule asks for


def test_select_clips_its_default_without_a_note():
    selection = bitsieve.select(X, Y, method="jmi")
    assert len(selection.features) == 4
    assert "fewer-columns" not in codes(selection)


def test_select_ranks_all_where_more_are_asked_for():
    selection = bitsieve.select(X, Y, method="jmi", n_features_to_select=20)
    assert sorted(selection.indices) == [0, 1, 2, 3]
    assert selection.notes[0] == "the table has 4 features, fewer than the 20 requested: all are ranked"


@pytest.mark.parametrize("method", [m.name for m in list_methods() if m.name not in OPEN_ENDED and not m.same_as])
def test_a_selector_clips_its_default_without_a_warning(method):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", bitsieve.BitsieveWarning)
        selector = make_selector(method).fit(X, Y)
    assert "fewer-columns" not in [warning.message.diagnostic.code for warning in caught]
    # A method that ends by itself may need fewer, and so may one that forms groups.
    ends_by_itself = None in find_method(method).ends_with
    assert len(selector.selected_) == 4 or ends_by_itself or hasattr(selector, "groups_")


def test_a_default_counts_what_may_be_selected():
    excluded = Constraints(exclude=[0])
    selection = bitsieve.select(X, Y, method="jmi", constraints=excluded)
    assert sorted(selection.indices) == [1, 2, 3]
    assert len(ForwardSelector(constraints=excluded).fit(X, Y).selected_) == 3
    with warns_code("fewer-columns"):
        assert len(ForwardSelector(4, constraints=excluded).fit(X, Y).selected_) == 3


def test_a_default_holds_all_that_must_be_included():
    wide = np.random.default_rng(0).integers(0, 3, (60, 40))
    wanted = Constraints(must_include=range(25))
    y = wide[:, 0]
    assert len(bitsieve.select(wide, y, method="mim", constraints=wanted).features) == 25
    assert len(ForwardSelector(constraints=wanted).fit(wide, y).selected_) == 25


def test_constraints_of_the_wrong_type_are_refused():
    with pytest.raises(ValueError, match="give Constraints"):
        bitsieve.select(X, Y, method="jmi", constraints=["x0"])


def test_the_command_line_excludes_without_a_number(tmp_path, capsys):
    path = tmp_path / "iris.csv"
    names = ["a", "b", "c", "d", "kind"]
    rows = np.column_stack([X, Y])
    np.savetxt(path, rows, delimiter=",", header=",".join(names), comments="", fmt=["%g"] * 4 + ["%d"])
    assert main(["select", str(path), "--target", "kind", "--method", "jmi", "--exclude", "a"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1 + 3
