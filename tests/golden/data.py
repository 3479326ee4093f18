"""Small tables on which the golden results rest: samples that scikit-learn bundles, and seeded ones.

The seeded tables draw from ``RandomState``, whose streams numpy keeps as they are for good, and their decimals are
rounded, so that they are the same numbers on every machine.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

import bitsieve


class Table(NamedTuple):
    """Features, a target, weights of the samples (whole numbers), and how many features are worth selecting."""

    X: Any
    y: Any
    weights: np.ndarray
    k: int


def _table(X: Any, y: Any, k: int) -> Table:
    return Table(X, y, np.random.RandomState(99).randint(0, 4, len(y)), k)


def _codes(n_samples: int, n_features: int, n_codes: int, n_classes: int, seed: int) -> tuple[Any, Any]:
    """Codes that follow the class each to its own degree; a copy, a relabelled copy and a constant among them."""
    random = np.random.RandomState(seed)
    classes = random.randint(0, n_classes, n_samples)
    follows = random.uniform(size=(n_samples, n_features)) < random.uniform(0, 0.8, n_features)
    noise = random.randint(0, n_codes, (n_samples, n_features))
    codes = np.where(follows, (classes[:, None] + np.arange(n_features)) % n_codes, noise)
    codes[:, 7], codes[:, 8], codes[:, 9] = codes[:, 2], n_codes - 1 - codes[:, 3], 1
    return codes, classes


def _continuous(seed: int, n_samples: int = 160, n_features: int = 14) -> tuple[Any, Any]:
    """Decimals, and a target of decimals that some of them add up to."""
    random = np.random.RandomState(seed)
    X = np.round(random.normal(size=(n_samples, n_features)), 2)
    y = 2 * X[:, 0] - X[:, 3] + X[:, 5] * X[:, 6] + random.normal(size=n_samples)
    return X, np.round(y, 2)


def _mixed() -> tuple[pd.DataFrame, Any]:
    """Numbers, words, categories and booleans, with missing values, and a class in words."""
    random = np.random.RandomState(5)
    n = 180
    classes = random.randint(0, 3, n)
    age = np.round(random.normal(40 + 8 * classes, 10), 1)
    income = np.round(random.lognormal(3 - 0.4 * classes, 0.6), 1)
    age[random.randint(0, n, 15)] = np.nan
    income[random.randint(0, n, 9)] = np.nan
    colours = np.array(["red", "green", "blue", "grey"])
    city = np.array(["Oslo", "Rome", "Kyoto"])[(classes + (random.uniform(size=n) < 0.4)) % 3].astype(object)
    city[random.randint(0, n, 12)] = None
    frame = pd.DataFrame(
        {
            "age": age,
            "income": income,
            "colour": colours[random.randint(0, 4, n)].astype(object),
            "city": pd.Categorical(city),
            "member": random.uniform(size=n) < 0.2 + 0.3 * classes,
            "visits": random.poisson(2 + classes),
            "shade": colours[(classes + random.randint(0, 2, n)) % 4].astype(object),
        }
    )
    return frame, np.array(["low", "middle", "high"])[classes]


@cache
def table(name: str) -> Table:
    """The table of this name, made once."""
    return _MAKERS[name]()


def _digits() -> Table:
    X, y = load_digits(return_X_y=True)
    return _table(X[:300], y[:300], 8)


def _pandas() -> Table:
    return _table(*_mixed(), 5)


def _arrow() -> Table:
    frame, y = _mixed()
    columns = {name: pa.array(frame[name].tolist(), from_pandas=True) for name in frame}
    return _table(pa.table(columns), y, 5)


def _two_targets() -> Table:
    X, y = _codes(150, 16, 3, 2, seed=3)
    other = (y + (np.random.RandomState(4).uniform(size=150) < 0.3)) % 3
    return _table(X, np.column_stack([y, other]), 6)


_MAKERS = {
    "iris": lambda: _table(*load_iris(return_X_y=True), 3),
    "wine": lambda: _table(*load_wine(return_X_y=True), 5),
    "cancer": lambda: _table(*load_breast_cancer(return_X_y=True), 7),
    "digits": _digits,
    "states": lambda: _table(*_codes(120, 40, 3, 2, seed=1), 7),
    "codes": lambda: _table(*_codes(400, 24, 10, 5, seed=2), 6),
    "continuous": lambda: _table(*_continuous(6), 6),
    "two targets": _two_targets,
    "pandas": _pandas,
    "arrow": _arrow,
}


def binner(name: str) -> Any:
    """A binning as the parameter ``binning`` takes it."""
    return _BINNERS[name]()


_BINNERS = {
    "mdl": lambda: "mdl",
    "quantile": lambda: "quantile",
    "uniform": lambda: "uniform",
    "none": lambda: "none",
    "median": lambda: bitsieve.MDLBinner(uncut="median"),
    "five": lambda: bitsieve.EqualFrequencyBinner(n_bins=5),
    "width": lambda: bitsieve.EqualWidthBinner(n_bins=4),
    "mdl missing": lambda: bitsieve.MDLBinner(missing="bin"),
    "quantile missing": lambda: bitsieve.EqualFrequencyBinner(n_bins=4, missing="bin"),
    "width missing": lambda: bitsieve.EqualWidthBinner(n_bins=4, missing="bin"),
    "categories": lambda: bitsieve.CategoricalBinner(),
}
