"""Every transformer and selector answers the path of a table in one line: it reads it, or says that it does not."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.tree import DecisionTreeClassifier

import bitsieve

Y = np.arange(48) % 2
X = np.column_stack([Y, np.arange(48) % 3, np.arange(48) // 2 % 2, np.arange(48) % 5])
NEEDED = {
    "StabilitySelector": {"selector": bitsieve.ForwardSelector(n_features_to_select=1), "n_pairs": 2},
    "ModelSelector": {"model": DecisionTreeClassifier()},
    "SelectorCV": {"methods": "mim", "features": [1]},
    "SelectedColumns": {"support": [True, False, False, False]},
}


def is_estimator(name):
    value = getattr(bitsieve, name)
    return inspect.isclass(value) and issubclass(value, BaseEstimator) and hasattr(value, "fit")


ESTIMATORS = [name for name in sorted(bitsieve.__all__) if is_estimator(name)]


def refused(call):
    with pytest.raises(bitsieve.UserError) as caught:
        call()
    assert caught.value.code in ("data-type-not-read", "file-missing")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_path_in_place_of_a_table(name):
    estimator = getattr(bitsieve, name)(**NEEDED.get(name, {}))
    refused(lambda: estimator.fit("nowhere.csv", Y))
    if hasattr(estimator, "transform"):
        refused(lambda: estimator.fit(X, Y).transform("nowhere.csv"))
