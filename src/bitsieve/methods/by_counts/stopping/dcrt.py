"""The distilled conditional randomisation test: which columns the class depends on, given all others, linearly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bitsieve.counts.source import coded
from bitsieve.diagnostics import UserError
from bitsieve.information.protocol import Information
from bitsieve.methods.by_counts.stopping.lists import BENJAMINI_HOCHBERG, ListStopping, TestedColumns, adjusted
from bitsieve.methods.method import INDEPENDENT, ROWS, TABLES, UNSTRATIFIED
from bitsieve.utils.arrays import Flags, Floats, Integers
from bitsieve.utils.docstrings import cites
from bitsieve.utils.libraries import ndtri, stdtr, threadpool_limits
from bitsieve.utils.parameters import check_level

N_FOLDS = 5  # of the cross-validation that finds the penalty of the lasso
MAX_BINS = 20  # between 20 bins of equal frequency lie 98 % of the variance of a normal variable
MIN_ROWS_OF_BIN = 5


@cites("Liu, Katsevich, Janson, Ramdas 2022", "Ledoit, Wolf 2004", "Benjamini, Hochberg 1995")
@dataclass(frozen=True)
class DistilledStopping(ListStopping):
    r"""Take the columns that explain the class beyond all others, where the columns are near to jointly normal.

    The distilled conditional randomisation test. The codes of every column become normal scores z. What all other
    columns explain linearly is taken off a column, ``x = z_j - E[z_j | others]``, with the precision matrix of Ledoit
    and Wolf; and off the class, a 0/1 variable, ``r = c - lasso(c, others)``, the penalty by cross-validation. Then

        T_j = sum(r x) / sqrt(sum((r x)^2))

    over N rows is compared with Student's t of N/2 degrees of freedom, two-sided, and p is adjusted by Benjamini and
    Hochberg. ``stopping_values_`` are the adjusted p, the smallest level at which each column is in the list.

    Parameters
    ----------
    level : float, default=0.1
        Of the false discovery rate.

    Notes
    -----
    The test sees what is linear in the normal scores: a column of which only the square matters is not found. Codes
    count in their order, so that columns of text have a meaning here only if they have two values. With more than two
    classes each class is tested against all others, and the smallest p is multiplied by their number; a target that is
    a quantity is tested by the classes into which it was cut. Any number of columns may be in the list. Nothing is
    drawn: the same rows give the same list.

    Needs the rows in memory, and bins made without a look at the class. With ``binning="auto"`` numbers are cut into 20
    bins of equal frequency, fewer below 100 rows. Cost: O(n^2 d + n^3) for n columns and d rows, and a lasso for every
    column that the lasso of all columns takes.

    Examples
    --------
    >>> from bitsieve import DistilledStopping, ForwardSelector
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> fitted = ForwardSelector("auto", stopping=DistilledStopping(0.05)).fit(X, y)
    >>> bool((fitted.stopping_values_ <= 0.05).all())
    True
    """

    name: ClassVar[str] = "dcrt"
    figure: ClassVar[str] = "adjusted p"
    conclusion: ClassVar[str] = "relevant given all other columns, as far as these are jointly normal"
    required_capabilities: ClassVar[frozenset[str]] = TABLES | ROWS | INDEPENDENT | UNSTRATIFIED

    def __post_init__(self) -> None:
        check_level(self.level)

    def default_bins(self, n_samples: int) -> int:
        """Many bins, whose normal scores are near to those of the values."""
        return max(3, min(MAX_BINS, n_samples // MIN_ROWS_OF_BIN))

    def test_columns(self, information: Information, tried: Flags, chosen: list[int]) -> TestedColumns:
        """The list among the columns tried, each given all that were tried or chosen."""
        candidates = np.flatnonzero(tried & information.varies)
        columns = np.union1d(candidates, np.array(chosen, np.intp))
        codes, classes = _codes_and_classes(information)
        scores = np.column_stack([normal_scores(codes[:, column]) for column in columns.tolist()])
        p = np.full(information.n_features, np.inf)
        with threadpool_limits(1):  # sums of BLAS depend on the number of its threads
            p[columns] = p_given_others(scores, classes)
        rates = adjusted(p[candidates], BENJAMINI_HOCHBERG)
        order = np.argsort(rates, kind="stable")
        n_accepted = int((rates <= self.level).sum())
        return TestedColumns(candidates[order], rates[order], n_accepted)


def _codes_and_classes(information: Information) -> tuple[NDArray[np.integer], Integers]:
    """The codes, shape (n_samples, n_features), and the classes of all rows, class by class."""
    source = information.source
    if source.search is not None:
        raise UserError(
            code="bins-from-target",
            message="dcrt needs bins that were made without the target",
            advice="give {binning}",
            fix={"binning": "quantile"},
        )
    rows = coded(source)
    if rows is None:
        raise UserError(
            code="rows-not-in-memory",
            message="dcrt needs the codes of every row in memory, one column each",
            advice="leave out groups",
        )
    return rows.class_by_class()


def normal_scores(codes: NDArray[np.integer]) -> Floats:
    """The quantiles of the normal distribution at the mean ranks of the codes, with mean 0 and variance 1."""
    counts = np.bincount(codes)
    mean_ranks = np.cumsum(counts) - counts / 2
    scores: Floats = ndtri(mean_ranks / len(codes))[codes]
    scores -= scores.mean()
    scores /= scores.std()
    return scores


def p_given_others(scores: Floats, classes: Integers) -> Floats:
    """p of "the class does not depend on the column given all others" of every column; the rows are class by class."""
    residuals = _residuals_given_others(scores)
    labels = np.unique(classes)
    tested_labels = labels[1:] if len(labels) == 2 else labels  # of two classes each is the other's complement
    p_by_class = np.array([_p_of_class(scores, residuals, classes == label) for label in tested_labels])
    smallest_p: Floats = p_by_class.min(axis=0)
    return np.minimum(1.0, len(tested_labels) * smallest_p)


def _residuals_given_others(scores: Floats) -> Floats:
    """What is left of every column after its linear regression on all others, by the precision matrix P.

    ``z_j - E[z_j | others] = (Z P)_j / P_jj``
    """
    from sklearn.covariance import LedoitWolf

    precision = LedoitWolf(assume_centered=True).fit(scores).precision_
    residuals: Floats = scores @ precision / np.diag(precision)
    return residuals


def _p_of_class(scores: Floats, residuals: Floats, is_class: Flags) -> Floats:
    """p of every column for one class against all others."""
    n_samples = len(scores)
    distilled = _distilled_class(scores, is_class.astype(np.float64))
    products = distilled * residuals
    sizes = np.sqrt((products**2).sum(axis=0))
    t = products.sum(axis=0) / np.where(sizes > 0, sizes, 1.0)
    p: Floats = 2 * stdtr(n_samples / 2, -np.abs(t))
    return p


def _distilled_class(scores: Floats, class_values: Floats) -> Floats:
    """What is left of the class after a lasso on all columns but j, shape (n_samples, n_columns), for every column j.

    Without a column to which the lasso of all columns gives no weight, the lasso is the same.
    """
    from sklearn.linear_model import Lasso, LassoCV
    from sklearn.model_selection import PredefinedSplit

    n_samples, n_columns = scores.shape
    centred = class_values - class_values.mean()
    folds = PredefinedSplit(np.arange(n_samples) % N_FOLDS)  # rows lie class by class: folds have equal shares of each
    lasso = LassoCV(cv=folds, fit_intercept=False).fit(scores, centred)
    distilled = np.repeat((centred - scores @ lasso.coef_)[:, None], n_columns, axis=1)
    for column in np.flatnonzero(lasso.coef_).tolist():
        others = np.delete(scores, column, axis=1)
        if others.shape[1] == 0:
            distilled[:, column] = centred
            continue
        lasso_of_others = Lasso(lasso.alpha_, fit_intercept=False).fit(others, centred)
        distilled[:, column] = centred - others @ lasso_of_others.coef_
    return distilled
