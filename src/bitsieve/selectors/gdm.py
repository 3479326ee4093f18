"""GDM: support features of a large-margin classifier, and for each the features that are correlated with it."""

from __future__ import annotations

from dataclasses import KW_ONLY, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from bitsieve.common.arrays import Floats
from bitsieve.methods.by_samples.cutting_plane import search
from bitsieve.selectors.base import ColumnSelector, with_parameters
from bitsieve.selectors.sampled import columns_of


@with_parameters
class GDM(ClassifierMixin, ColumnSelector):
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
        By default 10, or all columns where there are fewer.
        Support features. There are fewer where the other columns are correlated with those chosen.
    tau : float, default=0.25
        Two columns are correlated where ``|rho| >= 1 - tau``, inside 0 and 1. None sets no limit and finds no groups:
        that is the feature generating machine (FGM).
    C : float, default=1.0
        Weight of the squared slacks beside the margin, for columns of length 1: a strong regularisation, under which
        the cuts differ little. ``C=n_samples`` is C = 1 for columns of variance 1.
    features_per_cut : int, default=None
        B, up to ``n_features_to_select``; None takes half of these. It is doubled where the next cut would bring no
        new feature or not raise the objective.
    max_cuts : int, default=10
        The last one has as many features as are to be selected.
    matching : {"disjoint", "greedy", "exact"}, default="disjoint"
        How the worst set is found. "greedy" is the paper's way: the best ranked column that is in no group of this cut
        yet, and again; features of different cuts may be correlated. "disjoint" also leaves out what is correlated
        with a support feature of an earlier cut, so that no two of all that are chosen are, and every group has one
        support feature. "exact" finds the best set by branch and bound: correlation is not transitive, and the greedy
        set need not be the best.

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
        Of the mean of all columns the decision is 0.
    cuts_ : list of ndarray of int
        The support features of every cut, by score.
    objective_ : ndarray of float, shape (n_cuts,)
        Optimum over the cuts so far, after each: it rises towards the optimum over all sets, and may stay where it was
        after the last cut, of which columns beyond ``n_features_to_select`` are left out.
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

    There is no bias beside the centring of the columns, which suits classes of about equal size; scores and groups do
    not depend on it. A classifier that is fitted on the support features is often better than this one.

    Sparse matrices and arrays are taken as they are, CSC without a copy, others turned to CSC; they are never made
    dense. Columns of two categories count as 0 and 1; those of more are refused, as are missing values. Columns that do
    not vary, or are not correlated with the classes at all, are never selected.

    Cost: a pass over the stored values for each cut and one more for the groups; correlations of the best ranked
    columns; some dozens of products with n_samples x k numbers. Memory: beside the table, for a sparse one that is not
    CSC a copy, and some numbers a column and a sample; n_samples x k numbers for a dense one.

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

    described = search.METHODS

    n_features_to_select: int | None = None
    _: KW_ONLY
    tau: float | None = 0.25
    C: float = 1.0
    features_per_cut: int | None = None
    max_cuts: int = 10
    matching: str = "disjoint"
    target_kind: str | None = None
    n_jobs: int | None = None

    coef_: Floats = field(init=False)
    intercept_: Floats = field(init=False)
    _categories: dict[int, NDArray[Any]] = field(init=False)

    def decision_function(self, X: Any) -> Floats:
        """How far a sample is on the side of a class.

        Parameters
        ----------
        X : array-like, dataframe or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Of two classes that of the second; of more a column each.
        """
        check_is_fitted(self)
        values = columns_of(self, X, self.selected_, self._categories)
        decision = values @ self.coef_[:, self.selected_].T + self.intercept_
        return decision[:, 0] if len(self.intercept_) == 1 else decision

    def predict(self, X: Any) -> NDArray[Any]:
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

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # as few features as are asked for, and no bias
        return tags
