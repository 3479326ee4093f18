"""Stop by Gaussian knockoffs: columns drawn like the others, where these are near to jointly normal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bitsieve.information.protocol import Information
from bitsieve.methods.by_counts.dependent.gaussian_knockoffs import lasso_wins
from bitsieve.methods.by_counts.dependent.normal_scores import bins_for_normal_scores, normal_scores_of_columns
from bitsieve.methods.by_counts.dependent.rows import codes_and_classes
from bitsieve.methods.by_counts.stopping.knockoff_filter import KnockoffFilter
from bitsieve.methods.by_counts.stopping.lists import TestedColumns
from bitsieve.methods.method import INDEPENDENT, ROWS, TABLES, UNSTRATIFIED
from bitsieve.utils.arrays import Flags
from bitsieve.utils.docstrings import cites
from bitsieve.utils.libraries import threadpool_limits


@cites("Candès, Fan, Janson, Lv 2018", "Spector, Janson 2022", "Ren, Barber 2024")
@dataclass(frozen=True)
class GaussianKnockoffStopping(KnockoffFilter):
    r"""Take the columns that beat Gaussian knockoffs, where the columns are near to jointly normal.

    The codes of every column become normal scores Z, with the covariance C of Ledoit and Wolf. Their knockoffs are
    normal with the mean ``Z (I - C^-1 S)`` and the covariance ``2 S - S C^-1 S``, for the diagonal S by which columns
    and knockoffs are least reconstructable from each other. The class, a 0/1 variable, is fitted by a lasso of columns
    and knockoffs together, the penalty by cross-validation, and ``W_j = |weight of j| - |weight of its knockoff|``. The
    list is made of W as by :class:`KnockoffStopping`, and ``stopping_values_`` are the smallest level at which each
    column is in the list.

    Parameters
    ----------
    level : float, default=0.1
        Of the false discovery rate. The list has at least 1 / level columns, or none (several draws: 1.25 / level).
    n_draws : int, default=1
        One is the knockoff+ filter. The list of several draws has the columns that nearly all of them select: it is
        shorter, and empty where columns are hard to find.
    random_state : int, default=0
        Same seed, same knockoffs, for any number of threads.

    Notes
    -----
    The lasso sees what is linear in the normal scores: a column of which only the square matters is not found. Codes
    count in their order, so that columns of text have a meaning here only if they have two values, and missing values
    count as the largest ones. With more than two classes each class is fitted, and the weights of all are added; a
    target that is a quantity is fitted by the classes into which it was cut. :class:`DistilledStopping` has the same
    model of the columns and lists of any length.

    Needs the rows in memory, and bins made without a look at the class. With ``binning="auto"`` numbers are cut into 20
    bins of equal frequency, fewer below 100 rows. Cost: O(n^3) for n columns, and a lasso of 2n columns for every draw
    and class.

    Examples
    --------
    >>> from bitsieve import ForwardSelector, GaussianKnockoffStopping
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> rule = GaussianKnockoffStopping(level=0.3)
    >>> fitted = ForwardSelector("auto", stopping=rule).fit(X, y)
    >>> bool((fitted.stopping_values_ <= 0.3).all())
    True
    """

    name: ClassVar[str] = "gaussian-knockoffs"
    takes_codes_for_numbers: ClassVar[bool] = True
    conclusion: ClassVar[str] = "relevant given all other columns, as far as these are jointly normal"
    required_capabilities: ClassVar[frozenset[str]] = TABLES | ROWS | INDEPENDENT | UNSTRATIFIED

    def default_bins(self, n_samples: int) -> int:
        """Many bins, whose normal scores are near to those of the values."""
        return bins_for_normal_scores(n_samples)

    def test_columns(self, information: Information, tried: Flags, chosen: list[int]) -> TestedColumns:
        """The list among the columns tried and chosen."""
        candidates = np.flatnonzero(tried & information.varies)
        columns = np.union1d(candidates, np.array(chosen, np.intp))
        codes, classes = codes_and_classes(information.source, self.name)
        scores = normal_scores_of_columns(codes[:, columns])
        with threadpool_limits(1):  # sums of BLAS depend on the number of its threads
            wins = lasso_wins(scores, classes, self.n_draws, self.random_state, information.source.n_jobs)
        rates = np.full(information.n_features, np.inf)
        rates[columns] = self.rates_of_wins(wins)
        order = candidates[np.argsort(rates[candidates], kind="stable")]
        n_accepted = int((rates[order] <= self.level).sum())
        return TestedColumns(order, rates[order], n_accepted)
