"""One call from a table to the errors of several methods for every number of features."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bitsieve.common.notes import warn_of
from bitsieve.common.ticker import shown
from bitsieve.evaluation.plan import DEFAULT_METHODS, make_plan

if TYPE_CHECKING:
    from os import PathLike

    from bitsieve.evaluation.comparison import Comparison


def compare(
    data: Any,
    target: Any = None,
    *,
    methods: Any = DEFAULT_METHODS,
    features: Any = None,
    classifier: Any = "linear-svm",
    folds: Any = None,
    protocol: str = "nested",
    binning: Any = None,
    target_bins: int | str | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    checkpoint: str | PathLike[str] | None = None,
    bounds: bool = False,
    verbose: bool = False,
) -> Comparison:
    """Compare methods by the cross-validated error of a classifier on their first k features, for every k.

    In every fold each method ranks once, on the training samples alone, and the classifier sees the first k original
    features of that ranking for every k of ``features``; the table is binned and counted once a fold for all methods
    that work on counts.

    Parameters
    ----------
    data : array-like of shape (n_samples, n_features), dataframe, or path
        As in :func:`bitsieve.select`.
    target : str or array-like of shape (n_samples,), optional
        A column of ``data``, or the values themselves. Only for .npz it may be left out: it is ``y`` there.
    methods : sequence of str or selectors, or dict, default=("mim", "mrmr", "jmi", "speccmi")
        Names of :func:`bitsieve.list_methods`, selector objects, or a dict of labels to either.
    features : int or iterable of int, optional
        Numbers of features; by default 10 to 100, or all where there are fewer than ten. Those beyond the table's are
        left out, with a note.
    classifier : {"linear-svm", "knn", "ncm", "bgm", "vbem", "gmm"} or scikit-learn classifier, default="linear-svm"
        Linear support vector machine (C = 1), 3 nearest neighbours, nearest class mean, a Bayesian Gaussian mixture for
        each class; an object is fitted anew for every number of features.
    folds : int, "loo", splitter or iterable of (train, test), optional
        By default leave-one-out below 100 samples, else 10 stratified folds.
    protocol : {"nested", "paper"}, default="nested"
        "paper" ranks once on all samples, test samples included: as published results were made, and too good.
    binning : {"mdl", "quantile", "uniform", "none"} or binner, optional
        By default "mdl"; with ``protocol="paper"`` columns that MDL leaves uncut are cut at their median.
    target_bins : int or "none", optional
        Equal-frequency classes of a target that is a quantity, 5 by default: numbers with a fractional part, or more
        than 100 different whole numbers. A number that is given is obeyed by whole numbers, too, of which more
        different ones occur; "none" takes each number as a class.
    random_state : int, default=0
        Of the shuffle into folds, and of selectors and classifiers that draw at random and are given no seed.
    n_jobs : int, optional
        Threads over the folds; the result is the same for any number.
    checkpoint : path, optional
        Finished folds are kept there, one line each; if it is there already and of the same comparison, they are not
        done again.
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
        A name is not known, a class has fewer members than there are folds, all numbers of features are beyond the
        table's, or the data cannot be used: one line that says what to do.

    Notes
    -----
    Cost, d = n_samples, n = n_features, k = the largest number: per fold the cost of the methods, and of the classifier
    k passes over d x d inner products or distances (and "linear-svm" solves once for each number).

    References
    ----------
    N. X. Vinh, J. Chan, S. Romano, J. Bailey, "Effective global approaches for mutual information based feature
    selection", KDD 2014. doi:10.1145/2623330.2623611 (the protocol of its section 4.3)

    Examples
    --------
    >>> import bitsieve
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> comparison = bitsieve.compare(X, y, methods=["jmi", "mrmr"], features=range(1, 8), classifier="knn")
    >>> print(comparison.choice())
    mrmr with 4 features: error 3.4 % +- 1.7, the least of all
    """
    from bitsieve.evaluation.checkpoint import Checkpoint
    from bitsieve.evaluation.run import run_plan
    from bitsieve.table.read_data import read_data

    with shown(verbose):
        plan = make_plan(
            read_data(data, target, target_bins=target_bins),
            methods=methods,
            counts=features,
            classifier=classifier,
            folds=folds,
            protocol=protocol,
            binning=binning,
            random_state=random_state,
            bounds=bounds,
        )
        comparison = run_plan(plan, n_jobs, None if checkpoint is None else Checkpoint(checkpoint, plan))
    warn_of(comparison.notes)
    return comparison
