"""Selectors by a fitted model: of scikit-learn, to compare the others with, and GDM, a large-margin classifier."""

from __future__ import annotations

from dataclasses import field
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from bitsieve.methods.by_samples import l1_svm, model_importance, svm_rfe
from bitsieve.methods.by_samples.cutting_plane import search
from bitsieve.pipeline.samples import numbers_of_columns
from bitsieve.selectors.base import with_parameters
from bitsieve.selectors.by_method import MethodSelector
from bitsieve.utils.arrays import Floats, Values
from bitsieve.utils.types import RandomState, TableLike


@with_parameters
class ModelSelector(MethodSelector):
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
        The seed of 'extra-trees'; a classifier that is given has its own.
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

    registry_methods = model_importance.METHODS

    model: Any = "extra-trees"
    random_state: RandomState = 0
    n_jobs: int | None = None


@with_parameters
class L1SVM(MethodSelector):
    r"""Choose the features to which a linear support vector machine with an L1 penalty gives the largest weights.

    ``min_w sum_j |w_j| + C sum_i max(0, 1 - y_i (w'x_i + b))^2`` by scikit-learn's ``LinearSVC``: most weights are 0.

    Parameters
    ----------
    n_features_to_select : int, optional
        By default 20, or all columns where there are fewer.
        There are fewer where fewer have weight.
    C : float, default=None
        None takes the smallest of a series, each sqrt(2) times the one before, at which as many columns have weight as
        are to be selected.

    Attributes
    ----------
    scores_ : ndarray of float, shape (k,)
        ``sum_c |w_cj|`` over the classes, one against the rest where there are more than two.
    C_ : float
        The C of the machine.

    Raises
    ------
    ValueError
        When fitting, if no column has weight.

    Notes
    -----
    Columns of a dense table are standardised; those of two categories count as 0 and 1, those of more are refused, as
    are missing values. Cost: one fit, or some twenty, each of up to 1,000 iterations.

    Examples
    --------
    >>> from bitsieve import L1SVM
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> L1SVM(3).fit(X, y).selected_.tolist()
    [27, 20, 22]
    """

    registry_methods = l1_svm.METHODS

    C: float | None = None


@with_parameters
class SVMRFE(MethodSelector):
    r"""Fit a linear support vector machine, drop the features of the smallest squared weights, and again.

    The machine is scikit-learn's ``SVC`` with a linear kernel (hinge loss, with a bias). Of equal features the last is
    dropped first.

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
    Columns of a dense table are standardised; those of two categories count as 0 and 1, those of more are refused, as
    are missing values. Cost of every step: the products of all d samples, O(n d^2), and a fit to these d x d numbers.

    Examples
    --------
    >>> from bitsieve import SVMRFE
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> SVMRFE(3, step=1).fit(X, y).selected_.tolist()
    [23, 6, 13]
    """

    registry_methods = svm_rfe.METHODS

    step: int | float = 0.1
    C: float = 1.0


@with_parameters
class GDM(ClassifierMixin, MethodSelector):
    r"""Choose features of which no two are correlated for a linear classifier, with the groups they represent.

    Chosen are *support features*; the columns that are correlated with one of them by 1 - tau or more are its
    *affiliated features*, and are kept as its group. With columns f_j of mean 0 and length 1 the classifier has the
    largest margin over all sets of B features of which no two are correlated by 1 - tau or more,

        ``min_alpha max_delta  sum_j delta_j c_j^2 / 2 + |alpha|^2 / (2C),   c_j = sum_i alpha_i y_i f_ij``,

    alpha weights of the samples, not negative and of sum 1. A cutting plane method solves it: find the set delta that
    is worst for the current alpha (a cut), solve the problem over the cuts found so far, and again. The support
    features are those of all cuts.

    Parameters
    ----------
    n_features_to_select : int, optional
        By default 20, or all columns where there are fewer.
        Support features. There are fewer where the other columns are correlated with those chosen.
    tau : float, default=0.25
        Two columns are correlated where ``|rho| >= 1 - tau``, inside 0 and 1. None sets no limit and finds no groups:
        that is the feature generating machine (FGM).
    C : float, default=1.0
        Weight of the squared slacks beside the margin; ``C=n_samples`` is C = 1 for columns of variance 1.
    features_per_cut : int, default=None
        B, up to ``n_features_to_select``; None takes half of these.
    max_cuts : int, default=10
        The last one has as many features as are to be selected.
    matching : {"disjoint", "greedy", "exact"}, default="disjoint"
        How the worst set is found. "greedy" is the paper's way: the best ranked column that is in no group of this cut
        yet, and again; features of different cuts may be correlated. "disjoint" also leaves out what is correlated
        with a support feature of an earlier cut. "exact" finds the best set by branch and bound.

    Attributes
    ----------
    selected_ : ndarray of int, shape (k,)
        Support features in order of choice: by cut, within a cut by score.
    scores_ : ndarray of float, shape (k,)
        ``|c_j| / |alpha|`` in the cut that chose the feature first: the cosine between it and alpha y, from 0 to 1.
    groups_ : list of ndarray of int, length k
        The affiliated features of every support feature, the most correlated ones first. In a cut a column is in the
        group of the first support feature with which it is correlated; the groups of all cuts are united.
    correlations_ : list of ndarray of float, length k
        Their correlations with the support feature.
    coef_ : ndarray of float, shape (1, n_features) or (n_classes, n_features)
        Weights of the columns as they are, 0 for those not selected; a row a class where there are more than two.
    intercept_ : ndarray of float, shape (1,) or (n_classes,)
        Chosen so that the decision at the mean of all columns is 0.
    cuts_ : list of ndarray of int
        The support features of every cut, by score.
    objective_ : ndarray of float, shape (n_cuts,)
        Optimum over the cuts so far, after each: it rises towards the optimum over all sets.
    duality_gap_ : float
        How far an optimum may be from the true one, at most and relative to it.
    violation_ : float
        By how much the next cut would exceed the objective, relative to it; up to 1e-4 is convergence.
    converged_ : bool
        Whether the violation is no larger, and the duality gaps at most 1e-8.
    matching_gap_ : float
        With "exact", by how much another set than that of a cut might be better, at most and relative to its sum of
        squares; 0 where all are proved to be the best. Otherwise nan.

    Raises
    ------
    ValueError
        When fitting, if no column is correlated with the classes.

    Notes
    -----
    Three or more classes are separated one against the rest, each with weights alpha of its own, and choose their
    features together: c_j^2 is summed over them.

    There is no bias beside the centring of the columns. Sparse matrices and arrays are never made dense. Columns of two
    categories count as 0 and 1; those of more are refused, as are missing values. Columns that do not vary, or are not
    correlated with the classes at all, are never selected.

    Cost: a pass over the stored values for each cut and one more for the groups; correlations of the best ranked
    columns; some dozens of products with n_samples x k numbers. Memory: n_samples x k numbers, and a copy of a sparse
    table that is not CSC.

    Examples
    --------
    >>> from bitsieve import GDM
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> machine = GDM(3).fit(X, y)
    >>> machine.selected_.tolist()
    [27, 23, 21]
    >>> [group.tolist() for group in machine.groups_]
    [[7, 6, 26, 22, 5, 25, 20, 2], [3, 0, 13, 10], [1]]
    """

    registry_methods = search.METHODS

    tau: float | None = 0.25
    C: float = 1.0
    features_per_cut: int | None = None
    max_cuts: int = 10
    matching: str = "disjoint"
    n_jobs: int | None = None

    coef_: Floats = field(init=False)
    intercept_: Floats = field(init=False)
    _categories: dict[int, Values] = field(init=False)

    def decision_function(self, X: TableLike) -> Floats:
        """How far a sample is on the side of a class.

        Parameters
        ----------
        X : array-like, dataframe or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            The decision for the second of two classes; a column for each class if there are more.
        """
        check_is_fitted(self)
        values = numbers_of_columns(self, X, self.selected_, self._categories)
        decision = values @ self.coef_[:, self.selected_].T + self.intercept_
        return decision[:, 0] if len(self.intercept_) == 1 else decision

    def predict(self, X: TableLike) -> Values:
        """The class of every sample.

        Parameters
        ----------
        X : array-like, dataframe or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels of ``classes_``.
        """
        decision = self.decision_function(X)
        codes = decision.argmax(axis=1) if decision.ndim == 2 else (decision > 0).astype(np.intp)
        return np.asarray(self.classes_[codes])

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # as few features as are asked for, and no bias
        return tags
