"""Compare methods by one call, from a table to the errors of each method for every number of features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from types import MappingProxyType
from typing import Any

from sklearn.base import BaseEstimator

from bitsieve.api.drift_rule import DriftRule, apply_drift_rule
from bitsieve.dataset.read import read_data
from bitsieve.dataset.survival import survival_of_target
from bitsieve.discretization.base import BinningLike
from bitsieve.evaluate.checkpoint import Checkpoint
from bitsieve.evaluate.feature_counts import FeatureCounts
from bitsieve.evaluate.folds import FoldsLike
from bitsieve.evaluate.methods import Methods
from bitsieve.evaluate.plan import DEFAULT_METHODS, ComparisonOptions, make_plan
from bitsieve.evaluate.run import run_plan
from bitsieve.information import ANY_EFFECT
from bitsieve.options import ColumnOptions, DiscretizationOptions, ExecutionOptions, ReadOptions
from bitsieve.pipeline.period_columns import missing_column_reported_by_role
from bitsieve.results.comparison import Comparison
from bitsieve.utils.docstrings import cites
from bitsieve.utils.parameter_names import proposes_right_names
from bitsieve.utils.progress import progress_bar
from bitsieve.utils.types import ColumnLike, Label, TableLike


@cites("Vinh, Chan, Romano, Bailey 2014")
@proposes_right_names
def compare(
    data: TableLike,
    target: ColumnLike = None,
    *,
    duration: ColumnLike = None,
    event: ColumnLike = None,
    entry: ColumnLike = None,
    n_intervals: int = 1,
    methods: Methods = DEFAULT_METHODS,
    features: FeatureCounts = None,
    classifier: str | BaseEstimator | None = None,
    scoring: str | None = None,
    folds: FoldsLike = None,
    groups: ColumnLike = None,
    strata: ColumnLike = None,
    effect: str = ANY_EFFECT,
    period: ColumnLike = None,
    drift: str | None = None,
    max_drift: float | None = None,
    drift_penalty: float | None = None,
    protocol: str = "nested",
    include: Sequence[Label] = (),
    exclude: Sequence[Label] = (),
    identifiers: str = "drop",
    parameters: Mapping[str, Any] = MappingProxyType({}),
    binning: BinningLike | None = None,
    n_bins: int | None = None,
    uncut: str | None = None,
    bins_within: bool = False,
    missing: str | None = None,
    target_bins: int | str | None = None,
    target_kind: str | None = None,
    drop_missing_target: bool = True,
    repair: bool = True,
    column_types: Mapping[Any, str] | None = None,
    header: bool | None = None,
    baselines: bool = True,
    random_state: int = 0,
    n_jobs: int | None = None,
    checkpoint: str | PathLike[str] | None = None,
    bounds: bool = False,
    verbose: bool = False,
) -> Comparison:
    """Compare methods by the cross-validated error of a classifier on their first k features, for every k.

    In every fold each method ranks once, on the training samples alone, and the classifier is fitted to the first k
    original features of that ranking, for every k of ``features``. Where the target is a quantity, it is cut into
    classes for the ranking on the training samples alone, and a regressor predicts its values.

    Parameters
    ----------
    data, target
        As for :func:`bitsieve.select`, in memory.
    duration, event, entry, n_intervals
        The target is a time to an event, as for :func:`bitsieve.select`; the models take no ``entry``. This needs
        scikit-survival (``pip install 'bitsieve[survival]'``).
    methods : sequence of str or selectors, or dict, default=("mim", "mrmr", "cmim2", "speccmi")
        Names of :func:`bitsieve.list_methods`, selector objects, those of scikit-learn too, or a dict of labels to
        either.
    features : int or iterable of int, optional
        Numbers of features; by default 10 to 100, or every number from 1 where there are 20 columns or fewer. Those
        beyond the table's are left out, with a note.
    classifier : str or scikit-learn classifier or regressor, optional
        The model whose errors are measured. An object is fitted anew for every number of features. The names are

        - for classes "linear-svm" (support vector machine, C = 1), the default up to 10,000 rows; "lda" (linear
          discriminant), the default for more rows and where roc_auc is the default score; "knn" (3 nearest neighbours),
          "ncm" (nearest class mean), "bgm" (a Bayesian Gaussian mixture for each class), "vbem" or "gmm" (one for all),
          "forest" and "boosting";
        - for a quantity "ridge" (alpha = 1), the default, "knn" (the mean of 10 neighbours), "forest" and "boosting";
        - for a time to an event "cox" (Cox's model with a ridge penalty, alpha = 1), the default, and "forest" (a
          survival forest). An object is an estimator of scikit-survival.
    scoring : str, optional
        The name of a scorer of scikit-learn (``sklearn.metrics.get_scorer_names()``), or one of these:

        - for classes by default "accuracy"; if one class has over 80 % of the samples, "roc_auc" for two classes (each
          against the other) and "balanced_accuracy" for more;
        - for a quantity "r2", the default, "mae", "rmse" or "rank_correlation" (Spearman's);
        - for a time to an event "concordance" (Harrell's), the default, "uno" or "integrated_brier".

        Errors are 1 - score; a score that is a loss with the other sign, such as "neg_log_loss", is reported as the
        loss. Scorers of two classes, such as "f1" and "recall", judge the second class in their order.
    folds : int, "loo", splitter or iterable of (train, test), optional
        By default leave-one-out below 100 samples, else 10 stratified folds; of a quantity stratified by its ranks, and
        of a time to an event always 10 folds, stratified by the event and the ranks of the times.
    groups : str or array-like of shape (n_samples,), optional
        A column of ``data``, which is then no feature, or values: samples of one group, such as those of one person,
        are never both learned from and tested on.
    strata : str, sequence of str, or array-like of shape (n_samples,), optional
        As for :func:`bitsieve.select`; all methods must be greedy ones. Folds have samples of each class of each
        stratum, where there are enough of these; strata of fewer samples than folds stay whole. Whether a selection
        holds in a new batch is asked by ``groups``, not by ``strata``.
    effect : {"any", "common"}, default="any"
        "common" ranks by the effect that all strata have in common, as for :func:`bitsieve.select`: needed where the
        strata are matched sets.
    period, drift, max_drift, drift_penalty
        As for :func:`bitsieve.select`. How much each column drifts is found once, from the rows of all folds.
    protocol : {"nested", "paper"}, default="nested"
        "paper" ranks once on all samples, test samples included: as published results were made (Vinh, section 4.3),
        and too good. Methods that are given by name have the parameters of their papers, such as plug-in information,
        unless ``parameters`` says otherwise. Its numbers are divided by their largest absolute value; those of "nested"
        are standardised.
    include, exclude : sequence of column, optional
        Columns that are kept although they look like identifiers, and columns that are never selected.
    identifiers : {"drop", "keep"}, default="drop"
        As for :func:`bitsieve.select`.
    parameters : mapping of str to value, optional
        Parameters such as ``{"beta": 0.5}``, for the methods that are given by name and have them.
    binning : {"auto", "mdl", "monotone", "quantile", "uniform", "none"} or binner, optional
        By default "auto"; with ``protocol="paper"`` and classes "mdl", and columns that it leaves uncut are cut at
        their median.
    n_bins, uncut, bins_within, missing, target_bins, target_kind, drop_missing_target, repair, column_types, header
        As for :func:`bitsieve.select`.
    baselines : bool, default=True
        Whether the errors of the majority class (of a quantity the mean), of all columns, and of scikit-learn's
        SelectKBest stand below; of a time to an event those of equal risks and of all columns.
    random_state : int, default=0
        Of the shuffle into folds, and of selectors and classifiers that draw at random and are given no seed.
    n_jobs : int, optional
        Threads over the folds; the result is the same for any number.
    checkpoint : path, optional
        A folder in which finished folds are kept, a file each; those of the same comparison that are there already are
        not done again.
    bounds : bool, default=False
        Whether to bound the error that the best possible classifier has on the features chosen by each method: how much
        is left to gain by another classifier.
    verbose : bool, default=False
        Whether a line of a terminal or a notebook shows how far the comparison is and how long it will take.

    Returns
    -------
    Comparison
        ``print`` shows it as a table with the answer in a sentence and the notes, each of which is a
        :class:`BitsieveWarning`, too.

    Raises
    ------
    ValueError
        A name is not known or does not fit the target, a class has fewer members than there are folds, all numbers of
        features are beyond the table's, or the data cannot be used: one line that says what to do.

    Notes
    -----
    Cost of each fold: that of the methods, and a fit of the model for each number of features. "knn" adds up
    n_samples x n_samples distances instead, one feature after the other.

    Examples
    --------
    >>> import bitsieve
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> comparison = bitsieve.compare(X, y, methods=["jmi", "mrmr"], features=range(1, 8), classifier="knn")
    >>> print(comparison.choice())
    mrmr with 5 features: error 3.4 % +- 1.2, not more than one standard error above the best (jmi with 6: 2.8 %)
    """
    survival = survival_of_target(target, duration, event, entry, n_intervals)
    read = ReadOptions(
        target=target if survival is None else None,
        survival=survival,
        groups=groups,
        strata=strata,
        target_kind=target_kind,
        target_bins=target_bins,
        drop_missing_target=drop_missing_target,
        header=header,
        repair=repair,
        column_types=column_types,
        exclude=exclude,
    )
    execution = ExecutionOptions(n_jobs=n_jobs)
    discretization = DiscretizationOptions(
        binning=binning, n_bins=n_bins, uncut=uncut, bins_within=bins_within, missing=missing
    )
    columns = ColumnOptions(include=include, exclude=exclude, identifiers=identifiers)
    comparison = ComparisonOptions(
        methods=methods,
        features=features,
        classifier=classifier,
        scoring=scoring,
        folds=folds,
        protocol=protocol,
        parameters=parameters,
        baselines=baselines,
        random_state=random_state,
        bounds=bounds,
        effect=effect,
    )
    rule = DriftRule.from_parameters(period, drift, max_drift, drift_penalty)
    with progress_bar(verbose):
        applied = apply_drift_rule(data, read, execution, columns, rule)
        with missing_column_reported_by_role(period, strata, read.survival):
            table = read_data(data, applied.read)
        comparison = replace(comparison, penalties=applied.penalties)
        plan = make_plan(table, comparison, applied.columns, discretization, execution)
        plan = replace(plan, diagnostics=[*applied.diagnostics, *plan.diagnostics])
        result = run_plan(plan, n_jobs, None if checkpoint is None else Checkpoint(checkpoint, plan))
    result.diagnostics.warn()
    return result
