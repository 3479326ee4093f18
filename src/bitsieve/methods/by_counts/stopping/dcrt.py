"""The distilled conditional randomisation test: which columns the class depends on, given all others, linearly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bitsieve.information.protocol import Information
from bitsieve.methods.by_counts.dependent.linear_models import (
    lasso_by_cross_validation,
    lasso_weights,
    shrunk_precision,
)
from bitsieve.methods.by_counts.dependent.normal_scores import bins_for_normal_scores, normal_scores_of_columns
from bitsieve.methods.by_counts.dependent.rows import classes_against_others, codes_and_classes
from bitsieve.methods.by_counts.stopping.lists import BENJAMINI_HOCHBERG, ListStopping, TestedColumns, adjusted
from bitsieve.methods.method import INDEPENDENT, ROWS, TABLES, UNSTRATIFIED
from bitsieve.utils.arrays import Flags, Floats, Integers
from bitsieve.utils.docstrings import cites
from bitsieve.utils.libraries import stdtr, threadpool_limits
from bitsieve.utils.parameters import check_level
from bitsieve.utils.progress import phase


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
    count in their order, so that columns of text have a meaning here only if they have two values, and missing values
    count as the largest ones. With more than two classes each class is tested against all others, and the smallest p is
    multiplied by their number; a target that is a quantity is tested by the classes into which it was cut. Any number
    of columns may be in the list. Nothing is drawn: the same rows give the same list.

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
    value_name: ClassVar[str] = "adjusted p"
    takes_codes_for_numbers: ClassVar[bool] = True
    conclusion: ClassVar[str] = "relevant given all other columns, as far as these are jointly normal"
    required_capabilities: ClassVar[frozenset[str]] = TABLES | ROWS | INDEPENDENT | UNSTRATIFIED

    def __post_init__(self) -> None:
        check_level(self.level)

    def default_bins(self, n_samples: int) -> int:
        """Many bins, whose normal scores are near to those of the values."""
        return bins_for_normal_scores(n_samples)

    def test_columns(self, information: Information, tried: Flags, chosen: list[int]) -> TestedColumns:
        """The list among the columns tried, each given all that were tried or chosen."""
        candidates = np.flatnonzero(tried & information.varies)
        columns = np.union1d(candidates, np.array(chosen, np.intp))
        codes, classes = codes_and_classes(information.source, self.name)
        scores = normal_scores_of_columns(codes[:, columns])
        p = np.full(information.n_features, np.inf)
        with threadpool_limits(1):  # sums of BLAS depend on the number of its threads
            p[columns] = p_given_others(scores, classes, information.source.n_jobs)
        rates = adjusted(p[candidates], BENJAMINI_HOCHBERG)
        order = np.argsort(rates, kind="stable")
        n_accepted = int((rates <= self.level).sum())
        return TestedColumns(candidates[order], rates[order], n_accepted)


def p_given_others(scores: Floats, classes: Integers, n_jobs: int | None = None) -> Floats:
    """p of "the class does not depend on the column given all others" of every column; the rows are class by class."""
    residuals = _residuals_given_others(scores)
    labels = classes_against_others(classes)
    p_by_class = np.array([_p_of_class(scores, residuals, classes == label, n_jobs) for label in labels])
    smallest_p: Floats = p_by_class.min(axis=0)
    return np.minimum(1.0, len(labels) * smallest_p)


def _residuals_given_others(scores: Floats) -> Floats:
    """What is left of every column after its linear regression on all others, by the precision matrix P.

    ``z_j - E[z_j | others] = (Z P)_j / P_jj``
    """
    precision = shrunk_precision(scores)
    residuals: Floats = scores @ precision / np.diag(precision)
    return residuals


def _p_of_class(scores: Floats, residuals: Floats, is_class: Flags, n_jobs: int | None) -> Floats:
    """p of every column for one class against all others."""
    n_samples = len(scores)
    distilled = _distilled_class(scores, is_class.astype(np.float64), n_jobs)
    products = distilled * residuals
    norms = np.sqrt((products**2).sum(axis=0))
    t = products.sum(axis=0) / np.where(norms > 0, norms, 1.0)
    p: Floats = 2 * stdtr(n_samples / 2, -np.abs(t))
    return p


def _distilled_class(scores: Floats, class_values: Floats, n_jobs: int | None) -> Floats:
    """What is left of the class after a lasso on all columns but j, shape (n_samples, n_columns), for every column j.

    Without a column to which the lasso of all columns gives no weight, the lasso is the same.
    """
    n_columns = scores.shape[1]
    centred = class_values - class_values.mean()
    lasso = lasso_by_cross_validation(scores, centred, n_jobs)
    distilled = np.repeat((centred - scores @ lasso.weights)[:, None], n_columns, axis=1)
    weighted_columns = np.flatnonzero(lasso.weights)
    report = phase("testing")
    for n_before, column in enumerate(weighted_columns.tolist()):
        report(n_before, len(weighted_columns))
        others = np.delete(scores, column, axis=1)
        if others.shape[1] == 0:
            distilled[:, column] = centred
            continue
        distilled[:, column] = centred - others @ lasso_weights(others, centred, lasso.penalty)
    return distilled
