"""Recursive elimination of features by the weights of a linear support vector machine."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bitsieve.diagnostics import ParameterError
from bitsieve.methods.by_samples.linear_solvers import standardised
from bitsieve.methods.by_samples.rows import Samples
from bitsieve.methods.method import ROWS, Method, MethodResult
from bitsieve.utils.arrays import Columns, Flags, Floats
from bitsieve.utils.choice import rank
from bitsieve.utils.libraries import threadpool_limits
from bitsieve.utils.parameters import check_above_zero, check_integer
from bitsieve.utils.progress import phase

if TYPE_CHECKING:
    from scipy.sparse import csc_array

MAX_KERNEL_BYTES = 1 << 30  # of the products of all rows with each other: 11,585 rows


def svm_rfe(samples: Samples, k: int, *, step: int | float = 0.1, C: float = 1.0) -> MethodResult:
    """Drop the columns of the smallest squared weights, again and again; see :class:`bitsieve.SVMRFE`."""
    values = standardised(samples.values())
    varies = _varying_columns(values)

    def squared_weights(columns: Columns) -> Floats:
        squares = np.zeros(len(columns))
        is_varying = varies[columns]
        if is_varying.any():
            squares[is_varying] = _squared_weights(values[:, columns[is_varying]], samples.classes, C)
        return squares

    remaining = np.setdiff1d(np.arange(samples.n_features), samples.dropped)
    n_columns = len(remaining)
    n_dropped_at_once = max(1, int(step * len(remaining))) if isinstance(step, float) else step
    progress = phase("eliminating features")
    while len(remaining) > k:
        weights = np.sqrt(squared_weights(remaining))
        # Weights relative to the largest, so that a tie means the same for any number of features; the last of equal
        # features is dropped first.
        best_first = rank(weights / (weights.max() or 1.0))
        n_remaining = max(k, len(remaining) - n_dropped_at_once)
        remaining = np.sort(remaining[best_first[:n_remaining]])
        progress(n_columns - len(remaining), n_columns - k)
    weights = squared_weights(remaining)
    order = rank(weights)
    constants = np.asarray(samples.dropped, np.intp)[: k - len(remaining)]  # only if there are too few other columns
    selected = np.concatenate([remaining[order], constants])
    scores = np.concatenate([weights[order], np.zeros(len(constants))])
    return MethodResult(selected, scores)


def _varying_columns(values: Floats | csc_array) -> Flags:
    """Which standardised columns hold anything but 0."""
    if isinstance(values, np.ndarray):
        return np.asarray(values.any(axis=0))
    return np.asarray(np.diff(values.indptr) > 0)


def check_step(name: str, value: object) -> None:
    """Raise ParameterError unless it is a number of features or a share of them."""
    if isinstance(value, float) and 0 < value < 1:
        return
    if isinstance(value, float):
        raise ParameterError(name, value, "give a share inside 0 and 1, or a whole number of 1 or more")
    check_integer(name, value, 1)


def _squared_weights(values: Floats | csc_array, classes: NDArray[np.int32], C: float) -> Floats:
    """The squared weight of every column, summed over the pairs of classes; the same bits as those of libsvm.

    For a dense table of up to 11,585 rows the products of rows are computed by BLAS, which is faster.
    """
    from scipy.linalg.blas import ddot
    from sklearn.svm import SVC

    if not isinstance(values, np.ndarray) or 8 * len(values) ** 2 > MAX_KERNEL_BYTES:
        coef = SVC(kernel="linear", C=C).fit(values, classes).coef_
        return np.asarray(np.square(coef if isinstance(coef, np.ndarray) else coef.toarray()).sum(axis=0))
    rows = np.ascontiguousarray(values)
    with threadpool_limits(1):  # a product's bits depend on the number of threads
        products = rows @ rows.T
    products[np.diag_indices_from(products)] = [ddot(row, row) for row in rows]
    machine = SVC(kernel="precomputed", C=C).fit(products, classes)
    offsets = np.concatenate([[0], np.cumsum(machine.n_support_)])
    dual_weights = machine.dual_coef_
    vectors = rows[machine.support_]
    vectors_of_class = [slice(first, last) for first, last in itertools.pairwise(offsets)]
    squares = np.zeros(rows.shape[1])
    for a, b in itertools.combinations(range(len(vectors_of_class)), 2):
        in_a = vectors_of_class[a]
        in_b = vectors_of_class[b]
        # libsvm keeps the dual weights of class a against b in row b - 1, and those of b against a in row a
        weights = dual_weights[b - 1, in_a] @ vectors[in_a] + dual_weights[a, in_b] @ vectors[in_b]
        squares += weights**2
    return squares


METHODS = (
    Method(
        name="svm-rfe",
        title="Backward elimination by a linear support vector machine",
        formula="drop the least sum_c w_cj^2 of a linear support vector machine",
        paper="Guyon, Weston, Barnhill, Vapnik 2002",
        inputs="the values themselves: fits of scikit-learn's SVC",
        cost="O(n d^2) a step",
        seconds=lambda n, d, k: d * d * (2e-10 * n + 1e-6),
        unit="weight",
        selector="bitsieve.selectors.models:SVMRFE",
        run=svm_rfe,
        published={"step": 1},
        why_default="one fit for each tenth of the columns that is dropped, in place of a fit for every column",
        required_capabilities=ROWS,
        bins=False,
        rules={"step": check_step, "C": check_above_zero},
    ),
)
