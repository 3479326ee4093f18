"""Trials of the cuts of long columns, which are found without sorting most of them."""

from __future__ import annotations

import numpy as np
from tests.native.trials import as_given, equal, parts, terms_of, trial

from bitsieve import _native

LENGTHS = (2047, 2048, 2049, 3000, 4096, 6001)  # on both sides of where a column counts as long


def cuts_by_definition(values, classes, times, n_classes):
    """The accepted cuts of one column, every candidate looked at; of equal ones the lowest, in integers."""
    there = ~np.isnan(values)
    distinct, place = np.unique(values[there].astype(float), return_inverse=True)
    counts = np.zeros((len(distinct), n_classes), np.int64)
    np.add.at(counts, (place, classes[there]), times[there])
    n = int(counts.sum())
    terms, one_bit = _native.term_table(n, n + 1), 2.0 ** _native.term_shift(n)

    def entropies(table):
        return terms[table.sum(axis=1)] - terms[table].sum(axis=1)

    found, pieces = [], [(0, len(distinct))]
    while pieces:
        first, last = pieces.pop()
        own = counts[first:last]
        left, total = np.cumsum(own, axis=0)[:-1], own.sum(axis=0)
        between = ((own[:-1] + own[1:]) > 0).sum(axis=1) > 1  # two neighbours of one class are not parted
        if not between.any():
            continue
        costs = entropies(left) + entropies(total - left)
        at = int(np.flatnonzero(between)[costs[between].argmin()])
        sides = np.array([total, left[at], total - left[at]])
        size, (n_left, n_right) = sides[0].sum(), sides[1:].sum(axis=1)
        bits, kinds = entropies(sides) / one_bit, (sides > 0).sum(axis=1)
        spread = kinds * bits / np.array([size, n_left, n_right])
        price = np.log2(size - 1.0) + np.log2(3.0 ** kinds[0] - 2) - (spread[0] - spread[1] - spread[2])
        if bits[0] - bits[1] - bits[2] > price:
            cut = first + at + 1
            low, high = distinct[cut - 1], distinct[cut]
            found.append((low + high) / 2 if (low + high) / 2 < high else low)  # of neighbours the lower one
            pieces += [(first, cut), (cut, last)]
    return sorted(found)


def long_column(random, n_samples, n_classes):
    """Numbers, and classes that follow them in steps."""
    kind = random.integers(4)
    if kind == 0:  # as uneven as floats are
        values = 2.0 ** random.integers(-60, 60, n_samples) * random.choice([1, -1], n_samples)
    elif kind == 1:
        values = np.round(random.standard_normal(n_samples), int(random.integers(1, 9)))
    elif kind == 2:  # dense near zero
        values = random.random(n_samples) ** 8 + 0.25
    else:
        values = random.integers(0, random.choice([3, 300, 1 << 20]), n_samples) + 0.5
    steps = int(random.choice([2, 20, 200]))
    ranks = values.argsort(kind="stable").argsort(kind="stable")
    classes = np.unique(values, return_inverse=True)[1] if random.random() < 0.2 else ranks * steps // n_samples
    noise = random.random(n_samples) < random.choice([0.0, 0.05, 0.9])
    return values, np.where(noise, random.integers(0, n_classes, n_samples), classes % n_classes).astype(np.int32)


@trial("mdl_cuts")
def mdl_of_long_columns(random, kernel):
    n_samples, n_classes = int(random.choice(LENGTHS)), int(random.choice([2, 3, 7]))
    values, classes = long_column(random, n_samples, n_classes)
    vectors = np.array([classes, random.permutation(classes)])[: random.integers(1, 3)]
    table = np.column_stack([values, np.sort(values)]).astype((np.float32, np.float64)[random.integers(2)])
    if random.random() < 0.4:
        table[random.random(table.shape) < random.choice([0.01, 0.5])] = np.nan
    weights = random.integers(1, 4, n_samples) if random.random() < 0.3 else None
    times = np.ones(n_samples, np.int64) if weights is None else weights
    terms = terms_of(int(times.sum()), random)
    found = parts(*_native.mdl_cuts(as_given(table, random), vectors, n_classes, terms.table, terms.shift, weights))
    wanted = [cuts_by_definition(column, one, times, n_classes) for column in table.T for one in vectors]
    return sum(equal(a, b) for a, b in zip(found, wanted, strict=True)) + len(wanted)
