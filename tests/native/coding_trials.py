"""Trials of what makes codes of columns: extents, distinct numbers, cuts, categories; dense and sparse."""

from __future__ import annotations

import itertools

import numpy as np
from tests.discretization.test_mdl import reference as mdl_reference
from tests.discretization.test_repeated import counted
from tests.native.trials import as_given, class_codes, equal, near, parts, size, terms_of, trial

from bitsieve import _native
from bitsieve.counts.search import Parts

FLOATS = (np.float32, np.float64)
INTEGERS = (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64)


def numbers(random, n_samples, n_columns, kind):
    """Columns of whole numbers in spans of every size; floats have fractions, NaN and infinities among them."""
    limits = (-(2**20), 2**20) if kind in FLOATS else (np.iinfo(kind).min, np.iinfo(kind).max)
    span = int(min(random.choice([1, 3, 30, 300, 70_000, 2**40]), limits[1] - limits[0]))
    low = int(random.integers(limits[0], limits[1] - span, endpoint=True, dtype=np.int64 if limits[0] else np.uint64))
    table = np.array([low + int(x) for x in random.integers(0, span, n_samples * n_columns, endpoint=True)])
    return table.reshape(n_samples, n_columns).astype(kind)


def spoil(table, random, missing=True, infinite=False, fractions=True):
    """Make some numbers of a table of floats fractions, missing or infinite."""
    if fractions and random.random() < 0.6:
        table += (random.random(table.shape) < 0.3) * table.dtype.type(0.25)
    if missing and random.random() < 0.4:
        table[random.random(table.shape) < random.choice([0.1, 0.9])] = np.nan
    if infinite and random.random() < 0.3:
        table[random.random(table.shape) < 0.05] = random.choice([np.inf, -np.inf])
    return table


def any_table(random, n_samples, n_columns, **spoiled):
    kind = (FLOATS + INTEGERS)[random.integers(len(FLOATS + INTEGERS))]
    table = numbers(random, n_samples, n_columns, kind)
    return spoil(table, random, **spoiled) if kind in FLOATS else table


@trial("extent")
def value_ranges(random, kernel):
    table = any_table(random, size(random, 300), int(random.choice([1, 9, 70, 600])), infinite=True)
    if table.dtype.kind == "f" and random.random() < 0.7:  # whole beside others, and beyond 32 bits
        some = random.random((2, table.shape[1])) < 0.5
        table[:, some[0]] = np.floor(table[:, some[0]])
        table[:, some[1]] += table.dtype.type(2**33)
    asked = bool(random.integers(2))  # for fractions
    holds, low, high = _native.extent(as_given(table, random), asked)
    for j, column in enumerate(table.T):
        there = column[~np.isnan(column)] if table.dtype.kind == "f" else column
        whole = not len(there) or table.dtype.kind != "f" or bool((there == np.floor(there)).all())
        infinite = table.dtype.kind == "f" and bool(np.isinf(there).any())
        if infinite and not np.isfinite(there).any():
            whole = bool(holds[j] < 8)  # of infinities alone nothing is said
        elif infinite:
            whole = False
        whole |= not asked
        assert holds[j] == (len(there) > 0) + 2 * (len(there) < len(column)) + 4 * infinite + 8 * (not whole)
        if len(there) and not (infinite and len(set(there)) == 1):
            assert (low[j], high[j]) == (there.min(), there.max())
        elif not len(there):
            assert low[j] > high[j]
    return 3 * table.shape[1]


@trial("as_bytes")
def numbers_as_bytes(random, kernel):
    table = any_table(random, size(random, 300), int(random.integers(1, 70)), infinite=True)
    if random.random() < 0.5:  # most columns of integers are bytes
        table = np.where((table > 0) & (table < 200), np.floor(table), 3).astype(table.dtype)
    out = np.empty(table.shape, np.uint8, order="F")
    given = as_given(table, random)
    fits = _native.as_bytes(given, out)
    are_bytes = np.array(
        [bool(((column >= 0) & (column <= 255) & (column == np.floor(column))).all()) for column in table.T]
    )
    assert not (fits.astype(bool) & ~are_bytes).any()
    assert fits.all() or not are_bytes.all()
    apart = isinstance(given, list) and all(
        len(column) == 1 or column.strides == (column.itemsize,) for column in given
    )
    assert not apart or (fits == are_bytes).all()
    for j in np.flatnonzero(fits).tolist():
        assert (out[:, j] == table[:, j]).all()
    return table.shape[1]


@trial("distinct")
def distinct_numbers(random, kernel):
    table = any_table(random, size(random, 300), int(random.integers(1, 20)), fractions=False)
    given = as_given(table, random)
    _, low, high = _native.extent(given, False)
    found = parts(*_native.distinct(given, low, high))
    return sum(
        equal(some, np.unique(column[~np.isnan(column)] if table.dtype.kind == "f" else column))
        for some, column in zip(found, table.T, strict=True)
    )


def followed(random, n_samples, n_columns, classes):
    """Columns of floats of which some follow the classes, with NaN."""
    table = random.integers(0, random.choice([2, 8, 100]), (n_samples, n_columns)) + random.integers(0, 9) * np.where(
        random.random(n_columns) < 0.6, classes[:, None], 0
    )
    return spoil(table.astype(FLOATS[random.integers(2)]), random)


def cuts_by_definition(values, classes, times):
    """Accepted cuts of one column, each row standing some times."""
    there = ~np.isnan(values)
    values, classes = np.repeat(values[there].astype(float), times[there]), np.repeat(classes[there], times[there])
    return mdl_reference(values.tolist(), classes.tolist()) if len(values) else []


@trial("mdl_cuts")
def mdl(random, kernel):
    n_samples = int(random.integers(1, 26))
    classes, n_classes = class_codes(random, n_samples)
    table = followed(random, n_samples, int(random.integers(1, 4)), classes)
    vectors = np.array([classes, random.permutation(classes)])[: random.integers(1, 3)]
    weights = random.integers(1, 3, n_samples) if random.random() < 0.3 else None
    times = np.ones(n_samples, int) if weights is None else weights
    terms = terms_of(int(times.sum()), random)
    found = parts(*_native.mdl_cuts(as_given(table, random), vectors, n_classes, terms.table, terms.shift, weights))
    wanted = [cuts_by_definition(column, one, times) for column in table.T for one in vectors]
    return sum(equal(a, b) for a, b in zip(found, wanted, strict=True)) + len(wanted)


@trial("rank_sums")
def sums_of_ranks(random, kernel):
    n_samples = size(random, 300)
    classes, n_classes = class_codes(random, n_samples)
    table = any_table(random, n_samples, int(random.integers(1, 5)), infinite=True).astype(float)
    weights = random.integers(1, 4, n_samples) if random.random() < 0.5 else None
    times = np.ones(n_samples, np.int64) if weights is None else weights
    found = _native.rank_sums([column.copy() for column in table.T], classes, n_classes, weights)
    n_found, deviations, ties_high, ties_low = found
    n_compared = 0
    for j, column in enumerate(table.T):
        present = np.repeat(~np.isnan(column), times)
        ranked = np.repeat(column, times)[present]
        classes_of_ranked = np.repeat(classes, times)[present]
        smaller = (ranked[:, None] > ranked).sum(axis=1)
        not_larger = (ranked[:, None] >= ranked).sum(axis=1)
        wanted = np.zeros(n_classes, np.int64)
        np.add.at(wanted, classes_of_ranked, smaller + not_larger - len(ranked))
        place = slice(j * n_classes, (j + 1) * n_classes)
        n_compared += equal(n_found[place], np.bincount(classes_of_ranked, minlength=n_classes))
        n_compared += equal(deviations[place], wanted)
        _, sizes = np.unique(ranked, return_counts=True)
        n_compared += equal(2**32 * ties_high[j] + ties_low[j], (sizes**3 - sizes).sum())
    return n_compared


def order_statistics(values, n_bins, times):
    """Cuts of about equal numbers by their definition."""
    there = ~np.isnan(values)
    ordered = np.sort(np.repeat(values[there].astype(float), times[there]))
    ranks = [(2 * b * len(ordered) + n_bins) // (2 * n_bins) for b in range(1, n_bins)]
    return sorted({ordered[rank - 1] for rank in ranks if rank > 0} - {ordered[-1]}) if len(ordered) else []


@trial("order_statistic_cuts")
def order_cuts(random, kernel):
    n_samples = size(random, 200)
    table = any_table(random, n_samples, int(random.integers(1, 20)))
    table = table.astype(float) if table.dtype.itemsize == 8 else table  # of 64 bits: exact as they are
    n_bins = int(random.choice([2, 3, 10, 300]))
    weights = random.integers(1, 4, n_samples) if random.random() < 0.3 else None
    times = np.ones(n_samples, int) if weights is None else weights
    found = parts(*_native.order_statistic_cuts(as_given(table, random), n_bins, weights))
    wanted = [order_statistics(column.astype(float), n_bins, times) for column in table.T]
    return sum(equal(a, b) for a, b in zip(found, wanted, strict=True)) + len(wanted)


@trial("code_categories")
def categories(random, kernel):
    table = any_table(random, size(random, 200), int(random.integers(1, 20)), fractions=False)
    n_columns = table.shape[1]
    is_float, unsigned = table.dtype.kind == "f", table.dtype == np.uint64
    whole = [column[~np.isnan(column)].astype(np.int64) if is_float else column for column in table.T]
    known = [np.unique(some) for some in whole]
    lacks = random.integers(n_columns) if random.random() < 0.3 else -1  # one column with a number that is not known
    known = [some[:-1] if j == lacks else some for j, some in enumerate(known)]
    missing = random.integers(0, 300, n_columns)
    place = random.permutation(n_columns)
    out = np.zeros((len(table), n_columns), np.uint16, order="F")
    ends = np.cumsum([len(some) for some in known])
    listed = np.concatenate(known).astype(np.uint64 if unsigned else np.int64).view(np.int64)
    found = _native.code_categories(as_given(table, random), listed, unsigned, ends, missing, place, out)
    for j, column in enumerate(table.T):
        there = ~np.isnan(column) if is_float else np.ones(len(column), bool)
        assert found[j] == np.isin(whole[j], known[j], kind="sort").all()
        if found[j]:
            assert (out[there, place[j]] == np.searchsorted(known[j], whole[j])).all()
            assert (out[~there, place[j]] == missing[j]).all()
    return out.size


@trial("class_order")
def rows_by_class(random, kernel):
    n_classes = int(random.choice([1, 2, 7, 70_000]))
    classes = random.integers(0, n_classes, size(random, 500)).astype(np.int32)
    order, sizes = _native.class_order(classes, n_classes)
    assert equal(sizes, np.bincount(classes, minlength=n_classes)) == n_classes
    return equal(order, np.argsort(classes, kind="stable"))


@trial("code_dictionaries")
def dictionaries(random, kernel):
    n_samples, n_columns = size(random, 200), int(random.integers(1, 20))
    kind = INTEGERS[random.integers(len(INTEGERS))]
    lengths = random.integers(1, 100, n_columns)
    ranks = [random.integers(-1, length, length).astype(np.int32) for length in lengths]
    places = np.column_stack([random.integers(0, length, n_samples) for length in lengths]).astype(kind)
    if np.iinfo(kind).min < 0:
        places[random.random(places.shape) < 0.1] = -1
    out = np.zeros((n_samples, n_columns), np.int32, order="F")
    found = _native.code_dictionaries(list(places.T), np.concatenate(ranks), np.cumsum(lengths), out)
    for j, (own, occurs) in enumerate(zip(ranks, np.split(found, np.cumsum(lengths)[:-1]), strict=True)):
        rank = np.where(places[:, j] < 0, -1, own[places[:, j].astype(np.int64)])
        there = np.unique(rank[rank >= 0])
        assert np.flatnonzero(occurs).tolist() == there.tolist()
        assert (out[:, j] == np.where(rank < 0, -1, np.searchsorted(there, rank))).all()
    return out.size


@trial("code_by_cuts")
def codes_by_cuts(random, kernel):
    table = any_table(random, size(random, 400), int(random.integers(1, 40)), infinite=True)
    table = table.astype(float) if table.dtype.itemsize == 8 else table
    n_columns, left = table.shape[1], bool(random.integers(2))
    values = table.astype(float)
    some = [random.choice(column[np.isfinite(column)], 80) if np.isfinite(column).any() else np.zeros(1)
            for column in values.T]  # fmt: skip
    cuts = [np.sort(np.append(own, own + 0.5)[: random.choice([0, 1, 9, 40, 41, 128, 129, 160])]) for own in some]
    missing, place = random.integers(0, 200, n_columns), random.permutation(n_columns)
    out = np.zeros((len(table), n_columns), (np.uint8, np.uint16)[random.integers(2)], order="F")
    ends = np.cumsum([len(own) for own in cuts])
    _native.code_by_cuts(kernel, as_given(table, random), np.concatenate(cuts), ends, left, missing, place, out)
    wanted = [
        np.where(np.isnan(column), code, np.searchsorted(own, column, side="left" if left else "right"))
        for column, own, code in zip(values.T, cuts, missing, strict=True)
    ]
    return equal(out[:, place].T, wanted)


@trial("best_division")
def best_division(random, kernel):
    n_bins = int(random.integers(1, 8))
    events, nonevents = random.integers(1, 9, (2, n_bins))
    totals = int(events.sum()) + 2, int(nonevents.sum()) + 3
    max_n_bins, min_rows = int(random.integers(1, 5)), int(random.integers(0, 9))
    ends = _native.best_division(
        events, nonevents, *totals, "ascending", "iv", 0.0, 0.0, 1, max_n_bins, min_rows, sum(totals), 0, 0, 0
    )
    best, wanted = -1.0, []
    for n_ends in range(1, max_n_bins + 1):
        for inner in itertools.combinations(range(1, n_bins), n_ends - 1):
            starts = np.array([0, *inner])
            e, n = np.add.reduceat(events, starts), np.add.reduceat(nonevents, starts)
            ascends = (e[:-1] * (e + n)[1:] <= e[1:] * (e + n)[:-1]).all()
            value = ((e / totals[0] - n / totals[1]) * np.log(e * totals[1] / (n * totals[0]))).sum()
            if ascends and (e + n).min() >= min_rows and value > best + 1e-12:
                best, wanted = value, [*inner, n_bins]
    return equal(ends, np.array(wanted, np.int64))


@trial("division_bounds")
def division_bounds(random, kernel):
    """The largest value of any division, and at least that of divisions with a trend."""
    n_bins, n_rows = int(random.integers(1, 8)), int(random.integers(1, 4))
    empty = int(random.integers(2))
    events, nonevents = random.integers(empty, 9, (2, n_rows, n_bins))
    totals = int(events.sum(axis=1).max()) + 2, int(nonevents.sum(axis=1).max()) + 3
    smoothing, cost = float(random.choice([0.0, 1.0])), float(random.choice([0.0, 0.01]))
    fewest, most = int(random.integers(1, 4)), int(random.choice([0, 1, 2, 3, 5]))
    least = [int(random.integers(0, top)) for top in (20, 3, 3)]
    largest = int(random.choice([20, sum(totals)]))
    trend = str(random.choice(["none", "peak", "valley"]))
    bounds = _native.division_bounds(
        events, nonevents, *totals, trend, "iv", smoothing, cost, fewest, most, least[0], largest, *least[1:], 0
    )
    rate = totals[0] / sum(totals)
    compared = 0
    for bound, of_events, of_nonevents in zip(bounds, events, nonevents, strict=True):
        wanted = -np.inf
        for n_ends in range(fewest, (most or n_bins) + 1):
            for inner in itertools.combinations(range(1, n_bins), n_ends - 1):
                starts = np.array([0, *inner])
                e, n = np.add.reduceat(of_events, starts), np.add.reduceat(of_nonevents, starts)
                kept = (e + n).min() >= max(least[0], 1) and e.min() >= least[1] and n.min() >= least[2]
                rising = np.sign(np.diff(e / np.maximum(e + n, 1))) * (-1 if trend == "valley" else 1)
                turns = trend == "none" or (np.diff(rising[rising != 0]) <= 0).all()
                if not kept or (e + n).max() > largest or not turns:
                    continue
                added = smoothing * ((e == 0) | (n == 0))
                smoothed_e, smoothed_n = e + added * rate, n + added * (1 - rate)
                odds = np.ones(len(e))
                there = (smoothed_e > 0) & (smoothed_n > 0)
                np.divide(smoothed_e * totals[1], smoothed_n * totals[0], out=odds, where=there)
                value = ((e / totals[0] - n / totals[1]) * np.log(odds)).sum() - cost * len(e)
                wanted = max(wanted, value)
        if trend == "none" and np.isinf(wanted):
            assert bound == wanted
        elif trend == "none":
            near(bound, wanted, 0, 1e-12)
        assert bound >= wanted - 1e-12
        compared += 1
    return compared


def vertices_of_hull(events, nonevents):
    """Where the bins of the convex hull end: neighbours whose rates do not rise are one bin."""
    ends, pooled = [], []
    for end, counts in enumerate(zip(events, nonevents, strict=True), start=1):
        block = np.array(counts)
        while pooled and pooled[-1][0] * block[1] >= block[0] * pooled[-1][1]:
            block = block + pooled.pop()
            ends.pop()
        pooled.append(block)
        ends.append(end)
    return np.array(ends, np.int64)


@trial("hull_vertices")
def hull_vertices(random, kernel):
    events, nonevents = random.integers(0, 5, (2, int(random.integers(1, 30))))
    nonevents += events + nonevents == 0
    return equal(_native.hull_vertices(events, nonevents), vertices_of_hull(events, nonevents))


@trial("hull_information_value")
def hull_information_value(random, kernel):
    events, nonevents = random.integers(0, 5, (2, int(random.integers(1, 30))))
    nonevents += events + nonevents == 0
    totals = int(events.sum()) + 2, int(nonevents.sum()) + 3
    starts = np.append(0, vertices_of_hull(events, nonevents)[:-1])
    e, n = np.add.reduceat(events, starts), np.add.reduceat(nonevents, starts)
    more = ((e == 0) | (n == 0)) / sum(totals)  # one more sample of the table's event rate for an empty cell
    ratio = (e + more * totals[0]) * totals[1] / ((n + more * totals[1]) * totals[0])
    wanted = ((e / totals[0] - n / totals[1]) * np.log(ratio)).sum()
    return abs(_native.hull_information_value(events, nonevents, *totals, 1.0) - wanted) < 1e-12


def classed_keys(values, is_event):
    """Twice the bits without the sign, which order numbers of one sign, and one more for an event."""
    magnitudes = (np.abs(values).view(np.uint64)) << np.uint64(1)
    ascending = np.where(values < 0, ~magnitudes - np.uint64(1), magnitudes)
    return ascending + is_event.astype(np.uint64)


@trial("count_reaching", "place_keys")
def place_keys(random, kernel):
    n_rows = int(random.integers(0, 700))
    values = np.round(random.normal(size=n_rows), 1)
    is_event, is_included = random.random((2, n_rows)) < random.random()
    limits = np.unique(np.append(np.round(random.normal(size=int(random.integers(0, 4))), 1), 0.0))
    weights = random.integers(1, 9, n_rows) if random.integers(2) else None
    piece = np.where(is_included, np.searchsorted(limits, values, side="right"), len(limits) + 1)
    n_of_piece = np.bincount(piece, minlength=len(limits) + 2)
    reaching = _native.count_reaching(values, is_included, limits)
    compared = equal(reaching, [is_included.sum(), *(((values >= limit) & is_included).sum() for limit in limits)])
    ends = np.cumsum(n_of_piece)
    keys = np.zeros(n_rows, np.uint64)
    placed = None if weights is None else np.zeros(n_rows, np.int64)
    _native.place_keys(values, is_event, is_included, weights, limits, ends - n_of_piece, ends, keys, placed)
    rows = np.argsort(piece, kind="stable")
    compared += equal(keys, classed_keys(values, is_event)[rows])
    return compared + (0 if weights is None else equal(placed, weights[rows]))


@trial("pre_bins")
def pre_bins(random, kernel):
    n_samples, n_values = int(random.choice([9, 200, 2000])), int(random.choice([3, 90, 4000]))
    is_negative = bool(random.integers(2))
    values = np.sort(random.integers(1, n_values + 1, n_samples) / 4 * (-1 if is_negative else 1))
    is_event, weights = random.random(n_samples) < 0.2 + 0.6 * np.arange(n_samples) / n_samples, None
    times = np.ones(n_samples, np.int64)
    keys = classed_keys(values, is_event)
    order = np.argsort(keys)
    if random.integers(2):
        times = weights = random.integers(1, 4, n_samples)
    max_exact, max_pre_bins, refine = int(random.integers(1, 99)), int(random.integers(1, 20)), bool(random.integers(2))
    n_before, n_after = random.integers(0, 300, 2).tolist()
    n_of_column = n_before + int(times.sum()) + n_after
    n_distinct, *found = _native.pre_bins(
        keys[order],
        None if weights is None else weights[order],
        is_negative,
        n_before,
        n_of_column,
        max_exact,
        max_pre_bins,
        refine,
    )
    distinct, code = np.unique(values, return_inverse=True)
    events = np.bincount(code[is_event], times[is_event], len(distinct)).astype(np.int64)
    nonevents = np.bincount(code[~is_event], times[~is_event], len(distinct)).astype(np.int64)
    ends = np.arange(1, len(distinct) + 1)
    if len(distinct) > max_exact:
        until = n_before + np.cumsum(events + nonevents)
        ranks = [max(1, (2 * j * n_of_column + max_pre_bins) // (2 * max_pre_bins)) for j in range(1, max_pre_bins + 1)]
        within = [rank for rank in ranks if n_before < rank <= until[-1]]
        ends = np.append(np.searchsorted(until, within) + 1, len(distinct))
        if refine:
            hulls = vertices_of_hull(events, nonevents), vertices_of_hull(nonevents, events)
            ends = np.concatenate([ends, *hulls])
        ends = np.unique(ends)
    next_values = np.append(distinct, np.inf)[ends]
    wanted = (np.cumsum(events)[ends - 1], np.cumsum(nonevents)[ends - 1], distinct[ends - 1], next_values)
    return equal(n_distinct, ends) + sum(equal(of, expected) for of, expected in zip(found, wanted, strict=True))


@trial("dependence_of_codes", "dependence_of_cuts")
def dependence(random, kernel):
    n_samples = int(random.integers(2, 40))
    classes, n_classes = class_codes(random, n_samples)
    n_vectors = int(random.choice([2, 12]))  # of many vectors those are told apart that cut no column
    vectors = np.array([classes, *(random.permutation(classes) for _ in range(n_vectors - 1))])
    divided = random.integers(0, random.choice([1, 3, 40]), n_samples)
    _, divided = np.unique(divided, return_inverse=True)
    terms, order = terms_of(n_samples, random), Parts.of(divided)
    table = followed(random, n_samples, int(random.integers(1, 4)), classes).astype(float)
    at_median = bool(random.integers(2))
    tail = order.order, order.starts, terms.table, terms.shift
    freedom, sums = _native.dependence_of_cuts(np.asfortranarray(table), vectors, n_classes, *tail, at_median)
    values, ends = _native.mdl_cuts(table, vectors, n_classes, terms.table, terms.shift, None)
    compared = 0
    for at, cuts in enumerate(parts(values, ends)):
        column, labels = table[:, at // n_vectors], vectors[at % n_vectors]
        if not len(cuts) and at_median:
            cuts = np.array(order_statistics(column, 2, np.ones(n_samples, int)))
        codes = np.where(np.isnan(column), len(cuts) + 1, np.searchsorted(cuts, column))
        wanted = counted(codes, labels, divided, terms.shift)
        compared += equal((freedom.reshape(-1)[at], sums.reshape(-1)[at]), wanted)
        codes = codes.astype(np.int32)
        of_codes = _native.dependence_of_codes(codes, labels[None], n_classes, *tail)
        compared += equal(np.ravel(of_codes), wanted)
    return compared


@trial("shuffle_classes")
def shuffles(random, kernel):
    n_samples, n_shuffles = size(random, 300), int(random.integers(1, 4))
    classes, _ = class_codes(random, n_samples)
    divided = random.integers(0, random.choice([1, 3, 40]), n_samples)
    _, divided = np.unique(divided, return_inverse=True)
    seeds = random.integers(0, 2 ** int(random.choice([3, 33, 64])), n_shuffles, np.uint64)
    keys = np.array([np.random.Generator(np.random.PCG64(seed)).random(n_samples) for seed in seeds.tolist()])
    found = np.empty((n_shuffles, n_samples), np.int32)
    _native.shuffle_classes(classes, *Parts.of(divided), seeds, found)
    compared = 0
    for row, row_keys in zip(found, keys, strict=True):
        for part in np.unique(divided):
            samples = np.flatnonzero(divided == part)
            by_rank = sorted(samples.tolist(), key=lambda sample, row_keys=row_keys: (row_keys[sample], sample))
            compared += equal(row[samples], classes[by_rank])
    return compared


def stored_columns(random, n_rows, n_columns):
    """Compressed sparse columns of numbers, some missing; zero is never stored."""
    there = random.random((n_columns, n_rows)) < random.choice([0.1, 0.5, 1.0])
    column, row = np.nonzero(there)
    start = np.searchsorted(column, np.arange(n_columns + 1)).astype(np.int64)
    value = random.integers(1, random.choice([2, 9, 90]), len(row)) * random.choice([1, -1], len(row))
    return start, row.astype(np.int32), spoil(value.astype(FLOATS[random.integers(2)]), random)


@trial("stored_mdl_cuts", "stored_order_cuts", "stored_distinct", "code_stored")
def stored(random, kernel):
    n_rows, n_columns = int(random.integers(1, 30)), int(random.integers(1, 6))
    table = start, row, value = stored_columns(random, n_rows, n_columns)
    first, last = sorted(random.integers(0, n_columns + 1, 2).tolist())
    classes, n_classes = class_codes(random, n_rows)
    weights = random.integers(1, 3, n_rows) if random.random() < 0.3 else None
    times = np.ones(n_rows, int) if weights is None else weights
    terms, n_bins = terms_of(int(times.sum()), random), int(random.choice([2, 4, 30]))
    found = [
        _native.stored_mdl_cuts(*table, first, last, classes, n_classes, terms.table, terms.shift, weights),
        _native.stored_order_cuts(*table, first, last, n_rows, n_bins, weights),
        _native.stored_distinct(*table, first, last),
    ]
    cuts = [random.permutation(90)[: random.integers(0, 4)] - 40.0 for _ in range(first, last)]
    cuts, left = [np.sort(own) for own in cuts], bool(random.integers(2))
    ends = np.cumsum([len(own) for own in cuts]).astype(np.int64)
    base, missing = random.integers(0, 9, n_columns), random.integers(0, 99, n_columns)
    codes = np.zeros(len(row), np.uint16)
    some = base[first:last], missing[first:last]
    flat = np.concatenate([*cuts, np.empty(0)])
    _native.code_stored(*table, first, last, flat, ends, left, *some, codes)
    compared = 0
    for place, j in enumerate(range(first, last)):
        own, at = value[start[j] : start[j + 1]], row[start[j] : start[j + 1]]
        wanted = [
            cuts_by_definition(own, classes[at], times[at]),
            order_statistics(own, n_bins, times[at]),
            np.unique(own[~np.isnan(own)]),
        ]
        compared += sum(equal(parts(*made)[place], expected) + 1 for made, expected in zip(found, wanted, strict=True))
        by_cuts = base[j] + np.searchsorted(cuts[place], own, side="left" if left else "right")
        compared += equal(codes[start[j] : start[j + 1]], np.where(np.isnan(own), missing[j], by_cuts))
    return compared
