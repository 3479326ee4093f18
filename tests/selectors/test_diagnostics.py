"""The diagnostics of a fitted selector are those of a selection from the same data."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest

import bitsieve
from bitsieve import ForwardSelector, ReliefF

X = pd.DataFrame({"a": [0, 1] * 20, "b": [5] * 40, "name": [f"u{i}" for i in range(40)]})
Y = np.array(["no", "yes"] * 20)


def codes(diagnostics):
    return {diagnostic.code for diagnostic in diagnostics}


@pytest.mark.filterwarnings("ignore::bitsieve.BitsieveWarning")
@pytest.mark.parametrize(
    ("selector", "method"), [(ForwardSelector(1, criterion="mim"), "mim"), (ReliefF(1), "relieff")]
)
def test_they_are_those_of_a_selection(selector, method):
    selection = bitsieve.select(X, Y, method=method, n_features_to_select=1)
    fitted = selector.fit(X, Y)
    assert codes(fitted.diagnostics_) == codes(selection.diagnostics)
    assert "identifier-dropped" in codes(fitted.diagnostics_)
    assert codes(pickle.loads(pickle.dumps(fitted)).diagnostics_) == codes(fitted.diagnostics_)


@pytest.mark.filterwarnings("ignore::bitsieve.BitsieveWarning")
def test_a_pickle_made_before_has_those_of_the_data():
    fitted = pickle.loads(pickle.dumps(ForwardSelector(1, criterion="mim").fit(X, Y)))
    assert codes(fitted.diagnostics_) == {"identifier-dropped"}
