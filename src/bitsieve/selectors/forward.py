"""Greedy forward selection by a criterion of mutual information."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve.by_counts.criteria import make_criterion
from bitsieve.by_counts.greedy import forward_select
from bitsieve.progress import phase
from bitsieve.selectors.counted import CountSelector

if TYPE_CHECKING:
    from bitsieve.by_counts.criteria.base import Criterion
    from bitsieve.information import PairwiseInformation


class ForwardSelector(CountSelector):
    r"""Choose features one at a time: the most relevant first, then the best by a criterion given those chosen.

    ``selected_[0] = argmax I(Xi;C)`` and then ``argmax J(i | S)``; ties (1e-10) go to the lowest column, and a column
    that does not vary is never chosen while another is left.

    Parameters
    ----------
    n_features_to_select : int, default=10
    criterion : str or criterion object, default="jmi"
        "mim", "mifs", "mifsu", "mrmr", "minred"; "jmi", "emrmr", "cife", "icap", "condred", "betagamma"; "cmim",
        "cmim_fleuret", "jmim"; "miq", "amifs", "disr", "njmim"; or a second name of one of them (``list_methods``
        has all). An object such as ``MIFS(beta=0.5)`` sets parameters.
    binning : {"mdl", "quantile", "uniform", "none"} or binner, default="mdl"
        How numeric columns become codes; "none" takes each distinct value as its own code.
    n_jobs : int, default=None
        Threads (None is 1, -1 every core); the result is the same to the last bit for any number.

    Attributes
    ----------
    support_ : ndarray of bool, shape (n_features,)
    ranking_ : ndarray of int, shape (n_features,)
        1 = chosen first; features that were not chosen share the next rank.
    selected_ : ndarray of int, shape (n_features_to_select,)
        Column indices in order of choice.
    scores_ : ndarray of float, shape (n_features_to_select,)
        The criterion's value at each choice, in bits (miq, disr, njmim: ratios; amifs: bits less a ratio); the first is
        I(Xi;C).
    relevance_ : ndarray of float, shape (n_features,)
        I(Xi;C) of every column, in bits.
    overlap_with_ : ndarray of int, shape (n_features_to_select,)
        The feature chosen before with the largest I(Xi;Xs); -1 for the first.
    overlap_ : ndarray of float, shape (n_features_to_select,)
        That information in bits; nan for the first.
    binner_ : binner
        Fitted; its ``bin_edges_`` show every cut.
    classes_ : ndarray
        The labels of the target, or its intervals where it was continuous.
    target_edges_ : ndarray or None
        The inner edges of a continuous target.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Where the columns have names.

    Notes
    -----
    Cost: O(k n d) samples read as bits, d = n_samples, n = n_features. Memory: (arity - 1) / 8 bytes a value.

    References
    ----------
    G. Brown, A. Pocock, M.-J. Zhao, M. Lujan, "Conditional likelihood maximisation: a unifying framework for
    information theoretic feature selection", Journal of Machine Learning Research 13, 2012.

    Examples
    --------
    >>> from bitsieve import ForwardSelector
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = ForwardSelector(2, criterion="jmi").fit(X, y)
    >>> selector.get_feature_names_out().tolist()
    ['petal length (cm)', 'petal width (cm)']
    """

    def __init__(
        self,
        n_features_to_select: int = 10,
        *,
        criterion: str | Criterion = "jmi",
        binning: Any = "mdl",
        n_jobs: int | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.criterion = criterion
        self.binning = binning
        self.n_jobs = n_jobs

    def _check_parameters(self) -> None:
        make_criterion(self.criterion)

    def _choose(self, information: PairwiseInformation, k: int) -> None:
        chosen = forward_select(information, make_criterion(self.criterion), k, phase("ranking"))
        self.selected_ = chosen.selected
        self.scores_ = chosen.scores
        self.ranking_ = np.full(information.n_features, k + 1, np.intp)
        self.ranking_[self.selected_] = np.arange(1, k + 1)
