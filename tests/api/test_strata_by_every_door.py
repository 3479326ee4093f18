"""Selection within strata gives the same through every door, in memory or counted elsewhere."""

from __future__ import annotations

from functools import cache

import numpy as np
import pyarrow as pa
import pytest
from tests.doors import by_names, said

import bitsieve

N = 260
pytestmark = pytest.mark.filterwarnings("ignore::bitsieve.BitsieveWarning")


@cache
def batches():
    """Cells of three batches on two sites. The class and some columns depend on the batch."""
    random = np.random.default_rng(4)
    batch = random.integers(0, 3, N)
    y = (random.random(N) < 0.2 + 0.3 * batch).astype(int)
    size = np.where(random.random(N) < 0.1, None, np.array(["small", "large"])[(y + random.integers(0, 2, N)) % 2])
    return pa.table(
        {
            "dose": pa.array(np.round(random.normal(size=N) + y + batch, 3)),
            "depth": pa.array(np.round(random.normal(size=N) + 3 * batch, 3)),
            "size": pa.array(size.tolist()),
            "few": pa.array(y + random.integers(0, 3, N)),
            "noise": pa.array(random.integers(0, 4, N)),
            "machine": pa.array([f"m{value}" for value in (batch + (random.random(N) < 0.1)) % 3]),
            "batch": pa.array([f"b{value}" for value in batch]),
            "site": pa.array(random.integers(0, 2, N)),
            "y": pa.array(np.array(["no", "yes"])[y]),
        }
    )


HOW = {
    "mdl": {},
    "quantiles": {"binning": "quantile", "method": "jmi"},
    "plug-in": {"binning": "quantile", "method": "mrmr", "estimator": "plug-in"},
    "sets": {"binning": "quantile", "method": "cmi"},
    "stopping": {"binning": "quantile", "method": "jmi", "n_features_to_select": "auto", "stopping": "fdr"},
    "common": {"binning": "quantile", "method": "jmi", "effect": "common"},
    "two columns": {"strata": ["site", "batch"], "method": "cmim2", "binning": "uniform", "n_bins": 3},
}


def for_arrays(table, how):
    """The table and options for a door of arrays, whose strata are given by values."""
    names = how["strata"] if isinstance(how["strata"], list) else [how["strata"]]
    strata = table.select(names).to_pandas()
    return table.drop_columns(["batch", "site"]), {**how, "strata": strata}


@cache
def selected(name):
    """The selection from the rows in memory."""
    return bitsieve.select(
        batches().drop_columns(unused(name)), "y", **{"missing": "bin", "strata": "batch", **HOW[name]}
    )


def unused(name):
    """The columns of strata that a call does not name, which would be features."""
    return [] if "strata" in HOW[name] else ["site"]


@pytest.mark.parametrize("name", HOW)
def test_selections_have_the_same_bits(door, name, request):
    table = batches().drop_columns(unused(name))
    how = {"strata": "batch", **HOW[name]}
    if "numpy" in request.node.callspec.params["door"]:
        table, how = for_arrays(batches(), how)
    expected = selected(name)
    found = door(table, **how)
    assert by_names(table, found.features) == expected.features
    for attribute in ("scores", "relevance", "relevance_pooled", "heterogeneity"):
        assert getattr(found, attribute).tobytes() == getattr(expected, attribute).tobytes(), attribute
    assert found.n_informative_rows == expected.n_informative_rows
    assert said(table, found) == said(table, expected)
