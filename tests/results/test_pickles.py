"""Results and fitted selectors go through pickle, copy and joblib; results are equal to what they were."""

from __future__ import annotations

import copy
import pickle
import warnings
from io import BytesIO

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.datasets import load_iris
from tests.cover import methods_of_each_kind

import bitsieve
from bitsieve.methods.registry import list_methods


def through_joblib(value):
    buffer = BytesIO()
    joblib.dump(value, buffer)
    buffer.seek(0)
    return joblib.load(buffer)


WAYS = {
    "pickle": lambda value: pickle.loads(pickle.dumps(value)),
    "joblib": through_joblib,
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}
X, Y = load_iris(return_X_y=True, as_frame=True)
X, Y = X.iloc[::2], Y.iloc[::2]


def quietly(function, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*arguments, **options)


@pytest.fixture(autouse=True)
def _no_figure(monkeypatch):
    """A page has no figure: a loaded selection lacks the rows for it, and to draw it takes a tenth of a second."""
    monkeypatch.setattr("bitsieve.results.selection.MAX_CELLS_DRAWN", 0)


@pytest.fixture(scope="module")
def results():
    options = {"methods": ["mim", "jmi"], "features": range(1, 3), "classifier": "ncm", "folds": 3}
    return {
        "Selection": (quietly(bitsieve.select, X, Y), quietly(bitsieve.select, X, Y, method="mim")),
        "Comparison": (
            quietly(bitsieve.compare, X, Y, **options),
            quietly(bitsieve.compare, X, Y, **{**options, "folds": 4}),
        ),
        "HowMany": (quietly(bitsieve.how_many, X, Y, n_pairs=2), quietly(bitsieve.how_many, X, Y % 2, n_pairs=2)),
        "Interactions": (quietly(bitsieve.interactions, X, Y), quietly(bitsieve.interactions, X, Y, top=1)),
    }


@pytest.mark.parametrize("name", ["Selection", "Comparison", "HowMany", "Interactions"])
def test_results(results, name):
    result, other = results[name]
    assert result != other
    page = result._repr_html_()
    for way in WAYS.values():
        again = way(result)
        assert type(again) is type(result)
        assert again == result
        assert hash(again) == hash(result)
        assert again != other
        assert len({again, result, other}) == 2
        assert str(again) == str(result)
        assert again._repr_html_() == page


@pytest.mark.parametrize("method", methods_of_each_kind(method.name for method in list_methods()))
def test_fitted_selectors_of_every_method(method):
    selector = quietly(bitsieve.make_selector(method, 2).fit, X, Y)
    for way in WAYS.values():
        again = quietly(way, selector)
        assert type(again).__name__ == type(selector).__name__
        assert again.selected_.tolist() == selector.selected_.tolist()
        assert again.transform(X).equals(selector.transform(X))


def estimators():
    """Every public estimator of its own, unfitted."""
    made = {
        "StabilitySelector": lambda: bitsieve.StabilitySelector(bitsieve.ForwardSelector(1), n_pairs=4),
        "SelectorCV": lambda: bitsieve.SelectorCV(methods=["mim"], features=[1, 2], folds=2),
        "ZeroApartBinner": lambda: bitsieve.ZeroApartBinner("quantile"),
        "SelectedColumns": lambda: bitsieve.SelectedColumns([True, False, True, False], list(X.columns)),
        "KnockoffSelector": lambda: bitsieve.KnockoffSelector(level=0.5),
    }
    for name in bitsieve.__all__:
        value = getattr(bitsieve, name)
        if isinstance(value, type) and issubclass(value, BaseEstimator) and hasattr(value, "fit"):
            yield name, made.get(name, value)


@pytest.mark.parametrize(("name", "make"), [*estimators()], ids=lambda value: value if isinstance(value, str) else "")
def test_every_public_estimator(name, make):
    columns = X.round().astype(int) if name == "CategoricalBinner" else X
    target = Y == 1 if name in ("MonotoneBinner", "WOEEncoder") else Y  # those need two classes
    estimator = quietly(make().fit, columns, target)
    for way in WAYS.values():
        again = quietly(way, estimator)
        assert str(again) == str(estimator)
        for attribute, value in vars(estimator).items():
            if attribute.endswith("_") and isinstance(value, np.ndarray):
                np.testing.assert_array_equal(getattr(again, attribute), value)


def test_a_frame_is_of_pandas_or_of_the_library_that_is_named(results):
    for result, _ in (results[name] for name in ("Selection", "Comparison", "Interactions")):
        assert isinstance(result.to_frame(), pd.DataFrame)
        for library, module in (("pandas", "pandas"), ("polars", "polars"), ("pyarrow", "pyarrow")):
            assert type(result.to_frame(library)).__module__.partition(".")[0] == module
        with pytest.raises(bitsieve.UserError) as error:
            result.to_frame("spark")
        assert error.value.code == "parameter-not-allowed"
