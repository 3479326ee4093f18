"""Trials of the counts: entropy terms, packed tables in every form, minima, partitions, shuffles, sparse codes."""

from __future__ import annotations

import os
from dataclasses import replace
from unittest import mock

import numpy as np
from scipy.stats import hypergeom
from tests.definitions import expected_term, term_sum
from tests.native.trials import equal, near, size, terms_of, trial
from tests.sparse_codes import sparse_codes

from bitsieve import _native
from bitsieve.counts import sparse as sparse_source
from bitsieve.counts.kernels import ENVIRONMENT_VARIABLE, STORAGE_FORMS, TABLE
from bitsieve.counts.packed import PackedSource
from bitsieve.counts.packed_batches import PackedBatches
from bitsieve.counts.reference import NaiveSource, term, term_shift
from bitsieve.counts.source import sums_of
from bitsieve.counts.sparse import Division, SparseSource
from bitsieve.counts.tables import Chance, ChanceSums, MinimumFormula, PairFormula, Sums
from bitsieve.counts.tuples import STATISTICS, search_tuples

TIE = 1e-10


@trial("term_shift", "term_table", "sum_terms", "log2_of_counts", "log2_of_each")
def entropy_terms(random, kernel):
    n = int(2 ** (31 * random.random()))
    terms = terms_of(min(n, 5000), random)
    counts = np.bincount(random.integers(0, random.choice([1, 3, 900]), terms.n_samples))  # of one table
    assert _native.term_shift(n) == term_shift(n)
    compared = equal(terms.table[:40], [term(count, terms.shift) for count in range(len(terms.table[:40]))])
    assert terms.sum(counts) == term_sum(counts, terms.shift)
    values = np.concatenate([[0.0], 2.0 ** random.uniform(-1000, 1000, 50)])
    compared += equal(_native.log2_of_each(values), [_native.log2(value) for value in values.tolist()])
    return compared + near(_native.log2_of_counts(60)[1:], np.log2(np.arange(1, 60)), 4e-16) + 2


@trial("PackedTable.weighted_tables")
def weighted_tables(random, kernel):
    packed, _ = both_sources(random, kernel, 6000)
    columns = random.permutation(packed.n_features)[: random.integers(1, packed.n_features + 1)]
    pivot = -1 if random.random() < 0.2 else int(random.integers(packed.n_features))
    weights = random.integers(0, 1 << int(random.integers(1, 50)), packed.n_samples) * random.integers(0, 2)
    first = np.zeros(packed.n_samples, np.int64) if pivot < 0 else packed.codes(pivot).astype(np.int64)
    expected = []
    for column in columns.tolist():
        n_codes = int(packed.arities[column])
        table = np.zeros((1 if pivot < 0 else int(packed.arities[pivot])) * n_codes, np.int64)
        np.add.at(table, first * n_codes + packed.codes(column), weights)
        expected.append(table)
    out = np.full(sum(map(len, expected)), 7, np.int64)
    code_sums = None
    if random.random() < 0.5:
        code_sums = np.concatenate(
            [np.bincount(packed.codes(j), weights, packed.arities[j]).astype(np.int64) for j in columns.tolist()]
        )
    packed.packed.weighted_tables(weights.astype(np.uint64), pivot, columns, code_sums, out)
    return equal(out, np.concatenate(expected))


@trial(
    "CodedVariables.__init__",
    "CodedVariables.refined",
    "Strata.__init__",
    "VariableInStrata.__init__",
    "IndependenceCounter.__init__",
    "IndependenceCounter.of_variables",
    "IndependenceCounter.of_table",
)
def tests_within_strata(random, kernel):
    n_samples, n_variables = size(random, 300), int(random.integers(3, 8))
    n_codes = random.integers(1, int(random.choice([2, 4, 12, 200])) + 1, n_variables)
    codes = (random.random((n_variables, n_samples)) * n_codes[:, None]).astype(np.uint16)
    terms = terms_of(n_samples, random)
    variables = _native.CodedVariables(codes, n_codes)
    strata = _native.Strata(variables)
    stratum = np.zeros(n_samples, np.int64)
    for variable in range(int(random.integers(0, 3))):
        strata = variables.refined(variable, strata)
        stratum = stratum * n_codes[variable] + codes[variable]
    x, *others = random.permutation(n_variables).tolist()
    counter = _native.IndependenceCounter(terms.table, terms.shift)
    grouped = _native.VariableInStrata(variables, x, strata)
    sums = counter.of_variables(grouped, variables, np.array(others), True, True)
    compared = 0
    for test, other in enumerate(others):
        shape = int(stratum.max()) + 1, int(n_codes[x]), int(n_codes[other])
        table = np.zeros(shape, np.int64)
        np.add.at(table, (stratum, codes[x], codes[other]), 1)
        flat = table.reshape(-1)
        cells = np.flatnonzero(flat)
        of_table = counter.of_table(cells, flat[cells], shape[1], shape[2], True, True)
        for sums_of_kind, from_table in zip(sums, of_table, strict=True):
            compared += near(sums_of_kind[test], from_table[0], 1e-13)
        compared += compare_with_table([kind[test] for kind in sums], table, terms)
    return compared


def compare_with_table(found, table, terms):
    """The sums of a test are those of its table, of shape (strata, codes, codes), by their definitions."""
    information = freedom = n_strata = 0
    excess, pearson, least_expected = 0.0, 0.0, np.inf
    excess_error = 1e-9
    for cells in table:
        n, rows, columns = int(cells.sum()), cells.sum(axis=1), cells.sum(axis=0)
        rows, columns = rows[rows > 0], columns[columns > 0]
        if n == 0:
            continue
        n_strata += 1
        counts = [cells[cells > 0], np.array([n]), rows, columns]
        of_cells, of_stratum, of_rows, of_columns = (term_sum(part, terms.shift) for part in counts)
        information += of_cells + of_stratum - of_rows - of_columns
        freedom += (len(rows) - 1) * (len(columns) - 1)
        means = np.outer(rows, columns) / n
        if freedom_of(rows, columns):
            least_expected = min(least_expected, means.min())
            occupied = cells[cells.sum(axis=1) > 0][:, cells.sum(axis=0) > 0]
            pearson += ((occupied - means) ** 2 / means).sum()
            excess += sum(mean_excess(n, int(a), int(b)) for a in rows for b in columns)
            excess_error += 1e-4 * int((means >= 64).sum())  # from this mean on it is a series
    is_tested = freedom > 0
    compared = equal(np.array(found[:2]), [information, freedom]) + equal(found[5], n_strata)
    if is_tested:
        compared += near(found[2], excess, 1e-9, excess_error) + near(found[3], pearson, 1e-9, 1e-9)
        compared += near(found[4], least_expected, 1e-13)
    return compared


def freedom_of(rows, columns):
    return (len(rows) - 1) * (len(columns) - 1)


def mean_excess(n, a, b):
    """E[k ln(k n / (a b))] of a hypergeometric k: of n samples a are in the row, and b in the column."""
    k = np.arange(max(1, a + b - n), min(a, b) + 1)
    return float((hypergeom.pmf(k, n, a, b) * k * np.log(k * n / (a * b))).sum())


FEW_CODES = (2, 3, 10, 64, 65, 300)
ANY_CODES = (1, 2, 3, 5, 10, 11, 63, 64, 65, 255, 256, 300, 5000, 65_536)


def coded_table(random, most=600, tops=FEW_CODES):
    """Codes, classes and weights; few codes, or many, or both."""
    n_samples, n_features = size(random, most), int(random.integers(1, 20))
    top = int(random.choice(tops))
    arities = random.integers(1, top + 1, n_features)
    codes = (random.random((n_samples, n_features)) ** random.integers(1, 4) * arities).astype(np.uint16)
    n_classes = int(random.choice([1, 2, 3, 5, 17, 300]))
    weights = random.integers(1, 4, n_samples) if random.random() < 0.3 else None
    return codes, random.integers(0, n_classes, n_samples), n_classes, weights


def both_sources(random, kernel, *which):
    """The packed source of a random table in some form, and the plain one of the same."""
    codes, classes, n_classes, weights = coded_table(random, *which)
    form = random.choice([*STORAGE_FORMS, TABLE, "cheapest"])
    name = TABLE if form == TABLE else kernel if form == "cheapest" else f"{kernel}:{form}"
    given = codes.astype(np.uint8) if codes.max() < 256 and random.random() < 0.5 else codes
    given = np.asfortranarray(given) if random.random() < 0.5 else given
    keywords = {"n_classes": n_classes, "weights": weights}
    threads = int(random.integers(1, 4))
    return PackedSource(given, classes, kernel=name, n_jobs=threads, **keywords), NaiveSource(
        codes, classes, **keywords
    )


def some_columns(random, n):
    return np.sort(random.permutation(n)[: random.integers(1, n + 1)])


@trial(
    "PackedTable.__init__",
    "PackedTable.pack",
    "PackedTable.row_sums",
    "PackedTable.codes",
    "PackedTable.simd_groups",
    "PackedTable.gathered",
)
def packed_sums(random, kernel):
    packed, naive = both_sources(random, kernel, 1500, ANY_CODES)
    terms, n = terms_of(naive.n_samples, random), naive.n_features
    order = np.argsort(naive.sample_classes, kind="stable")
    compared = sum(equal(packed.codes(j), naive.codes(j)[order]) for j in range(n))
    columns, pivot = some_columns(random, n), int(random.integers(n))
    for found, wanted in (
        (packed.fused.marginal_sums(terms), Sums(naive).marginal_sums(terms)),
        (packed.fused.pair_sums(terms, pivot, columns, True), Sums(naive).pair_sums(terms, pivot, columns, True)),
        (
            packed.fused.pair_sums(terms, pivot, None, False)[:1],
            Sums(naive).pair_sums(terms, pivot, None, False)[:1],
        ),
    ):
        compared += sum(equal(a, b) for a, b in zip(found, wanted, strict=True))
    some = packed.packed.gathered(columns)
    xy, xyc = np.empty((2, len(columns)), np.int64)
    some.row_sums(terms.table, terms.shift, -1, np.arange(some.n_simd_groups), xy, xyc)
    return compared + sum(
        equal(a, b[columns]) for a, b in zip((xy, xyc), Sums(naive).marginal_sums(terms), strict=True)
    )


@trial("row_sums_within_strata")
def sums_within_strata(random, kernel):
    """The strata are runs of classes: their sums are those of the classes that are added up."""
    codes, classes, n_classes, weights = coded_table(random, tops=(2, 3, 10, 64))
    source = PackedSource(codes, classes, n_classes=n_classes, weights=weights, kernel=f"{kernel}:planes")
    naive = NaiveSource(codes, classes, n_classes=n_classes, weights=weights)
    is_first = np.append(True, random.random(n_classes - 1) < random.random())
    stratum_of_class = np.cumsum(is_first) - 1
    within = NaiveSource(codes, stratum_of_class[classes], n_classes=int(is_first.sum()), weights=weights)
    first_class = np.append(np.flatnonzero(is_first), n_classes)
    terms, columns = terms_of(naive.n_samples, random), some_columns(random, naive.n_features)
    pivot = None if random.random() < 0.2 else int(random.integers(naive.n_features))
    compared = 0
    for by_class in (True, False):
        found = source.fused.sums_within_strata(terms, first_class, pivot, columns, by_class=by_class)
        by_stratum, by_class_of_table = (
            Sums(one).marginal_sums(terms)[1][columns]
            if pivot is None
            else Sums(one).pair_sums(terms, pivot, columns, True).by_class
            for one in (within, naive)
        )
        compared += equal(found.pooled, by_stratum)
        if by_class:
            compared += equal(found.by_class, by_class_of_table)
        else:
            assert found.by_class is None
    return compared


@trial("PackedTable.matrix_block", "PackedTable.matrix_rows")
def packed_matrices(random, kernel):
    packed, naive = both_sources(random, kernel)
    terms, n = terms_of(naive.n_samples, random), naive.n_features
    signs = [(1, 0), (-1, 1), (0, 1), (1, -1)][random.integers(4)]
    row, column = random.integers(-(2**40), 2**40, (2, n))
    form = PairFormula(*signs, row, column, terms.per_bit, bool(random.integers(2)))
    columns, dtype = some_columns(random, n), (np.float32, np.float64)[random.integers(2)]
    compared = equal(packed.fused.matrix(terms, form, dtype, columns), Sums(naive).matrix(terms, form, dtype, columns))
    pivots = some_columns(random, n)
    rows, expected = np.empty((2, len(pivots), len(columns)), dtype)
    packed.fused.matrix_rows(terms, form, pivots, columns, rows)
    Sums(naive).matrix_rows(terms, form, pivots, columns, expected)
    return compared + equal(rows, expected)


@trial("PackedTable.pair_cells", "PackedTable.pair_tables")
def packed_cells(random, kernel):
    packed, naive = both_sources(random, kernel)
    columns = some_columns(random, naive.n_features)
    pivot = None if random.random() < 0.2 else int(random.integers(naive.n_features))
    by_class, compared = bool(random.integers(2)), 0
    for found, wanted in zip(
        packed.fused.cell_counts(pivot, columns, by_class),
        Sums(naive).cell_counts(pivot, columns, by_class),
        strict=True,
    ):
        if found is None or wanted is None:
            assert found is wanted is None
            continue
        for a, b in zip(found, wanted, strict=True):
            compared += equal(np.sort(a[a > 0]), np.sort(b[b > 0]))
    n_rows = (1 if pivot is None else int(naive.arities[pivot])) + int(random.integers(3))
    n_codes = naive.arities[columns].astype(np.int64) + random.integers(0, 3, len(columns))
    n_classes = naive.n_classes if by_class else 1
    out = np.zeros(n_rows * n_classes * int(n_codes.sum()), np.int64)
    packed.packed.pair_tables(-1 if pivot is None else pivot, n_rows, columns, n_codes, n_classes, out)
    first = np.zeros(naive.n_samples, np.int64) if pivot is None else naive.codes(pivot)
    classes = naive.sample_classes if by_class else 0
    at = 0
    for column, width in zip(columns.tolist(), n_codes.tolist(), strict=True):
        cells = n_rows * width * n_classes
        wanted = np.bincount((first * width + naive.codes(column)) * n_classes + classes, minlength=cells)
        compared += equal(out[at : at + cells], wanted)
        at += cells
    return compared


@trial("PackedTable.use", "PackedTable.add", "PackedTable.check", "PackedTable.finish")
def packed_in_batches(random, kernel):
    return sum(some_batches(random, kernel) for _ in range(6))  # the ways of packing are many


def some_batches(random, kernel):
    codes, classes, n_classes, weights = coded_table(random)
    naive = NaiveSource(codes, classes, n_classes=n_classes, weights=weights)
    with mock.patch.dict(os.environ, {ENVIRONMENT_VARIABLE: f"{kernel}:{random.choice(STORAGE_FORMS)}"}):
        batches = PackedBatches(naive.class_sizes, naive.arities)
    batches.use(np.zeros(batches.plane_words, np.uint64), np.zeros(batches.wide_codes, np.uint16))
    ends = np.sort(random.integers(0, len(codes) + 1, random.integers(0, 4))).tolist()
    for first, last in zip([0, *ends], [*ends, len(codes)], strict=True):
        rows = slice(first, last)
        batch = codes[rows]
        if codes.max() < 256 and random.integers(2):
            batch = np.asfortranarray(batch.astype(np.uint8))
            batch = list(batch.T) if random.integers(2) else batch
        batches.add(batch, classes[rows], None if weights is None else weights[rows])
    source, terms = batches.reopen() if random.integers(2) else batches.finish(), terms_of(naive.n_samples, random)
    pivot = int(random.integers(naive.n_features))
    found, wanted = (
        (*sums_of(one).marginal_sums(terms), *sums_of(one).pair_sums(terms, pivot, None, True))
        for one in (source, naive)
    )
    return sum(equal(a, b) for a, b in zip(found, wanted, strict=True))


@trial("expected_terms")
def expected_terms_of_margins(random, kernel):
    n = size(random, 3000)
    terms = terms_of(n, random)
    first, second = random.integers(0, n + 1, random.integers(1, 4)), random.integers(0, n + 1, random.integers(1, 20))
    out = np.empty((len(first), len(second)), np.int64)
    _native.expected_terms(terms.table, terms.shift, n, first, second, out)
    return equal(out, [[expected_term(n, a, b, terms.shift) for b in second.tolist()] for a in first.tolist()])


@trial("ExpectedSums.__init__", "expected_sums")
def sums_of_expected_terms(random, kernel):
    """Each number is that of a node, or a weighted sum of those of four, rounded once."""
    strata = [expected_sums_of_stratum(random) for _ in range(random.integers(1, 4))]
    compared = 0
    for _ in range(3):
        counts = [random.integers(0, n + 1, random.integers(6)) for _, n, _, _ in strata]
        found = np.empty(sum(m for _, _, m, _ in strata), np.int64)
        starts = np.cumsum([0, *map(len, counts)])
        _native.expected_sums([sums for sums, *_ in strata], np.concatenate(counts), starts, found)
        wanted = [by_definition(part) for part, (*_, by_definition) in zip(counts, strata, strict=True)]
        compared += equal(found, np.concatenate(wanted))
    return compared


def expected_sums_of_stratum(random):
    """The sums of a stratum, its samples, how many sums there are, and their definition."""
    n = size(random, 300)
    terms = terms_of(n, random)
    nodes, m = np.unique(random.integers(0, n + 1, 9)), int(random.integers(1, 12))
    stencil, weights = random.integers(0, len(nodes), (4, m)), random.normal(scale=0.02, size=(4, m))
    is_node = random.random(m) < 0.5

    def by_definition(counts):
        expected = [[expected_term(n, a, b, terms.shift) for b in nodes.tolist()] for a in counts.tolist() if a > 1]
        at_nodes = np.sum(np.array(expected, np.int64).reshape(-1, len(nodes)), axis=0)
        interpolated = np.zeros(m)
        for weight, node in zip(weights, stencil, strict=True):
            interpolated = interpolated + weight * at_nodes[node]
        return np.where(is_node, at_nodes[stencil[0]], np.rint(interpolated).astype(np.int64))

    arguments = terms.table, terms.shift, n, nodes, stencil, weights, is_node, int(random.integers(4))
    return _native.ExpectedSums(*arguments), n, m, by_definition


class RandomChance(Chance):
    """A number to be subtracted for every pair, made of random sums of a pivot and the counts of the feature."""

    def __init__(self, random, codes):
        counts = [np.unique(column, return_counts=True)[1] for column in codes.T]
        distinct, self.index_of_distinct = np.unique(np.concatenate(counts), return_inverse=True)
        self.starts = np.cumsum([0, *map(len, counts)])
        self.sums = [
            ChanceSums(random.integers(-(2**40), 2**40, len(distinct)), int(random.integers(2**40))) for _ in codes.T
        ]

    def sums_of_pivot(self, pivot):
        return self.sums[pivot]

    def of_all_features(self, pivot):
        sum_of_count, constant = self.sums[pivot]
        codes = np.split(sum_of_count[self.index_of_distinct], self.starts[1:-1])
        return np.array([int(sums.sum()) + constant for sums in codes])


@trial("LazyMinima.__init__", "LazyMinima.add", "LazyMinima.largest", "LazyMinima.first_at")
def minima(random, kernel):
    codes, classes, n_classes, _ = coded_table(random)
    codes %= 60  # kept as planes
    packed = PackedSource(codes, classes, n_classes=n_classes, kernel=f"{kernel}:planes")
    naive, n = NaiveSource(codes, classes, n_classes=n_classes), codes.shape[1]
    terms = terms_of(naive.n_samples, random)
    form = MinimumFormula(
        start=random.random(n) if random.integers(2) else np.full(n, np.inf),
        pivot_sums=random.integers(-int(terms.per_bit), int(terms.per_bit), n),
        pivot_bits=random.random(n),
        per_bit=terms.per_bit,
        n_smallest=int(random.integers(1, 3)),
        chance=RandomChance(random, codes) if random.integers(2) else None,
    )
    lazy, numbers = packed.fused.minima(terms, form), [form.start, np.full(n, np.inf)]
    pivots, compared = random.permutation(n)[:4].tolist(), 0
    for n_pivots, pivot in enumerate(pivots, 1):
        lazy.add(pivot)
        xy, xyc = Sums(naive).pair_sums(terms, pivot, None, True)
        latest = (xyc - xy + form.pivot_sums[pivot]) / terms.per_bit
        if form.chance is not None:
            latest = latest - form.chance.of_all_features(pivot) / terms.per_bit
        numbers.append(latest + form.pivot_bits[pivot])
        smallest, second = np.sort(numbers, axis=0)[:2]
        scores = smallest if form.n_smallest == 1 or n_pivots == 1 else (smallest + second) / 2
        candidates = random.random(n) < 0.7
        if not candidates.any():
            continue
        # the tie rule: within 1e-10 bits of the best, the lowest column
        bits = np.where(candidates, scores, -np.inf)
        best = int(np.flatnonzero(bits >= bits.max() - TIE)[0])
        compared += equal(lazy.best(candidates), (best, scores[best]))
        # by parts in any order, which leave behind what does not reach what the others have found
        ends = np.unique([0, *random.integers(0, packed.packed.n_simd_groups, 2), packed.packed.n_simd_groups])
        reached = np.full(1, -np.inf)
        for part in random.permutation(len(ends) - 1):
            lazy.native.largest(candidates, int(ends[part]), int(ends[part + 1]), reached)
        compared += equal(lazy.native.first_at(candidates, float(reached[0])), (best, scores[best]))
    return compared


@trial("two_class_terms")
def terms_of_both(random, kernel):
    terms, bits = terms_of(int(random.integers(1, 3000)), random), int(random.integers(1, 8))
    first, second = np.meshgrid(np.arange(2**bits), np.arange(2**bits))
    of = np.vectorize(lambda count: terms.sum(np.array([count])))(np.arange(2 ** (bits + 1)))
    found = _native.two_class_terms(terms.table, terms.shift, bits).reshape(2**bits, -1)
    assert found.shape[1] == 2**bits + 32
    return equal(found[:, : 2**bits], of[first] + of[second] - of[first + second])


@trial("TupleSearch.__init__", "TupleSearch.pairs", "TupleSearch.triples", "TupleSearch.top", "TupleSearch.best")
def tuples(random, kernel):
    codes, classes, n_classes, _ = coded_table(random, 300)
    codes = (codes % random.integers(2, 7))[:, :12]
    if random.integers(2):  # equal values of columns that are counted in another order than they come
        codes = random.permutation(np.column_stack([codes[:, :5], codes[:, :5] + 1]), axis=1)
    source = PackedSource(codes, classes, n_classes=n_classes, kernel=f"{kernel}:planes")
    naive = NaiveSource(codes, classes, n_classes=n_classes)
    compared = 0
    for order in (2, 3):
        asked = order, str(random.choice(STATISTICS)), int(random.choice([0, 1, 5, 39]))
        found, wanted = search_tuples(source, *asked), search_tuples(naive, *asked)
        for name in ("values", "columns", "best", "best_columns"):
            compared += equal(getattr(found, name), getattr(wanted, name))
    return compared


@trial(
    "PackedTable.refine",
    "PackedTable.partition_sums",
    "PackedTable.partition_marginals",
    "PackedTable.degrees_of_freedom",
    "PackedTable.arrange",
)
def partitions(random, kernel):
    packed, naive = both_sources(random, kernel)
    terms, columns = terms_of(naive.n_samples, random), some_columns(random, naive.n_features)
    fast, plain, compared = packed.partition(), naive.partition(), 0
    for feature in random.permutation(naive.n_features)[: random.integers(1, 4)].tolist():
        fast, plain = fast.refine(feature), plain.refine(feature)
        # Parts of one sample add T[1] = 0 to the sums: the engine has dropped them.
        compared += equal(fast.marginal_sums(terms), plain.marginal_sums(terms))
        compared += sum(equal(a, b) for a, b in zip(fast.sums(terms, columns), plain.sums(terms, columns), strict=True))
        one = int(random.choice(columns))
        assert fast.degrees_of_freedom(one) == plain.degrees_of_freedom(one)
        found, wanted = fast.arrangement(one), plain.arrangement(one)
        compared += sum(equal(a, b) for a, b in zip(found, wanted, strict=True)) + 1
    return compared


MASK = 2**64 - 1


def random_numbers(seed):
    """xorshift128+ from two numbers of splitmix64, scaled to 0 .. n - 1 by the high half of a product."""
    state = []
    for place in (1, 2):
        z = (seed + place * 0x9E3779B97F4A7C15) & MASK
        z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ z >> 27) * 0x94D049BB133111EB) & MASK
        state.append(z ^ z >> 31)

    def below(n):
        a, b = state
        a ^= a << 23 & MASK
        state[:] = b, a ^ b ^ a >> 18 ^ b >> 5
        return ((state[1] + b & MASK) >> 32) * n >> 32

    return below


@trial("shuffled_sums")
def shuffles(random, kernel):
    n = size(random, 130)
    codes = random.integers(0, random.choice([1, 2, 9, 500]), n).astype(np.uint16)
    run_ends = np.unique(np.append(random.integers(1, n + 1, 5), n))
    part_ends = np.unique(np.append(random.integers(1, len(run_ends) + 1, 2), len(run_ends)))
    terms, seeds = terms_of(n, random), random.integers(0, 2**63, 3).astype(np.uint64)
    out = np.empty(3, np.int64)
    _native.shuffled_sums(terms.table, terms.shift, codes, run_ends, part_ends, seeds, out)
    wanted = []
    for seed in seeds.tolist():
        drawn, below, first = codes.copy(), random_numbers(seed), 0
        for last in run_ends[part_ends - 1].tolist():
            for t in range(first, last):
                other = t + below(last - t)
                drawn[[t, other]] = drawn[[other, t]]
            first = last
        runs = np.split(drawn, run_ends[:-1])
        wanted.append(sum(term_sum(np.bincount(run), terms.shift) for run in runs))
    return equal(out, wanted)


@trial(
    "SparseCounts.__init__",
    "SparseCounts.with_classes",
    "SparseCounts.column_sums",
    "SparseCounts.sums_by_rows",
    "SparseCounts.sums_by_columns",
    "SparseCounts.sums_cooccurring",
    "SparseCounts.sums_disjoint",
    "SparseCounts.cells",
)
def sparse_counts(random, kernel):
    codes, classes, n_classes, weights = coded_table(random, 200)
    codes[random.random(codes.shape) < random.choice([0.0, 0.6, 0.95])] = 0
    keywords = {"n_classes": n_classes, "weights": weights}
    rooms = []  # in which the codes by row are written

    def room(size, dtype):
        rooms.append(np.empty(size, dtype))
        return rooms[-1]

    with mock.patch.object(sparse_source, "TRANSPOSED_CODES", int(random.choice([1, 20, 10**6]))):
        sparse = SparseSource(replace(sparse_codes(codes), allocate=room), classes, **keywords)
    if random.integers(2):  # the same counts, from those of other classes
        other = SparseSource(sparse.listed, random.permutation(classes), **keywords, relative=sparse)
        sparse = SparseSource(sparse.listed, classes, **keywords, relative=other)
    naive, n = NaiveSource(codes, classes, **keywords), codes.shape[1]
    terms, columns = terms_of(naive.n_samples, random), some_columns(random, n)
    pivot = int(random.integers(n))
    listed = slice(*sparse.listed.start[pivot : pivot + 2])
    row = sparse.listed.row[listed]
    division = Division.of(row, sparse.listed.code[listed], sparse.row_classes[row])
    pooled, within = np.empty((2, n), np.int64)
    sparse.native_counts.column_sums(terms.table, terms.shift, 0, n, pooled, within)
    found = np.empty((4, n), np.int64)
    head = terms.table, terms.shift, *division, pooled, within
    sparse.native_counts.sums_by_rows(*head, 0, n, *found[:2])
    sparse.native_counts.sums_by_columns(*head, np.arange(n), *found[2:])
    wanted = Sums(naive).pair_sums(terms, pivot, None, True)
    compared = equal(found, [*wanted, *wanted])
    by_row = np.repeat(np.arange(len(codes)), sparse.row_lengths)
    compared += equal(rooms[1], codes[by_row, rooms[0]])
    of_column = np.repeat(np.arange(n), sparse.listed.lengths)
    order = np.lexsort((of_column, sparse.listed.row))
    compared += equal(by_row, sparse.listed.row[order]) + equal(rooms[0], of_column[order])
    is_listed = np.array([column != np.bincount(column).argmax() for column in codes.T]).T
    n_listed = int(sparse.row_lengths[row].sum())
    met, sums = np.empty((2, n_listed), np.int64)
    n_met = sparse.native_counts.sums_cooccurring(*head, met, sums)
    met = met[:n_met]
    compared += equal(np.sort(met), np.flatnonzero(is_listed[is_listed[:, pivot]].any(axis=0)))
    compared += equal(sums[:n_met], wanted[0][met])
    apart = np.setdiff1d(np.arange(n), met)
    sums = np.empty(len(apart), np.int64)
    sparse.native_counts.sums_disjoint(*head, apart, sums)
    compared += equal(sums, wanted[0][apart])
    compared += sum(
        equal(a, b) for a, b in zip(sparse.fused.marginal_sums(terms), Sums(naive).marginal_sums(terms), strict=True)
    )
    for one, other in zip(
        sparse.fused.cell_counts(pivot, columns, True), Sums(naive).cell_counts(pivot, columns, True), strict=True
    ):
        compared += sum(equal(np.sort(a[a > 0]), np.sort(b[b > 0])) for a, b in zip(one, other, strict=True))
    return compared
