"""The reference of this folder can be imported by its tests; the tables that they share."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from bitsieve.methods.by_samples.cutting_plane.columns import DenseColumns, SparseColumns

sys.path.insert(0, str(Path(__file__).parent))


def make(kind, X, n_jobs=None):
    """The columns of a dense array in one of the two ways."""
    return DenseColumns(X, n_jobs) if kind == "dense" else SparseColumns(sparse.csc_array(X), n_jobs)


@pytest.fixture(params=["dense", "sparse"])
def columns_of(request):
    """``columns_of(X, n_jobs)``: the same table dense and sparse."""
    return lambda X, n_jobs=None: make(request.param, X, n_jobs)


@pytest.fixture(scope="session")
def both_kinds():
    """``both_kinds(X)``: the columns dense, and sparse."""
    return lambda X: (make("dense", X), make("sparse", X))


def draw(n_samples, n_features, seed, share=0.5):
    """Columns that follow a few latent ones, most entries 0, a constant column among them; and classes."""
    random = np.random.default_rng(seed)
    n_latent = max(2, n_features // 3)
    latent = random.standard_normal((n_samples, n_latent)) * (random.random((n_samples, n_latent)) < share)
    X = latent[:, random.integers(0, n_latent, n_features)] * random.choice([-1.0, 1.0], n_features)
    X += (X != 0) * random.random(n_features) * random.standard_normal(X.shape)
    X[:, n_features // 2] = 0.0
    noise = random.standard_normal(n_samples)
    return X, np.where(latent @ random.standard_normal(n_latent) + noise > 0, 1.0, -1.0)


@pytest.fixture(scope="session")
def grouped():
    """``grouped(n_samples, n_features, seed)``: a table with groups of correlated columns, and its classes."""
    return draw
