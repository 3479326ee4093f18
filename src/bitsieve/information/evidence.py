"""Which columns carry more information about the class than chance, and which nearly determine it alone."""

from __future__ import annotations

from collections.abc import Sequence
from math import erfc, lgamma, log, pi
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bitsieve.counts.source import CountSource
from bitsieve.counts.tables import ContingencyTable, column_blocks, entropy_terms
from bitsieve.information.corrected import expected_terms
from bitsieve.information.plug_in import PlugInInformation
from bitsieve.information.protocol import Information
from bitsieve.utils.arrays import Columns, Flags, Floats, Integers
from bitsieve.utils.lazy import Lazy

PIVOTS_AT_ONCE = 256  # conditioning columns whose pairs with all others are screened at once
TESTED = 8, 24, 56, 120  # after so many pivots, columns that were shown to be informative are tested no more
CELLS_AT_ONCE = 1 << 18  # of the tables that are tested at once
LEAST_EXPECTED = 5  # samples expected in every cell, for the tail of chi-squared to hold
SMALLEST_LOG_TAIL = log(1e-290)  # a smaller tail is replaced by a bound
ROUNDING = 1e-12  # relative, of the logarithm of a tail: more than the rounding errors of its computation
LEAK_SHARE = 0.9  # of the entropy of the class, corrected for chance: a column that determines so much may be a leak
MAX_OTHER_SHARE = 0.5  # of it: if any other column determines more, none is called a leak
MIN_SAMPLES = 20  # with fewer, even a column that repeats the class may do so by chance
_PRIOR = 0.5  # samples that each class has in every cell before any is counted (Krichevsky and Trofimov)


def carries_information(information: Information, columns: Columns, level: float = 0.05) -> Lazy[Flags]:
    """Whether each of some columns carries more information about the class than chance, alone or given another.

    With n columns to choose from, column i is informative if ``n p <= level / 2`` for the p-value of ``I(Xi;C) = 0``,
    or ``n^2 p <= level / 2`` for the p-value of ``I(Xi;C|Xj) = 0`` given any other column j of the list (Bonferroni).
    So among columns of pure noise one is called informative in at most ``level`` of all data sets. Where columns were
    cut by the class, p is multiplied by the number of possible cuts; where samples belong together in groups, no column
    is called informative.

    ``information`` is the plug-in information of all n columns. The answer is computed when it is first needed, from a
    copy of the columns; at once where a copy would be large.
    """
    source = information.source
    chosen, index = np.unique(columns, return_inverse=True)
    penalty = log_codings(source, chosen)
    n_tried = n_columns_tried(information)
    column_copy = source.copy_of_columns(chosen)
    if column_copy is not None:
        information = PlugInInformation(column_copy)
        chosen = np.arange(len(chosen))
    later = Lazy(lambda: _are_informative(information, chosen, penalty, n_tried, level)[index])
    if column_copy is None:
        _ = later.value
    return later


def n_columns_tried(information: Information) -> int:
    """How many columns there are to choose from: those that vary; where they were cut by the class, all."""
    source = information.source
    n_columns = int(information.varies.sum()) if source.search is None else source.n_features
    return max(1, n_columns)


def log_codings(source: CountSource, columns: Columns) -> Floats:
    """The logarithm of the number of codings that each column might have got; inf where samples come in groups."""
    search = source.search
    if search is None:
        return np.zeros(len(columns))
    if search.units is not None:
        return np.full(len(columns), np.inf)
    return np.array([search.log_codings(int(column)) for column in columns], np.float64)


def _are_informative(information: Information, chosen: Columns, penalty: Floats, n_tried: int, level: float) -> Flags:
    """:func:`carries_information` of the columns ``chosen``; ``penalty`` is added to the logarithm of each p-value."""
    source = information.source
    is_informative: Flags = _log_tails(source, [(None, chosen)]) + penalty <= log(level / 2 / n_tried)
    candidates = np.flatnonzero(~is_informative & information.varies[chosen])  # indices in ``chosen``
    if not len(candidates):
        return is_informative
    for first in range(0, len(chosen), PIVOTS_AT_ONCE):
        pivots = np.arange(first, min(first + PIVOTS_AT_ONCE, len(chosen)))
        limit = log(level / 2 / n_tried**2) - penalty[pivots, None] - penalty[candidates]
        may_pass = _may_pass(information, chosen, pivots, candidates, limit)
        rows_to_test = np.flatnonzero(may_pass.any(axis=1))
        for rows in np.split(rows_to_test, TESTED):
            row, column = np.nonzero(may_pass[rows] & ~is_informative[candidates])
            pairs = []
            for i, pivot in enumerate(pivots[rows]):
                pairs.append((int(chosen[pivot]), chosen[candidates[column[row == i]]]))
            passes = _log_tails(source, pairs) <= limit[rows[row], column]
            is_informative[candidates[column[passes]]] = True
    return is_informative


def _may_pass(information: Information, chosen: Columns, pivots: Columns, candidates: Columns, limit: Floats) -> Flags:
    """Whether the logarithm of p of each pivot and candidate may be within its limit, judged by ``G`` alone.

    For the same G no p-value is smaller than that of one degree of freedom.
    """
    bits = information.conditional_rows(chosen[pivots], chosen[candidates])
    g = np.maximum(0.0, 2 * log(2) * information.source.n_samples * bits)
    is_other_column = candidates != pivots[:, None]
    may_pass: Flags = (_below_log_tail_of_one(g) <= limit) & is_other_column  # a cheap lower bound first
    may_pass[may_pass] = _bounded_log_tail(1, g[may_pass]) <= limit[may_pass]
    return may_pass


def _log_tails(source: CountSource, pairs: Sequence[tuple[int | None, Columns]]) -> Floats:
    """:func:`log_tails` of the tables of each pivot (None: no pivot) with each of its columns, in this order.

    Tables are tested in batches, so that few of them are in memory at once.
    """
    tables: list[ContingencyTable] = []
    batches = [np.empty(0)]
    n_cells = 0
    for feature, columns in pairs:
        n_first = 1 if feature is None else int(source.arities[feature])
        for block in column_blocks(n_first, source.arities[columns], source.n_classes, source.n_samples):
            new = source.tables(feature, columns[block], True)
            if n_cells > CELLS_AT_ONCE:
                batches.append(log_tails(tables))
                tables = []
                n_cells = 0
            tables += new
            n_cells += sum(len(table.counts) for table in new)
    if tables:
        batches.append(log_tails(tables))
    return np.concatenate(batches)


def log_tails(tables: Sequence[ContingencyTable]) -> Floats:
    """Logarithms of p-values of "second code and class are independent given the first code", one a table, at most 0.

    The tail of chi-squared beyond ``G = 2 N ln(2) I(X;C|Z)`` where every cell of a part expects at least 5 samples.
    Else, with ``n_z``, ``n_zc``, ``n_zx`` and ``n_zxc`` the counts of the table and k classes,

        p = prod_z  prod_c n_zc! / n_z!  /  prod_x [G(k/2) / G(n_zx + k/2) prod_c G(n_zxc + 1/2) / G(1/2)]

    with G the gamma function: the chance of these classes when they are shuffled within the parts, relative to that by
    a rule that learns the classes of each code (Krichevsky and Trofimov). Its inverse has a mean of at most 1 over all
    shuffles, so p is at most t in at most a share t of them (Markov), for any number of samples and codes.
    """
    n_classes = tables[0].shape[2]
    counts = np.concatenate([table.counts for table in tables])
    cells = np.concatenate([np.arange(len(t.counts)) if t.cells is None else t.cells for t in tables])
    sizes = [len(table.counts) for table in tables]
    occupied = counts > 0
    table = np.repeat(np.arange(len(tables)), sizes)[occupied]
    n_codes = np.repeat([table.shape[1] for table in tables], sizes)[occupied]
    counts = counts[occupied]
    cells = cells[occupied]
    # Cells ascend in every table, and so do its parts and, within these, the codes.
    part = _numbered(table, cells // (n_codes * n_classes))
    code = _numbered(part, cells // n_classes)
    label = np.unique(part * n_classes + cells % n_classes, return_inverse=True)[1]
    part_size = np.bincount(part, counts)  # n_z
    code_size = np.bincount(code, counts)  # n_zx
    label_size = np.bincount(label, counts)  # n_zc
    table_of_part = _owners(part, table)
    part_of_code = _owners(code, part)
    part_of_label = _owners(label, part)
    table_of_code = table_of_part[part_of_code]
    table_of_label = table_of_part[part_of_label]

    def sum_by_table(values: NDArray[Any], table_of_value: Columns) -> Floats:
        return np.bincount(table_of_value, values, len(tables)).astype(np.float64)

    codes_in_part = np.bincount(part_of_code)
    labels_in_part = np.bincount(part_of_label)
    freedom = sum_by_table((codes_in_part - 1) * (labels_in_part - 1), table_of_part)

    # The least expected count of each table, n_zx n_zc / n_z, over the parts in which both vary.
    both_vary = (codes_in_part > 1) & (labels_in_part > 1)
    rarest_code = np.full(len(part_size), np.inf)
    np.minimum.at(rarest_code, part_of_code, code_size)
    rarest_label = np.full(len(part_size), np.inf)
    np.minimum.at(rarest_label, part_of_label, label_size)
    expected = np.full(len(tables), np.inf)
    np.minimum.at(expected, table_of_part[both_vary], (rarest_code * rarest_label / part_size)[both_vary])

    log_ratio = np.log(counts * part_size[part] / (code_size[code] * label_size[label]))
    g = np.maximum(0.0, 2 * sum_by_table(counts * log_ratio, table))

    # The logarithm of the first factor of p above, and that of the second.
    shuffled = sum_by_table(_log_gamma(label_size + 1), table_of_label)
    shuffled -= sum_by_table(_log_gamma(part_size + 1), table_of_part)
    prior_of_code = n_classes * _PRIOR
    learned = sum_by_table(_log_gamma(prior_of_code) - _log_gamma(code_size + prior_of_code), table_of_code)
    learned += sum_by_table(_log_gamma(counts + _PRIOR) - _log_gamma(_PRIOR), table)

    log_p = np.where(freedom == 0, 0.0, np.minimum(0.0, shuffled - learned))
    chi_squared_holds = (expected >= LEAST_EXPECTED) & (freedom > 0)
    log_p[chi_squared_holds] = _bounded_log_tail(freedom[chi_squared_holds], g[chi_squared_holds])
    return log_p


def _numbered(outer: NDArray[Any], inner: NDArray[Any]) -> Columns:
    """Number the distinct pairs of two arrays 0, 1, ... in their order; equal pairs follow each other."""
    new = np.zeros(len(outer), np.intp)
    new[1:] = (outer[1:] != outer[:-1]) | (inner[1:] != inner[:-1])
    return np.cumsum(new)


def _owners(which: Columns, owner: Columns) -> Columns:
    """The owner of each number that occurs in ``which``, such as the table that each part belongs to."""
    owners = np.zeros(int(which.max()) + 1, np.intp)
    owners[which] = owner
    return owners


def log_chi_squared_tail(freedom: NDArray[Any] | int, x: Floats) -> Floats:
    """Logarithms of the tails of chi-squared beyond ``x``, of whole degrees of freedom: -inf where too small.

    The tail of one degree is ``erfc(sqrt(x/2))`` and of two ``exp(-x/2)``; every two more add a term
    ``(x/2)^(f/2) exp(-x/2) / Gamma(f/2 + 1)``.
    """
    shape = np.broadcast_shapes(np.shape(freedom), x.shape)
    degrees = np.broadcast_to(freedom, shape).ravel()
    all_halves = np.broadcast_to(x / 2, shape).ravel()
    tails = np.empty(len(degrees))
    for odd in (0, 1):
        indices = np.flatnonzero(degrees % 2 == odd)
        indices = indices[np.argsort(-degrees[indices], kind="stable")]
        half = all_halves[indices]
        with np.errstate(divide="ignore"):
            tail = np.log([erfc(root) for root in np.sqrt(half).tolist()]) if odd else -half
            log_half = np.log(half)
        for fewer_degrees in range(2 - odd, int(degrees[indices[:1]].max(initial=0)), 2):
            n = int(np.searchsorted(-degrees[indices], -fewer_degrees))  # that have more degrees
            term = fewer_degrees / 2 * log_half[:n] - half[:n] - lgamma(fewer_degrees / 2 + 1)
            before = tail[:n].copy()
            tail[:n] = np.minimum(0.0, np.logaddexp(before, term))
            if fewer_degrees % 512 < 3 and fewer_degrees > 2 * half.max() and np.array_equal(before, tail[:n]):
                break  # the terms only fall from here
        tails[indices] = tail
    return tails.reshape(shape)


def _below_log_tail_of_one(x: Floats) -> Floats:
    """A bound below the tail of one degree: ``erfc(a) > 2 / sqrt(pi) exp(-a^2) / (a + sqrt(a^2 + 2))``."""
    half: Floats = x / 2
    bound: Floats = log(2 / pi**0.5) - half - np.log(np.sqrt(half) + np.sqrt(half + 2)) - ROUNDING * (1 + half)
    return bound


def _bounded_log_tail(freedom: NDArray[Any] | int, x: Floats) -> Floats:
    """Logarithm of the tail; Chernoff's bound of it where the tail itself is too small for a float."""
    tail = log_chi_squared_tail(freedom, x)
    share = np.maximum(x / freedom, 1.0)
    return np.where(tail > SMALLEST_LOG_TAIL, tail, -freedom / 2 * (share - 1 - np.log(share)))


def _log_gamma(x: Any) -> Floats:
    """The logarithm of the gamma function, computed once for every distinct value."""
    values, index = np.unique(x, return_inverse=True)
    return np.array([lgamma(value) for value in values.tolist()])[index].reshape(np.shape(x))


class Leak(NamedTuple):
    """A column, and how much of the class it determines."""

    column: int
    share: float  # of the entropy of the class, corrected for chance
    share_of_rows: float  # in which the class is the most frequent one of the column's code


def leaks(information: Information) -> list[Leak]:
    """Columns that nearly determine the class, while no other column determines half of it; the best first.

    A leak has a share of at least 0.9, every other column of at most 0.5. A column whose values are the classes under
    other names is a leak whatever the other columns determine. The share of the class that a column determines is
    ``(I(X;C) - E) / (H(C) - E)``, E the mean of I(X;C) over all permutations of the class (adjusted mutual
    information). There is no leak in fewer than 20 samples, nor if more than half of the columns would be leaks.
    """
    source = information.source
    entropy = information.class_entropy
    if source.n_samples < MIN_SAMPLES or entropy <= 0:
        return []
    plug_in_share = information.relevance / entropy  # an upper bound of the corrected share
    if plug_in_share.max() <= LEAK_SHARE:
        return []
    leaking: list[Leak] = []
    recodings: list[Leak] = []
    has_other_column = False  # of more than half of the class
    for column in np.argsort(-plug_in_share, kind="stable").tolist():
        smallest_of_interest = MAX_OTHER_SHARE if leaking else LEAK_SHARE
        if plug_in_share[column] <= smallest_of_interest:
            break
        (table,) = source.tables(None, np.array([column]), False)
        expected = expected_information(table.dense().reshape(-1), source.class_sizes)
        share = (information.relevance[column] - expected) / (entropy - expected) if expected < entropy else 0.0
        if share >= LEAK_SHARE:
            (with_class,) = source.tables(None, np.array([column]), True)
            counts = with_class.dense().reshape(-1, source.n_classes)
            share_of_rows = float(counts.max(axis=1).sum() / source.n_samples)
            leak = Leak(column, float(share), share_of_rows)
            leaking.append(leak)
            is_one_to_one = ((counts > 0).sum(axis=1) <= 1).all() and ((counts > 0).sum(axis=0) == 1).all()
            if is_one_to_one and (source.search is None or not source.search.merges_values(column)):
                recodings.append(leak)
        elif share > MAX_OTHER_SHARE:
            has_other_column = True
    if has_other_column:
        leaking = recodings
    if 2 * len(leaking) > len(plug_in_share):
        return []
    return sorted(leaking, key=lambda leak: (-leak.share, leak.column))


def expected_information(first: Integers, second: Integers) -> float:
    """The plug-in information of two variables with these counts of their values, in bits, when one is permuted."""
    n = int(first.sum())
    terms = entropy_terms(n)
    rows, n_rows = np.unique(first[first > 0], return_counts=True)
    columns, n_columns = np.unique(second[second > 0], return_counts=True)
    joint = int(n_rows @ expected_terms(n, rows, columns) @ n_columns)
    return (joint - terms.sum(first) - terms.sum(second) + terms.sum(np.array([n]))) / terms.per_bit
