"""A selector that chooses its method and its number of features by cross-validation."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

from sklearn.base import BaseEstimator

from bitsieve.dataset.dataset import Dataset
from bitsieve.discretization.base import BinningLike
from bitsieve.evaluate.folds import FoldsLike
from bitsieve.evaluate.methods import Methods
from bitsieve.evaluate.plan import ComparisonOptions, make_plan
from bitsieve.evaluate.run import run_plan
from bitsieve.options import ColumnOptions, DiscretizationOptions
from bitsieve.selectors.base import with_parameters
from bitsieve.selectors.by_counts import CountSelector
from bitsieve.selectors.supervised import SupervisedSelector
from bitsieve.utils.defaults import BINNING, CROSS_VALIDATED
from bitsieve.utils.docstrings import cites
from bitsieve.utils.types import ColumnLike, TableLike

MAX_FEATURES = 50  # that are tried by default
ALL_COLUMNS = ColumnOptions(identifiers="keep")  # the identifiers are dropped before


@with_parameters
@cites("Breiman, Friedman, Olshen, Stone 1984")
class SelectorCV(SupervisedSelector):
    """Choose the method and the number of features by cross-validation, then select them on all samples.

    Every method ranks once in each fold; of all methods and numbers the fewest features are taken whose error is within
    one standard error of the least (Breiman's; of equally many the lower error, then the earlier method). The error
    found on the way is that of the best of many and so too low: judge the whole by an outer cross-validation.

    Parameters
    ----------
    methods : sequence of str or selectors, or dict, default=("mim", "mrmr", "cmim2")
        Names of :func:`bitsieve.list_methods`, selector objects, or a dict of labels to either.
    features : int or iterable of int, default=None
        Numbers of features to try; by default 1 to 50, or to all there are. Those beyond the table's are left out.
    classifier : str or scikit-learn classifier or regressor, default=None
        The model whose errors are measured, as for :func:`compare`.
    scoring : str, default=None
        The measure, as for :func:`compare`.
    folds : int, "loo", splitter or iterable of (train, test), default=None
        By default leave-one-out below 100 samples, else 10 stratified folds.
    binning : {"auto", "mdl", "monotone", "quantile", "uniform", "none"} or binner, default="auto"
        Learned in each fold.
    random_state : int, default=0
        Of the shuffle into folds, and of selectors and classifiers that draw at random and are given no seed.

    Attributes
    ----------
    comparison_ : Comparison
        The errors of every method, fold and number.
    method_ : str
        The label of the method chosen.
    n_features_to_select_ : int
        The number chosen.
    selector_ : estimator
        The method fitted on all samples.
    scores_ : ndarray of float, shape (k,)
        The method's value at each choice.

    Notes
    -----
    Cost: that of :func:`bitsieve.compare`, and one more selection.

    Examples
    --------
    >>> from bitsieve import SelectorCV
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> selector = SelectorCV(methods=["mim", "jmi"], classifier="ncm").fit(X, y)
    >>> selector.method_, selector.n_features_to_select_
    ('jmi', 5)
    """

    methods: Methods = CROSS_VALIDATED
    features: int | Iterable[int] | None = None
    classifier: str | BaseEstimator | None = None
    scoring: str | None = None
    folds: FoldsLike = None
    binning: BinningLike = BINNING
    bins_within: bool = False
    missing: str | None = None
    target_kind: str | None = None
    identifiers: str = "drop"
    random_state: int = 0
    n_jobs: int | None = None

    # The errors of a comparison are not weighted, and so there are no weights here.
    def fit(  # type: ignore[override]
        self, X: TableLike, y: ColumnLike = None, groups: ColumnLike = None, strata: ColumnLike = None
    ) -> Self:
        """Compare the methods in every fold, choose one and its number of features, and select on all samples.

        Parameters
        ----------
        X : array-like, pandas or polars DataFrame, pyarrow Table, of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Classes of any kind, a quantity, or a time to an event, as for :func:`bitsieve.select`.
        groups : array-like of shape (n_samples,), default=None
            Samples of one group are never both learned from and tested on.
        strata : array-like of shape (n_samples,) or (n_samples, n_columns), default=None
            Batches, sites, periods or matched sets, for greedy methods: all information is that within the strata, and
            folds have samples of each class of each stratum, as for :func:`bitsieve.compare`.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter is not allowed, a class has fewer members than there are folds, or the columns cannot be
            binned.
        """
        return super().fit(X, y, groups=groups, strata=strata)

    @property
    def _takes_survival(self) -> bool:
        return True  # the methods themselves refuse a target that they do not take

    def _capabilities_needed(self) -> frozenset[str]:
        return self.required_capabilities  # the methods themselves refuse what they cannot do

    def _select(self, table: Dataset, discretization: DiscretizationOptions) -> None:
        features = self.features
        if features is None:
            features = range(1, min(MAX_FEATURES, table.n_features) + 1)
        options = ComparisonOptions(
            methods=self.methods,
            features=features,
            classifier=self.classifier,
            scoring=self.scoring,
            folds=self.folds,
            random_state=self.random_state,
        )
        plan = make_plan(table.required_rows(), options, ALL_COLUMNS, discretization, self._execution())
        self.comparison_ = run_plan(plan, self.n_jobs)
        choice = self.comparison_.choice()
        self.method_ = choice.method
        self.n_features_to_select_ = choice.n_features
        self.selector_ = plan.selectors[choice.method].set_params(n_features_to_select=choice.n_features)
        if isinstance(self.selector_, CountSelector):
            coded_table, settled = plan.settle_categories(self.selector_.discretization)
            self.selector_.fit_table(coded_table, settled)
        else:
            self.selector_.fit_table(plan.table)
        table.set_names_on(self)
        self.support_ = self.selector_.support_
        self.ranking_ = self.selector_.ranking_
        self.selected_ = self.selector_.selected_
        self.scores_ = self.selector_.scores_
        self.classes_ = self.selector_.classes_
        self.target_edges_ = self.selector_.target_edges_
