"""Greedy forward selection by a criterion of mutual information."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve.by_counts.criteria import make_criterion
from bitsieve.by_counts.greedy.forward import forward_select
from bitsieve.by_counts.stopping import make_stopping
from bitsieve.common.errors import ParameterError, Sentence, Setting
from bitsieve.common.parameters import check_feature_count
from bitsieve.common.progress import phase
from bitsieve.information import check_estimator, make_information
from bitsieve.selectors.constraints import check_constraints, resolve
from bitsieve.selectors.counted import CountSelector

if TYPE_CHECKING:
    from bitsieve.by_counts.criteria.base import Criterion, JointCriterion
    from bitsieve.by_counts.stopping.base import StoppingRule
    from bitsieve.by_counts.stopping.monitor import Verdict
    from bitsieve.information import PairwiseInformation
    from bitsieve.selectors.constraints import Constraints, Units


class ForwardSelector(CountSelector):
    r"""Choose features one at a time: the most relevant first, then the best by a criterion given those chosen.

    ``selected_[0] = argmax I(Xi;C)`` and then ``argmax J(i | S)``; ties (1e-10) go to the lowest column, and a column
    that does not vary is never chosen while another is left.

    Parameters
    ----------
    n_features_to_select : int, float or "auto", default=10
        How many; a float between 0 and 1 is a share of the columns. "auto" goes on until ``stopping`` ends it.
    criterion : str or criterion object, default="jmi"
        A name of :func:`list_methods`; an object such as ``MIFS(beta=0.5)`` sets parameters.
    stopping : {"significance", "permutation", "threshold"} or rule object, optional
        Ends the selection, before it is complete, at the first choice that adds no more than chance, or too few bits,
        to all that is chosen: see :class:`SignificanceStopping`, :class:`PermutationStopping` and
        :class:`ThresholdStopping`. By default none; "significance" with ``n_features_to_select="auto"``.
    constraints : Constraints, optional
        Columns that must or must not be selected, or are taken together.
    binning : {"mdl", "quantile", "uniform", "none"} or binner, default="mdl"
        How numeric columns become codes; "none" takes each distinct value as its own code.
    estimator : {"plug-in", "miller-madow", "shrinkage"}, default="plug-in"
        Of every information quantity; the two others correct the bias of few samples for the cells of a table. With
        "miller-madow" scores may be negative, in "shrinkage" each quantity has a table of its own.
    n_jobs : int, default=None
        Threads (None is 1, -1 every core); the result is the same to the last bit for any number.

    Attributes
    ----------
    support_ : ndarray of bool, shape (n_features,)
    ranking_ : ndarray of int, shape (n_features,)
        1 = chosen first; features that were not chosen share the next rank.
    selected_ : ndarray of int, shape (k,)
        Column indices in order of choice; the columns of a group stand together.
    scores_ : ndarray of float, shape (k,)
        The criterion's value at each choice, in bits (miq, disr, njmim: ratios; amifs: bits less a ratio); the first is
        I(Xi;C).
    stopped_by_ : str
        What ended the selection: "n_features_to_select", the rule's name, or "no varying column left".
    stopping_value_ : float
        The rule's value for the candidate it refused (a p corrected for the candidates tried, or bits), else nan.
    stopping_reason_ : str
        The same in words, such as "p = 0.31 > 0.05"; empty where no rule stopped.
    stopping_candidate_ : int
        That candidate's (first) column, else -1.
    stopping_values_ : ndarray of float, shape (k,)
        The rule's value for every choice; nan where it was not asked.
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
        n_features_to_select: int | float | str = 10,
        *,
        criterion: str | Criterion | JointCriterion = "jmi",
        stopping: str | StoppingRule | None = None,
        constraints: Constraints | None = None,
        binning: Any = "mdl",
        estimator: str = "plug-in",
        n_jobs: int | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.criterion = criterion
        self.stopping = stopping
        self.constraints = constraints
        self.binning = binning
        self.estimator = estimator
        self.n_jobs = n_jobs

    def _check_parameters(self) -> None:
        make_criterion(self.criterion)
        check_estimator(self.estimator)
        if self.estimator == "shrinkage" and make_criterion(self.criterion).needs == "joint":
            raise ParameterError(
                "estimator",
                "shrinkage",
                "use 'plug-in' or 'miller-madow'",
                "shrinks tables of two features and the class, but this criterion conditions on more:",
            )
        check_constraints(self.constraints)
        if self.stopping is not None:
            make_stopping(self.stopping)

    def _feature_count(self, n_features: int) -> int:
        units = self._units(n_features)
        n_open = len(units.columns) - len(units.exclude)
        k = n_open
        if self.n_features_to_select != "auto":
            k = check_feature_count(self.n_features_to_select, n_open, units.noun)
        if len(units.must_include) > k:
            raise ValueError(
                Sentence(
                    Setting("must_include"),
                    f" has {len(units.must_include)} features but ",
                    Setting("n_features_to_select"),
                    f" is {k}: ask for as many",
                )
            )
        return k

    def _units(self, n_features: int) -> Units:
        names = getattr(self, "feature_names_in_", None)
        labels = [f"x{j}" for j in range(n_features)] if names is None else list(names)
        return resolve(check_constraints(self.constraints), labels)

    def _choose(self, information: PairwiseInformation, k: int) -> None:
        units = self._units(information.n_features)
        if units.grouped:
            information = make_information(self.estimator, information.source.merged(units.columns))
        stopping = self.stopping or ("significance" if self.n_features_to_select == "auto" else None)
        chosen = forward_select(
            information,
            make_criterion(self.criterion),
            k,
            phase("ranking"),
            stopping=None if stopping is None else make_stopping(stopping),
            must_include=units.must_include,
            exclude=units.exclude,
        )
        sizes = [len(units.columns[u]) for u in chosen.selected]
        self.selected_ = np.concatenate([np.empty(0, np.intp), *(units.columns[u] for u in chosen.selected)])
        self.scores_ = np.repeat(chosen.scores, sizes)
        self.ranking_ = np.full(self.n_features_in_, len(sizes) + 1, np.intp)
        self.ranking_[self.selected_] = np.repeat(np.arange(1, len(sizes) + 1), sizes)
        self._keep_verdict(chosen.verdict, units, sizes)

    def _keep_verdict(self, verdict: Verdict | None, units: Units, sizes: list[int]) -> None:
        self.stopped_by_ = "n_features_to_select"
        self.stopping_value_ = np.nan
        self.stopping_candidate_ = -1
        self.stopping_reason_ = ""
        self.stopping_values_ = np.full(len(self.selected_), np.nan)
        if verdict is None:
            return
        self.stopping_values_ = np.repeat(verdict.values, sizes)
        if verdict.exhausted:
            self.stopped_by_ = "no varying column left"
        elif verdict.refused is not None:
            rule = make_stopping(self.stopping or "significance")
            self.stopped_by_ = rule.name
            self.stopping_reason_ = rule.reason(verdict.value)
            self.stopping_value_ = verdict.value
            self.stopping_candidate_ = int(units.columns[verdict.refused][0])
