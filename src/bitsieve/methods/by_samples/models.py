"""Features ranked by classifiers of scikit-learn: importances, weights under an L1 penalty, recursive elimination."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bitsieve.diagnostics import ParameterError, UserError
from bitsieve.methods.by_samples.rows import Samples, refuse_large
from bitsieve.methods.method import DENSE_ROWS, ROWS, Method, MethodResult, defaults_of, rank_all
from bitsieve.utils.arrays import Columns, Flags, Floats, Values
from bitsieve.utils.choice import rank, top
from bitsieve.utils.libraries import threadpool_limits
from bitsieve.utils.parameters import check_above_zero, check_integer, made_by, make_random, optional
from bitsieve.utils.progress import phase
from bitsieve.utils.types import RandomState

if TYPE_CHECKING:
    from scipy.sparse import csc_array

MODELS = ("extra-trees", "linear-svc")
PENALTY_GROWTH = 2**0.5  # factor from one C that is tried to the next
MAX_PENALTIES = 60
ROUGH_COLUMNS = 10  # columns of a rough fit, as a multiple of k
ROUGH_TOLERANCE = 1e-2
CLEAR_SHARE = 0.9  # a rough fit decides only below this share of k, and of the slope that gives a column weight
MAX_VALUE = 1e150  # sums of squares of larger numbers overflow, and the solvers never end
MAX_KERNEL_BYTES = 1 << 30  # of the products of all rows with each other: 11,585 rows


def model_importance(
    samples: Samples, k: int, *, model: Any = "extra-trees", random_state: RandomState = 0, n_jobs: int | None = None
) -> MethodResult:
    """Rank the columns by the importance that a classifier gives them; see :class:`bitsieve.ModelSelector`."""
    numbers, varies = samples.numbers()
    importances = np.zeros(samples.n_features)
    classifier = _make_classifier(model, random_state, n_jobs)
    if model == "linear-svc":
        refuse_large(numbers, MAX_VALUE)
    if varies.any():
        phase("fitting the model")
        classifier.fit(numbers[:, varies], samples.classes)
        importances[varies] = _importances(classifier, model)
    return rank_all(rank(importances), varies, importances, k, importances_=importances, model_=classifier)


def _make_classifier(model: Any, random_state: RandomState, n_jobs: int | None) -> Any:
    """A classifier that is not fitted, by its name, or a clone of the given one."""
    from sklearn.base import clone
    from sklearn.ensemble import ExtraTreesClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import LinearSVC

    if model == "extra-trees":
        return ExtraTreesClassifier(random_state=random_state, n_jobs=n_jobs)
    if model == "linear-svc":
        # The primal problem needs no random numbers, and has one solution.
        return make_pipeline(StandardScaler(), LinearSVC(dual=False))
    return clone(model)


def _importances(fitted: Any, model: Any) -> Floats:
    last = fitted[-1] if hasattr(fitted, "steps") else fitted
    if hasattr(last, "feature_importances_"):
        return np.asarray(last.feature_importances_, np.float64)
    if hasattr(last, "coef_"):
        return _weights(last)
    raise ParameterError("model", model, "give a classifier that has coef_ or feature_importances_ once fitted")


def _check_model(name: str, value: Any) -> None:
    """Raise ParameterError unless it is the name of a model or a classifier."""
    from sklearn.base import BaseEstimator, is_classifier

    is_name = isinstance(value, str) and value in MODELS
    is_model = isinstance(value, BaseEstimator) and is_classifier(value)
    if not is_name and not is_model:
        raise ParameterError(name, value, f"give {' or '.join(map(repr, MODELS))} or a classifier of scikit-learn")


def l1_svm(samples: Samples, k: int, *, C: float | None = None) -> MethodResult:
    """Choose the columns to which an L1 penalty leaves the largest weights; see :class:`bitsieve.L1SVM`."""
    values = standardised(samples.values())
    codes = samples.classes
    phase("fitting the model")
    if C is None:
        penalty, weights = _smallest_penalty(values, codes, k)
    else:
        penalty = C
        weights = _weights(_l1_machine(values, codes, C))
    order = rank(weights)
    order = order[weights[order] > 0][:k]
    if not len(order):
        advice = "give columns of like size that vary with the classes" if C is None else "give a larger C"
        raise UserError(
            code="no-relation",
            message=f"no column has weight at C={penalty:.4g}",
            advice=advice,
        )
    return MethodResult(order, weights[order], extras={"C_": float(penalty)})


def _smallest_penalty(values: Floats | csc_array, codes: NDArray[np.int32], k: int) -> tuple[float, Floats]:
    """The first C of a growing series at which k columns have weight, and the weights; the last C if none does."""
    from sklearn.svm import l1_min_c

    penalty = float(l1_min_c(values, codes))
    is_too_small = _test_of_small_penalties(values, codes, k)
    for _ in range(MAX_PENALTIES):
        if not is_too_small(penalty):
            weights = _weights(_l1_machine(values, codes, penalty))
            if np.count_nonzero(weights) >= k:
                return penalty, weights
        penalty *= PENALTY_GROWTH
    return penalty, _weights(_l1_machine(values, codes, penalty))


def svm_rfe(samples: Samples, k: int, *, step: int | float = 0.1, C: float = 1.0) -> MethodResult:
    """Drop the columns of the smallest squared weights, again and again; see :class:`bitsieve.SVMRFE`."""
    values = standardised(samples.values())
    progress = phase("eliminating features")
    varies: Flags
    if isinstance(values, np.ndarray):
        varies = np.asarray(values.any(axis=0))
    else:
        varies = np.asarray(np.diff(values.indptr) > 0)

    def squared_weights(columns: Columns) -> Floats:
        squares = np.zeros(len(columns))
        is_varying = varies[columns]
        if is_varying.any():
            squares[is_varying] = _squared_weights(values[:, columns[is_varying]], samples.classes, C)
        return squares

    remaining = np.setdiff1d(np.arange(samples.n_features), samples.dropped)
    n_columns = len(remaining)
    n_dropped_at_once = max(1, int(step * len(remaining))) if isinstance(step, float) else step
    while len(remaining) > k:
        weights = np.sqrt(squared_weights(remaining))
        # Weights relative to the largest, so that a tie means the same for any number of features; the last of equal
        # features is dropped first.
        best_first = rank(weights / (weights.max() or 1.0))
        n_kept = max(k, len(remaining) - n_dropped_at_once)
        remaining = np.sort(remaining[best_first[:n_kept]])
        progress(n_columns - len(remaining), n_columns - k)
    weights = squared_weights(remaining)
    order = rank(weights)
    constants = np.asarray(samples.dropped, np.intp)[: k - len(remaining)]  # only if there are too few other columns
    selected = np.concatenate([remaining[order], constants])
    scores = np.concatenate([weights[order], np.zeros(len(constants))])
    return MethodResult(selected, scores)


def check_step(name: str, value: Any) -> None:
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


def standardised(values: Values | csc_array) -> Floats | csc_array:
    """Dense columns with mean 0 and standard deviation 1; sparse ones as they are, with indices of 32 bits."""
    from scipy.sparse import csc_array
    from sklearn.preprocessing import StandardScaler

    refuse_large(values if isinstance(values, np.ndarray) else values.data, MAX_VALUE)
    if isinstance(values, np.ndarray):
        return np.asarray(StandardScaler().fit_transform(values.astype(np.float64)))
    if values.indptr.dtype == np.int32 == values.indices.dtype:
        return values
    if max(values.nnz, *values.shape) > np.iinfo(np.int32).max:
        raise UserError(
            code="table-too-large",
            message=(f"the table has {values.nnz:,} stored values, and scikit-learn's solvers take at most 2**31 - 1"),
        )
    return csc_array((values.data, values.indices.astype(np.int32), values.indptr.astype(np.int32)), shape=values.shape)


def _test_of_small_penalties(values: Floats | csc_array, codes: NDArray[np.int32], k: int) -> Callable[[float], bool]:
    """A function that says whether a C clearly leaves fewer than k columns weight.

    It fits the columns with the steepest loss at weight 0 roughly. If few of them have weight, and at that fit the loss
    is flat in all other columns, no other column would have weight either.
    """
    n_classes = int(codes.max()) + 1
    positive_classes = np.arange(n_classes) if n_classes > 2 else np.array([1])
    signs = np.where(codes[:, None] == positive_classes, 1.0, -1.0)
    slopes_at_zero = np.abs(values.T @ signs).max(axis=1)
    steepest = np.sort(top(slopes_at_zero, min(ROUGH_COLUMNS * k, values.shape[1])))
    steepest_values = values[:, steepest]

    def is_too_small(C: float) -> bool:
        machine = _l1_machine(steepest_values, codes, C, tol=ROUGH_TOLERANCE)
        if np.count_nonzero(_weights(machine)) > CLEAR_SHARE * k:
            return False
        slack = np.maximum(0.0, 1 - signs * (steepest_values @ machine.coef_.T + machine.intercept_))
        slopes = 2 * C * np.abs(values.T @ (signs * slack)).max(axis=1)
        slopes[steepest] = 0.0
        return bool(slopes.max() < CLEAR_SHARE)

    return is_too_small


def _l1_machine(values: Floats | csc_array, codes: NDArray[np.int32], C: float, tol: float = 1e-4) -> Any:
    import warnings

    from sklearn.exceptions import ConvergenceWarning
    from sklearn.svm import LinearSVC

    model = LinearSVC(penalty="l1", dual=False, C=C, random_state=0, tol=tol)
    with warnings.catch_warnings():  # near the smallest C its test of convergence is hardly ever met
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(values, codes)


def _weights(machine: Any) -> Floats:
    return np.asarray(np.abs(np.atleast_2d(machine.coef_)).sum(axis=0))


_EXTRA_TREES = Method(
    name="extra-trees",
    title="Importance in extremely randomised trees",
    formula="mean decrease of the Gini impurity by the splits on Xi",
    paper="Geurts, Ernst, Wehenkel 2006",
    inputs="the values themselves: a fit of scikit-learn's ExtraTreesClassifier",
    cost="O(100 sqrt(n) d log d)",
    seconds=lambda n, d, k: 2e-6 * n**0.5 * d * d.bit_length(),
    unit="importance",
    selector="bitsieve.selectors.models:ModelSelector",
    run=model_importance,
    required_capabilities=DENSE_ROWS,
    bins=False,
    rules={"model": _check_model, "random_state": made_by(make_random)},
)
METHODS = (
    _EXTRA_TREES,
    replace(
        _EXTRA_TREES,
        name="linear-svc",
        title="Weights of a linear support vector machine",
        formula="sum over the classes of |weight of Xi|",
        paper="Brank, Grobelnik, Milic-Frayling, Mladenic 2002",
        inputs="the values themselves: a fit of scikit-learn's LinearSVC",
        cost="O(n d) an iteration",
        seconds=lambda n, d, k: 1.5e-7 * n * d,
        parameters=defaults_of(model_importance, model="linear-svc"),
    ),
    Method(
        name="l1-svm",
        title="Linear support vector machine with an L1 penalty",
        formula="min_w sum_j |w_j| + C sum_i max(0, 1 - y_i (w'x_i + b))^2",
        paper="Yuan, Ho, Lin 2012",
        inputs="the values themselves: fits of scikit-learn's LinearSVC",
        cost="O(n d) an iteration",
        seconds=lambda n, d, k: 3e-7 * n * d,
        unit="weight",
        selector="bitsieve.selectors.models:L1SVM",
        run=l1_svm,
        required_capabilities=ROWS,
        bins=False,
        rules={"C": optional(check_above_zero)},
    ),
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
