"""Selectors by a fitted model of scikit-learn, to compare the other methods with."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Any

from bitsieve.methods.by_samples.models import METHODS
from bitsieve.selectors.base import ColumnSelector, with_parameters


@with_parameters
class ModelSelector(ColumnSelector):
    r"""Rank the features by the importance that a classifier of scikit-learn gives them once it is fitted.

    The importance of feature i is ``feature_importances_[i]`` of the model, or ``sum_c |w_ci|`` over the weights w_c in
    its ``coef_``, one row a class.

    Parameters
    ----------
    model : {'extra-trees', 'linear-svc'} or scikit-learn classifier, default='extra-trees'
        'extra-trees': a hundred extremely randomised trees. 'linear-svc': a linear support vector machine, C = 1, one
        class against the rest, on columns of mean 0 and standard deviation 1. A classifier is cloned; of a pipeline
        the last step is looked at.
    random_state : int, RandomState instance or None, default=0
        Of 'extra-trees'; a classifier that is given has its own.
    n_jobs : int, default=None
        Threads of 'extra-trees' (None is 1, -1 every core).

    Attributes
    ----------
    importances_ : ndarray of float, shape (n_features,)
        0 for columns that do not vary.
    model_ : classifier
        Fitted on the columns that vary.
    ranking_ : ndarray of int, shape (n_features,)
        1 = most important; every feature has its own rank. Ties (1e-10) go to the lowest column; columns that do not
        vary come last.
    scores_ : ndarray of float, shape (k,)
        The importances of the selected columns.

    Notes
    -----
    Columns of two categories count as 0 and 1; those of more are refused, as are missing values. Cost: one fit.

    Examples
    --------
    >>> from bitsieve import ModelSelector
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> ModelSelector(2).fit(X, y).get_feature_names_out().tolist()
    ['petal length (cm)', 'petal width (cm)']
    """

    described = METHODS[:2]

    n_features_to_select: int | None = None
    _: KW_ONLY
    model: Any = "extra-trees"
    random_state: Any = 0
    target_kind: str | None = None
    n_jobs: int | None = None


@with_parameters
class L1SVM(ColumnSelector):
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

    Examples
    --------
    >>> from bitsieve import L1SVM
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> L1SVM(3).fit(X, y).selected_.tolist()
    [27, 20, 22]
    """

    described = METHODS[2:3]

    n_features_to_select: int | None = None
    _: KW_ONLY
    C: float | None = None
    target_kind: str | None = None


@with_parameters
class SVMRFE(ColumnSelector):
    r"""Fit a linear support vector machine, drop the features of the smallest squared weights, and again.

    By scikit-learn's ``RFE`` over ``SVC`` with a linear kernel (hinge loss, with a bias).

    Parameters
    ----------
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

    Examples
    --------
    >>> from bitsieve import SVMRFE
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> SVMRFE(3, step=1).fit(X, y).selected_.tolist()
    [23, 6, 13]
    """

    described = METHODS[3:]

    n_features_to_select: int | None = None
    _: KW_ONLY
    step: int | float = 0.1
    C: float = 1.0
    target_kind: str | None = None
