"""Greedy forward selection by a criterion of mutual information."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Any

from bitsieve.common.defaults import BINNING, ESTIMATOR, SELECTOR
from bitsieve.methods.by_counts.criteria.base import Criterion, JointCriterion
from bitsieve.methods.by_counts.forward import FORWARD
from bitsieve.methods.by_counts.stopping import Rule
from bitsieve.methods.constraints import Constraints
from bitsieve.selectors.base import CountSelector, with_parameters


@with_parameters
class ForwardSelector(CountSelector):
    r"""Choose features one at a time: the most relevant first, then the best by a criterion given those chosen.

    ``selected_[0] = argmax I(Xi;C)`` and then ``argmax J(i | S)``; ties (1e-10) go to the lowest column, and a column
    that does not vary is never chosen while another is left.

    Parameters
    ----------
    n_features_to_select : int, float or "auto", optional
        By default 10, or all columns where there are fewer.
        How many; a float between 0 and 1 is a share of the columns. "auto" goes on until ``stopping`` ends it.
    criterion : str or criterion object, default="cmim"
        A name of :func:`list_methods`; an object such as ``MIFS(beta=0.5)`` sets parameters.
    stopping : {"significance", "permutation", "fdr", "conditional", "knockoffs", "threshold"} or object, optional
        Leaves out candidates that add no more than chance, or too few bits, to all that is chosen, and ends the
        selection where no other is left: see :class:`SignificanceStopping`, :class:`PermutationStopping` and
        :class:`ThresholdStopping`; or takes the largest list of a false discovery rate:
        :class:`FalseDiscoveryStopping`, and for columns that depend on each other :class:`ConditionalStopping` and
        :class:`KnockoffStopping`, which keep the neighbours of each in ``stopping_given_``. By default none;
        "significance" with ``n_features_to_select="auto"``.
    constraints : Constraints, optional
        Columns that must or must not be selected, or are taken together.
    estimator : {"plug-in", "corrected", "miller-madow", "shrinkage"}, default="corrected"
        Of every information quantity. "plug-in" takes the table as it is, which makes columns of many values look
        informative by luck; the others correct that: "corrected" takes off what shuffled columns give on average. With
        it and "miller-madow" scores may be negative, in "shrinkage" each quantity has a table of its own.

    Attributes
    ----------
    selected_ : ndarray of int, shape (k,)
        Column indices in order of choice; the columns of a group stand together.
    scores_ : ndarray of float, shape (k,)
        The criterion's value at each choice, in bits (miq, disr, njmim: ratios; amifs: bits less a ratio); the first is
        I(Xi;C).
    stopped_by_ : str
        What ended the selection: "n_features_to_select", the rule's name, or "no varying column left".
    stopping_value_ : float
        Where the rule accepted no other candidate, its value (a p corrected for the candidates tried, a rate, or bits)
        for the one that the criterion preferred, or of "fdr" for the one that came nearest; else nan.
    stopping_reason_ : str
        The same in words, such as "p = 0.31 > 0.05"; empty where no rule stopped.
    stopping_candidate_ : int
        That candidate's (first) column, else -1.
    stopping_values_ : ndarray of float, shape (k,)
        The rule's value for every choice; nan where it was not asked.

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

    described = (FORWARD,)

    n_features_to_select: int | float | str | None = None
    _: KW_ONLY
    criterion: str | Criterion | JointCriterion = SELECTOR.method
    stopping: str | Rule | None = None
    constraints: Constraints | None = None
    binning: Any = BINNING
    missing: str | None = None
    target_kind: str | None = None
    estimator: str = ESTIMATOR
    n_jobs: int | None = None
