"""What a comparison found: errors of every method, fold and number of features, and what follows from them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve.common.messages import choices
from bitsieve.evaluation.choice import Choice, choose, standard_errors
from bitsieve.evaluation.significance import PairedTest, paired_test
from bitsieve.evaluation.stability import kuncheva, nogueira

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from bitsieve.evaluation.plan import Plan
    from bitsieve.evaluation.protocol import Scored

    Floats = NDArray[np.float64]
    Integers = NDArray[np.intp]


@dataclass(frozen=True)
class Comparison:
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

    Examples
    --------
    >>> import bitsieve
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> comparison = bitsieve.compare(X, y, methods=["mim", "mifs"], features=range(1, 5), classifier="ncm", folds=5)
    >>> comparison.rates.round(3).tolist()
    [[0.053, 0.04, 0.04, 0.04], [0.053, 0.04, 0.04, 0.04]]
    >>> print(comparison.choice())
    mim with 2 features: error 4.0 % +- 0.7, the least of all
    """

    methods: list[str]
    counts: Integers
    n_test: Integers
    errors: Integers = field(repr=False)
    redundancy: Floats = field(repr=False)
    separability: Floats = field(repr=False)
    seconds_selecting: Floats = field(repr=False)
    seconds_classifying: Floats = field(repr=False)
    selected: list[list[Integers]] = field(repr=False)
    names: list[str] = field(repr=False)
    parameters: dict[str, Any]
    notes: list[str]

    @classmethod
    def of(cls, plan: Plan, folds: list[dict[str, Scored]]) -> Comparison:
        """From the results of all folds.

        Parameters
        ----------
        plan : Plan
        folds : list of dict
            Label to :class:`~bitsieve.evaluation.protocol.Scored`, one entry a fold.

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
                "protocol": plan.protocol,
                "binning": plan.binning if isinstance(plan.binning, str) else " ".join(repr(plan.binning).split()),
                "n_folds": len(plan.folds),
                "random_state": plan.random_state,
            },
            notes=list(plan.notes),
        )

    @cached_property
    def rates(self) -> Floats:
        """Error rates pooled over the folds, shape (n_methods, n_counts)."""
        return self.errors.sum(axis=1) / self.n_test.sum()

    @cached_property
    def standard_errors(self) -> Floats:
        """Of :attr:`rates`, from the folds, shape (n_methods, n_counts); nan for one fold."""
        return standard_errors(self.errors, self.n_test)

    def test(self, first: str, second: str) -> PairedTest:
        """One-sided paired t-tests of two methods over the numbers of features, both ways.

        Parameters
        ----------
        first, second : str

        Returns
        -------
        PairedTest
            Its ``outcome`` is ``+`` where the first has the lower error at 5 %, ``-`` where the second has, else ``=``.
        """
        return paired_test(self.rates[self._row(first)], self.rates[self._row(second)])

    def choice(self, method: str | None = None) -> Choice:
        """The fewest features within one standard error of the least error, of one method or of all.

        Parameters
        ----------
        method : str, optional

        Returns
        -------
        Choice
            ``print`` shows it as a sentence.
        """
        rows = slice(None) if method is None else [self._row(method)]
        methods = self.methods if method is None else [method]
        return choose(methods, self.counts, self.rates[rows], self.standard_errors[rows])

    def stability(self, method: str) -> dict[str, Floats]:
        """Nogueira's and Kuncheva's stability of a method's selections over the folds, for every number of features.

        Parameters
        ----------
        method : str

        Returns
        -------
        dict
            "nogueira" and "kuncheva", each of shape (n_counts,); nan where not defined: with all features, and where
            one selection served all folds.
        """
        chosen = self.selected[self._row(method)]
        once = self.parameters["protocol"] == "paper"
        sets = [[] if once else [selected[:k] for selected in chosen] for k in self.counts]
        return {
            measure.__name__: np.array([measure(folds, len(self.names)) for folds in sets])
            for measure in (nogueira, kuncheva)
        }

    def summary(self) -> list[dict[str, Any]]:
        """One row for each method: its errors, wins, chosen number of features, redundancy, stability and seconds.

        Returns
        -------
        list of dict
        """
        from bitsieve.evaluation.summary import summarise

        return [summarise(self, method) for method in self.methods]

    def table(self) -> pa.Table:
        """The tidy table: one row for each method, fold and number of features.

        Returns
        -------
        pyarrow.Table
            method, fold (from 0), n_features, n_test, errors, redundancy, separability, seconds_selecting,
            seconds_classifying (the last two are of the fold, the same for every number of features).
        """
        from bitsieve.evaluation.tidy import tidy_table

        return tidy_table(self)

    def to_dict(self) -> dict[str, Any]:
        """The comparison as plain Python values that ``json.dumps`` takes; a value that is no number is None.

        Returns
        -------
        dict
        """
        from bitsieve.evaluation.tidy import plain_document

        return plain_document(self)

    def __str__(self) -> str:
        from bitsieve.evaluation.summary import as_text

        return as_text(self)

    def _row(self, method: str) -> int:
        if method not in self.methods:
            raise ValueError(f"method {method!r} was not compared; {choices(method, self.methods)}")
        return self.methods.index(method)
