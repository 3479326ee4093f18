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
from bitsieve.utils.lazy import Later

PIVOTS_AT_ONCE = 256  # columns that others are looked at given, all pairs at once
TESTED = 8, 24, 56, 120  # pivots after which what is shown of columns is looked at, before more are tested
CELLS_AT_ONCE = 1 << 18  # in these tables
LEAST_EXPECTED = 5  # samples in a cell, for the tail of chi-squared to hold
SMALLEST = log(1e-290)  # a tail below is replaced by a bound
ROUNDING = 1e-12  # relative, of a logarithm of a tail: more than its floats have
NEARLY = 0.9  # of the entropy of the class, corrected for chance
OTHERS = 0.5  # of it: what no other column may exceed
FEWEST = 20  # samples; in fewer even a column that repeats the class may do so by chance
_PRIOR = 0.5  # samples that every class has in advance in every cell (Krichevsky and Trofimov)


def carries_information(information: Information, columns: Columns, level: float = 0.05) -> Later[Flags]:
    """Whether each of some columns carries more information about the class than chance, alone or given another.

    A column counts if ``n p <= level / 2`` for p of ``I(Xi;C) = 0``, or ``n^2 p <= level / 2`` for p of
    ``I(Xi;C|Xj) = 0`` and any other column j of the list (Bonferroni, n columns to choose from). Where columns were cut
    by the class, p is multiplied by the sets of cuts they might have got; where rows belong together none counts. So a
    list from columns of pure noise has one that counts in at most ``level`` of all data sets. ``information`` is
    plug-in, of all columns there were to choose from. What it counts with is kept until then, if it is little.
    """
    source = information.source
    search = information.source.search
    chosen, index = np.unique(columns, return_inverse=True)
    penalty = np.zeros(len(chosen))
    if search is not None:
        penalty += [search.log_codings(int(c)) for c in chosen] if search.units is None else np.inf
    n_tried = max(1, source.n_features if search is not None else int(information.varies.sum()))
    column_copy = source.copy_of_columns(chosen)
    if column_copy is not None:
        information = PlugInInformation(column_copy)
        chosen = np.arange(len(chosen))
    later = Later(lambda: _carry(information, chosen, penalty, n_tried, level)[index])
    if column_copy is None:
        _ = later.value
    return later


def _carry(information: Information, chosen: Columns, penalty: Floats, n_tried: int, level: float) -> Flags:
    """:func:`carries_information` of columns, each with the logarithm of the number of its codings."""
    source = information.source
    counts = _log_tails(source, [(None, chosen)]) + penalty <= log(level / 2 / n_tried)
    rest = np.flatnonzero(~counts & information.varies[chosen])
    for first in range(0, len(chosen) if len(rest) else 0, PIVOTS_AT_ONCE):
        pivots = np.arange(first, min(first + PIVOTS_AT_ONCE, len(chosen)))
        limit = log(level / 2 / n_tried**2) - penalty[pivots, None] - penalty[rest]
        bits = information.conditional_rows(chosen[pivots], chosen[rest])
        g = np.maximum(0.0, 2 * log(2) * source.n_samples * bits)
        hopeful = (_below_log_tail_of_one(g) <= limit) & (rest != pivots[:, None])
        hopeful[hopeful] = _bounded_log_tail(1, g[hopeful]) <= limit[hopeful]  # no p is smaller than of one degree
        hopeful_pivots = np.flatnonzero(hopeful.any(axis=1))
        for places in np.split(hopeful_pivots, TESTED):
            place, other = np.nonzero(hopeful[places] & ~counts[rest])
            pairs = [(int(chosen[pivots[p]]), chosen[rest[other[place == i]]]) for i, p in enumerate(places)]
            counted = _log_tails(source, pairs) <= limit[places[place], other]
            counts[rest[other[counted]]] = True
    return counts


def _log_tails(source: CountSource, pairs: Sequence[tuple[int | None, Columns]]) -> Floats:
    """:func:`log_tails` of the tables of columns (None: none) with each of others, one pair after the other."""
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
    return np.concatenate([*batches, log_tails(tables)] if tables else batches)


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
    table, n_codes = (np.repeat(values, sizes) for values in (np.arange(len(tables)), [t.shape[1] for t in tables]))
    counts, cells, table, n_codes = (values[occupied] for values in (counts, cells, table, n_codes))
    # Cells ascend in every table, and so do its parts and, within these, the codes.
    part = _numbered(table, cells // (n_codes * n_classes))
    code = _numbered(part, cells // n_classes)
    label = np.unique(part * n_classes + cells % n_classes, return_inverse=True)[1]
    in_part, in_code, in_label = (np.bincount(which, counts) for which in (part, code, label))
    table_of_part, part_of_code, part_of_label = (
        _owners(which, owner) for which, owner in ((part, table), (code, part), (label, part))
    )
    codes = np.bincount(part_of_code)
    labels = np.bincount(part_of_label)
    both = (codes > 1) & (labels > 1)

    def summed(values: NDArray[Any], which: Columns) -> Floats:
        return np.bincount(which, values, len(tables)).astype(np.float64)

    freedom = summed((codes - 1) * (labels - 1), table_of_part)
    least_code, least_label = np.full((2, len(in_part)), np.inf)
    np.minimum.at(least_code, part_of_code, in_code)
    np.minimum.at(least_label, part_of_label, in_label)
    expected = np.full(len(tables), np.inf)
    np.minimum.at(expected, table_of_part[both], (least_code * least_label / in_part)[both])
    ratio = np.log(counts * in_part[part] / (in_code[code] * in_label[label]))
    g = np.maximum(0.0, 2 * summed(counts * ratio, table))
    code_table = table_of_part[part_of_code]
    label_table = table_of_part[part_of_label]
    shuffled = summed(_log_gamma(in_label + 1), label_table) - summed(_log_gamma(in_part + 1), table_of_part)
    learned = summed(_log_gamma(n_classes * _PRIOR) - _log_gamma(in_code + n_classes * _PRIOR), code_table)
    learned += summed(_log_gamma(counts + _PRIOR) - _log_gamma(_PRIOR), table)
    found_tails = np.where(freedom == 0, 0.0, np.minimum(0.0, shuffled - learned))
    full = (expected >= LEAST_EXPECTED) & (freedom > 0)
    found_tails[full] = _bounded_log_tail(freedom[full], g[full])
    return found_tails


def _numbered(outer: NDArray[Any], inner: NDArray[Any]) -> Columns:
    """Numbers 0, 1, ... for the pairs of two arrays whose equal pairs stand together."""
    new = np.zeros(len(outer), np.intp)
    new[1:] = (outer[1:] != outer[:-1]) | (inner[1:] != inner[:-1])
    return np.cumsum(new)


def _owners(which: Columns, owner: Columns) -> Columns:
    """The owner of each number in ``which``."""
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
    return np.where(tail > SMALLEST, tail, -freedom / 2 * (share - 1 - np.log(share)))


def _log_gamma(x: Any) -> Floats:
    """The logarithm of the gamma function, computed once for every distinct value."""
    values, index = np.unique(x, return_inverse=True)
    return np.array([lgamma(value) for value in values.tolist()])[index].reshape(np.shape(x))


class Leak(NamedTuple):
    """A column and the share of the entropy of the class that it determines, corrected for chance."""

    column: int
    share: float


def leaks(information: Information) -> list[Leak]:
    """The columns that determine at least 0.9 of the class each, where every other determines at most half; best first.

    The share is ``(I(X;C) - E) / (H(C) - E)``, E the expectation of I(X;C) when the class is permuted (adjusted mutual
    information). None is found in fewer than 20 samples, or where they are more than half of the columns.
    """
    source = information.source
    entropy = information.class_entropy
    if source.n_samples < FEWEST or entropy <= 0:
        return []
    plain = information.relevance / entropy  # no share is above it
    if plain.max() <= NEARLY:
        return []
    leaking: list[Leak] = []
    for column in np.argsort(-plain, kind="stable").tolist():
        if plain[column] <= (OTHERS if leaking else NEARLY):
            break
        (table,) = source.tables(None, np.array([column]), False)
        expected = expected_information(table.dense().reshape(-1), source.class_sizes)
        share = (information.relevance[column] - expected) / (entropy - expected) if expected < entropy else 0.0
        if share >= NEARLY:
            leaking.append(Leak(column, float(share)))
        elif share > OTHERS:
            return []
    return sorted(leaking, key=lambda leak: (-leak.share, leak.column)) if 2 * len(leaking) <= len(plain) else []


def expected_information(first: Integers, second: Integers) -> float:
    """The plug-in information of two variables with these counts of their values, in bits, when one is permuted."""
    n = int(first.sum())
    terms = entropy_terms(n)
    sizes = (np.unique(margin[margin > 0], return_counts=True) for margin in (first, second))
    (rows, n_rows), (columns, n_columns) = sizes
    joint = int(n_rows @ expected_terms(n, rows, columns) @ n_columns)
    return (joint - terms.sum(first) - terms.sum(second) + terms.sum(np.array([n]))) / terms.per_bit
