"""Selectors by Markov blankets: what makes a feature superfluous, beside others."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Any

from bitsieve.common.defaults import BINNING
from bitsieve.methods.by_counts.blankets import fcbf, koller_sahami
from bitsieve.selectors.base import CountSelector, with_parameters


@with_parameters
class FCBF(CountSelector):
    r"""Keep the features relevant to the target that no more relevant one makes redundant; their number is not given.

    ``SU(X,Y) = 2 I(X;Y) / (H(X) + H(Y))``. The features with ``SU(Xi,C) >= delta`` are visited by falling
    SU(Xi,C), ties (1e-10) by index; each p that is visited is kept and removes every later q with
    ``SU(p,q) >= SU(q,C)``. A column that does not vary comes after all others, and is removed by any of them.

    Parameters
    ----------
    n_features_to_select : int, float or "auto", default=None
        None or "auto" keeps all that are not removed; a number keeps the first so many of them, or fewer where fewer
        are left; a float between 0 and 1 is a share of all columns.
    delta : float, default=0.0
        Least SU(Xi,C), from 0 to 1.
    strict : bool, default=False
        True compares by ``>`` in both places, as some programs do, and not by ``>=``, as the paper does.

    Attributes
    ----------
    selected_ : ndarray of int, shape (k,)
        Column indices by falling SU with the class.
    scores_ : ndarray of float, shape (k,)
        SU(Xi,C) of the selected features, between 0 and 1.
    groups_ : list of ndarray of int, length n_selected
        For every selected feature, the features that it removed.

    Raises
    ------
    ValueError
        When fitting, if no feature reaches ``delta``.

    Notes
    -----
    Cost: one row of pair counts a kept feature, over the features that remain: O(k n d) samples read as bits at
    most, d = n_samples, n = n_features, k kept. Memory: (arity - 1) / 8 bytes a value. Of a sparse table: for a kept
    feature the stored values of its rows, or the features that remain where these are fewer.

    Examples
    --------
    >>> from bitsieve import FCBF
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> selector = FCBF(delta=0.05).fit(X, y)
    >>> selector.selected_.tolist()
    [22, 27, 10, 1, 24, 28]
    >>> [len(group) for group in selector.groups_]
    [7, 11, 0, 1, 0, 0]
    """

    described = fcbf.METHODS

    n_features_to_select: int | float | str | None = None
    _: KW_ONLY
    delta: float = 0.0
    strict: bool = False
    binning: Any = BINNING
    missing: str | None = None
    target_kind: str | None = None
    n_jobs: int | None = None


@with_parameters
class KollerSahami(CountSelector):
    r"""Drop features one at a time, each the least informative one conditional on its approximate Markov blanket.

    ``delta_i = I(Xi;C|M_i)``, the blanket M_i being the K remaining features with the smallest I(Xi;C|Xj), all of which
    are conditioned on together; the feature with the smallest delta is dropped and the blankets that held it are chosen
    afresh. Ties (1e-10): the highest column is dropped, so that the lowest stays. Columns that do not vary are dropped
    first.

    Parameters
    ----------
    n_features_to_select : int or float, optional
        By default 10, or all columns where there are fewer.
        A float between 0 and 1 is a share of all columns.
    blanket_size : int, default=1
        K. With 0 the order is that of I(Xi;C). Where hardly two samples have the same values in a large blanket, every
        feature looks superfluous: give 1 or 2 for hundreds of samples.
    blanket : {"relevance", "redundancy"}, default="relevance"
        "redundancy" makes M_i of the K features with the largest I(Xi;Xj).

    Attributes
    ----------
    ranking_ : ndarray of int, shape (n_features,)
        1 = never dropped; every feature has its own rank, the one dropped first the last.
    selected_ : ndarray of int, shape (k,)
        Column indices, the one that would have stayed longest first.
    scores_ : ndarray of float, shape (k,)
        The delta of each when it was dropped, in bits; of the first, I(Xi;C). They need not fall.

    Notes
    -----
    Cost: O(n^2 d) samples read as bits for all pairs, d = n_samples, n = n_features, then some n (K + 1) counts of one
    feature and the class conditional on a blanket. Memory: n^2 numbers and the bit planes.

    Examples
    --------
    >>> from bitsieve import KollerSahami
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = KollerSahami(2).fit(X, y)
    >>> selector.get_feature_names_out().tolist()
    ['petal length (cm)', 'petal width (cm)']
    """

    described = koller_sahami.METHODS

    n_features_to_select: int | float | None = None
    _: KW_ONLY
    blanket_size: int = 1
    blanket: str = "relevance"
    binning: Any = BINNING
    missing: str | None = None
    target_kind: str | None = None
    n_jobs: int | None = None
