"""Support vector machines that select features, to compare the other methods with: by an L1 penalty, and backwards."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy.sparse import csc_array, issparse

from bitsieve.common.errors import ParameterError
from bitsieve.common.parameters import check_integer, optional
from bitsieve.common.progress import phase
from bitsieve.common.ties import rank
from bitsieve.methods.found import Found
from bitsieve.methods.method import Method, defaults_of
from bitsieve.selectors.linear import LinearSelector, check_above_zero, values_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

GROWTH = 2**0.5  # from one penalty that is tried to the next
MOST_TRIED = 60


def check_step(name: str, value: Any) -> None:
    """Refuse what is neither a number of features nor a share of them."""
    if isinstance(value, float) and 0 < value < 1:
        return
    if isinstance(value, float):
        raise ParameterError(name, value, "give a share inside 0 and 1, or a whole number of 1 or more")
    check_integer(name, value, 1)


class L1SVM(LinearSelector):
    r"""Choose the features to which a linear support vector machine with an L1 penalty gives the largest weights.

    ``min_w sum_j |w_j| + C sum_i max(0, 1 - y_i (w'x_i + b))^2`` by scikit-learn's ``LinearSVC``: most weights are 0.

    Parameters
    ----------
    n_features_to_select : int, optional
        By default 10, or all columns where there are fewer.
        There are fewer where fewer have weight.
    C : float, default=None
        None takes the smallest of a series, each sqrt(2) times the one before, at which as many columns have weight as
        are to be selected.

    Attributes
    ----------
    scores_ : ndarray of float, shape (k,)
        ``sum_c |w_cj|`` over the classes, one against the rest where there are more than two.
    C_ : float
        That was used.

    Raises
    ------
    ValueError
        When fitting, if no column has weight.

    Notes
    -----
    Columns of a dense table are standardised, those of a sparse one are taken as they are. Columns of two categories
    count as 0 and 1; those of more are refused, as are missing values. Cost: one fit, or some twenty, each of up to
    1,000 iterations.

    References
    ----------
    G.-X. Yuan, C.-H. Ho, C.-J. Lin, "An improved GLMNET for L1-regularized logistic regression", Journal of Machine
    Learning Research 13, 2012.

    Examples
    --------
    >>> from bitsieve import L1SVM
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> L1SVM(3).fit(X, y).selected_.tolist()
    [27, 20, 22]
    """

    parameter_rules: ClassVar = {"C": optional(check_above_zero)}
    described = (
        Method(
            name="l1-svm",
            title="Linear support vector machine with an L1 penalty",
            formula="min_w sum_j |w_j| + C sum_i max(0, 1 - y_i (w'x_i + b))^2",
            paper="Yuan, Ho, Lin 2012",
            needs="the values themselves: fits of scikit-learn's LinearSVC",
            cost="O(n d) an iteration",
            unit="weight",
        ),
    )

    def __init__(self, n_features_to_select: int | None = None, *, C: float | None = None) -> None:
        self.n_features_to_select = n_features_to_select
        self.C = C

    def _choose(self, table: Any, k: int) -> Found:
        from sklearn.svm import l1_min_c

        values, codes = standardised(values_of(table, type(self).__name__)), table.target.codes
        phase("fitting the model")
        C = l1_min_c(values, codes) if self.C is None else self.C
        weights = _l1_weights(values, codes, C)
        for _ in range(MOST_TRIED if self.C is None else 0):
            if np.count_nonzero(weights) >= k:
                break
            C *= GROWTH
            weights = _l1_weights(values, codes, C)
        order = rank(weights)
        order = order[weights[order] > 0][:k]
        if not len(order):
            raise ValueError(f"no column has weight at C={C:.4g}: give a larger C")
        return Found(order, weights[order], extras={"C_": float(C)})


class SVMRFE(LinearSelector):
    r"""Fit a linear support vector machine, drop the features of the smallest squared weights, and again.

    By scikit-learn's ``RFE`` over ``SVC`` with a linear kernel (hinge loss, with a bias).

    Parameters
    ----------
    n_features_to_select : int, optional
        By default 10, or all columns where there are fewer.
    step : int or float, default=0.1
        Features that are dropped at a time, or which share of all columns; 1 is the method of the paper.
    C : float, default=1.0

    Attributes
    ----------
    scores_ : ndarray of float, shape (k,)
        Squared weights, summed over the pairs of classes, in the last fit: that of the selected columns.

    Notes
    -----
    Columns of a dense table are standardised, those of a sparse one are taken as they are. Columns of two categories
    count as 0 and 1; those of more are refused, as are missing values. Columns that do not vary are dropped first.
    Cost: a fit, O(n d^2) for d samples, for every step.

    References
    ----------
    I. Guyon, J. Weston, S. Barnhill, V. Vapnik, "Gene selection for cancer classification using support vector
    machines", Machine Learning 46, 2002. doi:10.1023/A:1012487302797

    Examples
    --------
    >>> from bitsieve import SVMRFE
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> SVMRFE(3, step=1).fit(X, y).selected_.tolist()
    [23, 6, 13]
    """

    parameter_rules: ClassVar = {"step": check_step, "C": check_above_zero}
    described = (
        Method(
            name="svm-rfe",
            title="Backward elimination by a linear support vector machine",
            formula="drop the least sum_c w_cj^2 of a linear support vector machine",
            paper="Guyon, Weston, Barnhill, Vapnik 2002",
            needs="the values themselves: fits of scikit-learn's SVC",
            cost="O(n d^2) a step",
            unit="weight",
        ),
    )

    def __init__(self, n_features_to_select: int | None = None, *, step: int | float = 0.1, C: float = 1.0) -> None:
        self.n_features_to_select = n_features_to_select
        self.step = step
        self.C = C

    def _choose(self, table: Any, k: int) -> Found:
        from sklearn.feature_selection import RFE
        from sklearn.svm import SVC

        values = standardised(values_of(table, type(self).__name__))
        phase("eliminating features")
        machine = SVC(kernel="linear", C=self.C)
        fitted = RFE(machine, n_features_to_select=k, step=self.step, importance_getter=_places_from_the_last)
        fitted.fit(values, table.target.codes)
        kept = np.flatnonzero(fitted.support_)
        weights = _squared_weights(fitted.estimator_)
        order = rank(weights)
        return Found(kept[order], weights[order])


def _squared_weights(machine: Any) -> NDArray[np.float64]:
    coef = machine.coef_
    return np.square(coef.toarray() if issparse(coef) else coef).sum(axis=0)


def _places_from_the_last(machine: Any) -> NDArray[np.int64]:
    """Of equal features the last is dropped first: the sums of the solver tell them apart by their rounding alone."""
    weights = np.sqrt(_squared_weights(machine))
    places = np.empty(len(weights), np.int64)
    # Relative to the largest, as there may be 100,000 features, and so small weights.
    places[rank(weights / (weights.max() or 1.0))] = np.arange(len(weights), 0, -1)
    return places


def standardised(values: Any) -> Any:
    """Dense columns with mean 0 and standard deviation 1; sparse ones as they are, with indices of 32 bits.

    Raises
    ------
    ValueError
        If a sparse table has more stored values than such indices count.
    """
    from sklearn.preprocessing import StandardScaler

    if not issparse(values):
        return StandardScaler().fit_transform(values.astype(np.float64))
    if values.indptr.dtype == np.int32 == values.indices.dtype:
        return values
    if max(values.nnz, *values.shape) > np.iinfo(np.int32).max:
        raise ValueError(
            f"the table has {values.nnz:,} stored values, and scikit-learn's solvers take at most 2**31 - 1"
        )
    return csc_array((values.data, values.indices.astype(np.int32), values.indptr.astype(np.int32)), shape=values.shape)


def _l1_weights(values: Any, codes: NDArray[np.int32], C: float) -> NDArray[np.float64]:
    import warnings

    from sklearn.exceptions import ConvergenceWarning
    from sklearn.svm import LinearSVC

    model = LinearSVC(penalty="l1", dual=False, C=C, random_state=0)
    with warnings.catch_warnings():  # near the smallest C its test of convergence is hardly ever met
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(values, codes)
    return np.abs(model.coef_).sum(axis=0)


METHODS = (
    *(
        replace(each, selector="bitsieve.selectors.svm:L1SVM", parameters=defaults_of(L1SVM, **each.parameters))
        for each in L1SVM.described
    ),
    *(
        replace(each, selector="bitsieve.selectors.svm:SVMRFE", parameters=defaults_of(SVMRFE, **each.parameters))
        for each in SVMRFE.described
    ),
)
