"""The selector by information value, the measure of credit and insurance."""

from __future__ import annotations

from bitsieve.methods.by_samples.information_value import METHODS
from bitsieve.selectors.base import with_parameters
from bitsieve.selectors.by_method import MethodSelector
from bitsieve.utils.docstrings import cites
from bitsieve.utils.types import Label


@with_parameters
@cites("Kullback 1959", "Navas-Palencia 2020")
class InformationValueSelector(MethodSelector):
    r"""Rank the features by their information value, less what chance gives it.

    The information value is Jeffreys' divergence, in nats, between the rows that have the event and those that do not,
    over the bins of :class:`MonotoneBinner` ::

        IV = sum_b (e_b/E - n_b/N) ln((e_b/E) / (n_b/N))

    with e_b and n_b the rows of bin b with the event and without it, E and N those of the whole table. The mean of as
    many fixed bins by chance, ``(B - 1) (1/E + 1/N)``, is subtracted. Columns that chance could explain, with a p above
    0.05, come after all others. Each bin has rows of both classes, unless that leaves a single bin, as for a column
    that separates the classes. Each column is measured by itself: two copies of the best column are the first two.
    Where columns repeat each other, ``ForwardSelector(criterion="cmim")`` is the better question.

    Parameters
    ----------
    event_class : class label, optional
        The class that is the event; all others together are the other class. By default, of two classes either, since
        both have the same information value; of more classes the mean over all of them, each weighted by its rows.
    max_n_bins : int or None, default=10
        The largest number of bins of a column, not counting that of missing values; None for no limit.
    min_bin_share : float, default=0.05
        The smallest share of all rows that a bin may have.

    Attributes
    ----------
    iv_, iv_corrected_ : ndarray of float, shape (n_features,)
        The information value in nats, and the same less its mean by chance.
    p_values_ : ndarray of float, shape (n_features,)
        The share of shuffled targets with which bins made in the same way have at least this information value; of
        several classes the smallest one, times their number.
    ranking_ : ndarray of int, shape (n_features,)
        1 = largest value; every feature has its own rank. Ties go to the lowest column; columns that do not vary come
        last.
    scores_ : ndarray of float, shape (k,)
        ``iv_corrected_`` of the selected columns, in nats.

    Notes
    -----
    Missing values have a bin of their own. Cost: O(n d log d), and for each column the search for the best bins: about
    a quarter of a second with 1,000 different numbers, less than a tenth with more than 1,500. A column of categories,
    or one with a p between .025 and .1, takes up to 999 shuffles besides.

    Examples
    --------
    >>> from bitsieve import InformationValueSelector
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> selector = InformationValueSelector(2).fit(X, y)
    >>> selector.get_feature_names_out().tolist()
    ['worst radius', 'worst perimeter']
    >>> selector.scores_.round(2).tolist()
    [7.34, 6.95]
    """

    registry_methods = METHODS

    event_class: Label | None = None
    max_n_bins: int | None = 10
    min_bin_share: float = 0.05
    n_jobs: int | None = None
