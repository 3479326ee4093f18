"""Which columns of a list tell more about the class than chance, whatever method made the list."""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve.common.special import chdtrc, gammaln
from bitsieve.counts.contingency import column_blocks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bitsieve.counts.contingency import ContingencyTable
    from bitsieve.counts.source import CountSource
    from bitsieve.information.protocol import Information

    Columns = NDArray[np.intp]

LEAST_EXPECTED = 5  # samples in a cell, for the tail of chi-squared to hold
_PRIOR = 0.5  # samples that every class has in advance in every cell (Krichevsky and Trofimov)


def carries_information(information: Information, columns: Columns, level: float = 0.05) -> NDArray[np.bool_]:
    r"""Whether each of some columns tells more about the class than chance, alone or given one of the others.

    A column counts if ``n p <= level / 2`` for p of ``I(Xi;C) = 0``, or ``n^2 p <= level / 2`` for p of
    ``I(Xi;C|Xj) = 0`` and any other column j of the list (Bonferroni, n columns to choose from). Where columns were cut
    by the class, p is multiplied by the sets of cuts they might have got. So a list from columns of pure noise has one
    that counts in at most ``level`` of all data sets, whatever chose it; a weak column may fail to count.

    Parameters
    ----------
    information : Information
        Plug-in, of all columns there were to choose from.
    columns : ndarray of int, shape (k,)
        The list.
    level : float, default=0.05

    Returns
    -------
    ndarray of bool, shape (k,)

    Notes
    -----
    Cost: the tables of k columns and, where some of them tell nothing alone, a pass over these with each of the k.
    """
    source, search = information.source, information.source.search
    chosen = np.unique(columns)
    price = np.zeros(source.n_features)
    if search is not None:
        price[chosen] = [search.log_codings(int(column)) for column in chosen]
    n_tried = max(1, source.n_features if search is not None else int(information.varies.sum()))
    counts = np.zeros(source.n_features, bool)
    counts[chosen] = _log_tails(source, None, chosen) + price[chosen] <= log(level / 2 / n_tried)
    rest = chosen[~counts[chosen] & information.varies[chosen]]
    for pivot in chosen if len(rest) else chosen[:0]:
        others = rest[(rest != pivot) & ~counts[rest]]
        limit = log(level / 2 / n_tried**2) - price[pivot] - price[others]
        bits = information.pair(int(pivot), others).conditional_relevance
        g = np.maximum(0.0, 2 * log(2) * source.n_samples * bits)
        hopeful = _log_chi_squared_tail(np.ones(len(g)), g) <= limit  # no p is smaller than with one degree of freedom
        counts[others[hopeful]] = _log_tails(source, int(pivot), others[hopeful]) <= limit[hopeful]
    return counts[columns]


def _log_tails(source: CountSource, pivot: int | None, columns: Columns) -> NDArray[np.float64]:
    """:func:`log_tail` of the tables of a column (None: none) with each of others."""
    found = np.empty(len(columns))
    n_first = 1 if pivot is None else int(source.arities[pivot])
    for block in column_blocks(n_first, source.arities[columns], source.n_classes, source.n_samples):
        found[block] = [log_tail(table) for table in source.tables(pivot, columns[block], True)]
    return found


def log_tail(table: ContingencyTable) -> float:
    r"""Logarithm of a p-value of "second code and class are independent given the first code".

    The tail of chi-squared beyond ``G = 2 N ln(2) I(X;C|Z)`` where every cell of a part expects at least 5 samples.
    Else, with ``n_z``, ``n_zc``, ``n_zx`` and ``n_zxc`` the counts of the table and k classes,

        p = prod_z  prod_c n_zc! / n_z!  /  prod_x [G(k/2) / G(n_zx + k/2) prod_c G(n_zxc + 1/2) / G(1/2)]

    with G the gamma function: the chance of these classes when they are shuffled within the parts, relative to that by
    a rule that learns the classes of each code (Krichevsky and Trofimov). Its inverse has a mean of at most 1 over all
    shuffles, so p is at most t in at most a share t of them (Markov), for any number of samples and codes.

    Parameters
    ----------
    table : ContingencyTable of shape (parts, codes, classes)

    Returns
    -------
    float
        At most 0.
    """
    _, n_codes, n_classes = table.shape
    cells, counts = table.occupied()
    part = cells // (n_codes * n_classes)
    _, part = np.unique(part, return_inverse=True)
    _, code = np.unique(cells // n_classes, return_inverse=True)
    _, label = np.unique(part * n_classes + cells % n_classes, return_inverse=True)
    in_part, in_code, in_label = (np.bincount(which, counts) for which in (part, code, label))
    part_of_code, part_of_label = np.zeros(len(in_code), np.intp), np.zeros(len(in_label), np.intp)
    part_of_code[code], part_of_label[label] = part, part
    codes, labels = np.bincount(part_of_code), np.bincount(part_of_label)
    both = (codes > 1) & (labels > 1)
    freedom = int(((codes - 1) * (labels - 1)).sum())
    if not freedom:
        return 0.0
    least_code, least_label = np.full((2, len(in_part)), np.inf)
    np.minimum.at(least_code, part_of_code, in_code)
    np.minimum.at(least_label, part_of_label, in_label)
    if (least_code * least_label / in_part)[both].min() >= LEAST_EXPECTED:
        ratio = np.log(counts * in_part[part] / (in_code[code] * in_label[label]))
        g = max(0.0, 2 * float((counts * ratio).sum()))
        return float(_log_chi_squared_tail(np.array([freedom]), np.array([g]))[0])
    shuffled = gammaln(in_label + 1).sum() - gammaln(in_part + 1).sum()
    learned = (gammaln(n_classes * _PRIOR) - gammaln(in_code + n_classes * _PRIOR)).sum()
    learned += (gammaln(counts + _PRIOR) - gammaln(_PRIOR)).sum()
    return min(0.0, float(shuffled - learned))


def _log_chi_squared_tail(freedom: NDArray[Any], x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Logarithm of the tail; Chernoff's bound of it where the tail itself is too small for a float."""
    tail = chdtrc(freedom, x)
    share = np.maximum(x / freedom, 1.0)
    return np.where(tail > 1e-290, np.log(np.maximum(tail, 1e-290)), -freedom / 2 * (share - 1 - np.log(share)))
