"""What a comparison found: its error curves, as a table, as a document and in words."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve.evaluation.error_curves import ErrorCurves
from bitsieve.evaluation.scoring import LOSSES
from bitsieve.evaluation.summary import as_text, summarise
from bitsieve.evaluation.tidy import plain_document, tidy_table

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa
    from numpy.typing import NDArray

    from bitsieve.evaluation.plan import Plan
    from bitsieve.evaluation.protocol import Scored


@dataclass(frozen=True)
class Comparison(ErrorCurves):
    """Cross-validated errors of several methods for every number of features.

    Attributes
    ----------
    methods : list of str
        Labels, in the order given.
    counts : ndarray of int, shape (n_counts,)
        Numbers of features.
    n_test : ndarray of int, shape (n_folds,)
        Test samples of each fold.
    errors : ndarray of int, shape (n_methods, n_folds, n_counts)
        How many of them got the wrong class.
    redundancy : ndarray of float, shape (n_methods, n_folds, n_counts)
        Mean absolute correlation of the selected numeric features in the training samples; nan for fewer than two.
    separability : ndarray of float, shape (n_methods, n_folds, n_counts)
        ``J = |Sw + Sb| / |Sw|`` of the selected numeric features in the training samples; nan where Sw is singular.
    seconds_selecting, seconds_classifying : ndarray of float, shape (n_methods, n_folds)
        Wall time of one ranking (binning included; pairs that a method before it counted are free), and of classifying
        with all the counts.
    selected : list of list of ndarray of int
        ``selected[method][fold]``: columns in order of choice.
    names : list of str
        Of the features.
    parameters : dict
        What was asked: target, classifier, protocol, binning, folds, random_state.
    notes : list of str
        What was noticed, in plain sentences.
    bayes_error_bounds : ndarray of float, shape (n_methods, 2), or None
        Where asked for: the lower and the upper bound on the error of the best possible classifier on the features
        chosen by each method, as many as :meth:`chosen` takes, as of :func:`bitsieve.bayes_error_bounds`; estimated
        from the training samples, as the classifier gets them, and averaged over the folds.
    baselines : dict of str to ndarray of shape (n_folds, n_counts)
        The errors of what the methods are to beat: the majority class, all columns, and SelectKBest of scikit-learn.

    Examples
    --------
    >>> import bitsieve
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> comparison = bitsieve.compare(X, y, methods=["mim", "mifs"], features=range(1, 5), classifier="ncm", folds=5)
    >>> comparison.rates.round(3).tolist()
    [[0.053, 0.04, 0.107, 0.14], [0.053, 0.04, 0.087, 0.14]]
    >>> print(comparison.choice())
    mim with 2 features: error 4.0 % +- 0.7, the least of all
    """

    @classmethod
    def of(
        cls, plan: Plan, folds: list[dict[str, Scored]], baselines: Mapping[str, NDArray[Any]] = MappingProxyType({})
    ) -> Comparison:
        """From the results of all folds.

        Parameters
        ----------
        plan : Plan
        folds : list of dict
            Label to :class:`~bitsieve.evaluation.protocol.Scored`, one entry a fold.
        baselines : mapping of str to ndarray

        Returns
        -------
        Comparison
        """
        methods = list(plan.selectors)

        def stacked(name: str) -> NDArray[Any]:
            return np.array([[getattr(fold[method], name) for fold in folds] for method in methods])

        return cls(
            methods=methods,
            counts=plan.counts,
            n_test=np.array([len(fold.test) for fold in plan.folds], np.intp),
            errors=stacked("errors"),
            redundancy=stacked("redundancy"),
            separability=stacked("separability"),
            seconds_selecting=stacked("seconds_selecting"),
            seconds_classifying=stacked("seconds_classifying"),
            selected=[[fold[method].selected for fold in folds] for method in methods],
            names=list(plan.table.names),
            parameters={
                "target": plan.target.name,
                "n_samples": plan.table.n_samples,
                "n_features": plan.table.n_features,
                "n_classes": plan.target.n_classes,
                "classifier": plan.classifier,
                "scoring": next(name for name, loss in LOSSES.items() if loss is plan.loss),
                "protocol": plan.protocol,
                "binning": plan.binning if isinstance(plan.binning, str) else " ".join(repr(plan.binning).split()),
                "n_folds": len(plan.folds),
                "random_state": plan.random_state,
            },
            notes=list(plan.notes),
            baselines=dict(baselines),
        )

    def summary(self) -> list[dict[str, Any]]:
        """One row for each method: its errors, wins, chosen number of features, redundancy, stability and seconds.

        Returns
        -------
        list of dict
        """
        return summarise(self)

    def table(self) -> pa.Table:
        """The tidy table: one row for each method, fold and number of features.

        Returns
        -------
        pyarrow.Table
            method, fold (from 0), n_features, n_test, errors, redundancy, separability, seconds_selecting,
            seconds_classifying (the last two are of the fold, the same for every number of features).
        """
        return tidy_table(self)

    def to_dict(self) -> dict[str, Any]:
        """The comparison as plain Python values that ``json.dumps`` takes; a value that is no number is None.

        Returns
        -------
        dict
        """
        return plain_document(self)

    def __str__(self) -> str:
        return as_text(self, self.notes)
