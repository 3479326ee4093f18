"""Every entry point of the extension, and arguments with which it works: what the tests of wrong ones begin from."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve import _native

if TYPE_CHECKING:
    from collections.abc import Callable

N, D, C, ARITY, BLOCKS = 21, 11, 3, 4, 3
GUARD = 64

random = np.random.default_rng(0)
kernel = _native.kernel_names()[0]
class_sizes = np.array([8, 9, 4])
codes = np.asfortranarray(random.integers(0, ARITY, (24, D)).astype(np.uint8))
codes[:ARITY] = np.arange(ARITY)[:, None]
codes[N:] = 0
arities = np.full(D, ARITY, np.int32)
features = np.arange(D)
table, shift = _native.term_table(N, N + 1), _native.term_shift(N)
order = np.arange(N, dtype=np.uint32)
samples = np.arange(N)
in_first = samples % 2 * 1.0
starts = np.array([0, 9, N])
seeds = np.arange(5, dtype=np.uint64)
points = np.unique(random.integers(0, 9, (40, 2)) * 1.0, axis=0)


def output(*shape: int, dtype: type = np.int64) -> np.ndarray:
    """Zeros between guards, which are there to be found unharmed."""
    size = int(np.prod(shape))
    held = np.full(size + 2 * GUARD, 77, dtype)
    held[GUARD:-GUARD] = 0
    return held[GUARD:-GUARD].reshape(shape)


def packed(form: str = "cheapest", fill: bool = True) -> _native.PackedTable:
    made = _native.PackedTable(class_sizes, order, arities, kernel, form)
    if fill:
        made.pack(codes, 0, made.n_simd_groups)
    return made


def owners(name: str) -> list[Any]:
    """Objects of a class of the extension."""
    if name == "PackedTable":
        return [packed(kind) for kind in ("planes", "counters", "table")]
    if name == "SparseCounts":
        return [sparse_counts()]
    if name == "TupleSearch":
        return [_native.TupleSearch(packed("planes"), table, shift, np.empty(0, np.int64), 4, "gain", 5)]
    if name in ("CodedVariables", "Strata", "VariableInStrata", "IndependenceCounter"):
        return [within_strata()[name]]
    made = _native.LazyMinima(*minima_of_pairs())
    made.add(2, 0, 0.0, np.arange(3), 1)
    made.largest(np.ones(D, bool), 0, 2, np.full(1, -np.inf))
    return [made]


def within_strata() -> dict[str, Any]:
    """Objects that test variables within strata."""
    variables = _native.CodedVariables(np.ascontiguousarray(codes[:N].T.astype(np.uint16)), np.full(D, ARITY))
    strata = variables.refined(0, _native.Strata(variables))
    return {
        "CodedVariables": variables,
        "Strata": strata,
        "VariableInStrata": _native.VariableInStrata(variables, 1, strata),
        "IndependenceCounter": _native.IndependenceCounter(table, shift),
    }


def expected_sums() -> tuple[Any, ...]:
    """Sums of expected terms with five counts, by cubics through four nodes."""
    return table, shift, N, np.arange(4), np.arange(20).reshape(4, 5) % 4, np.ones((4, 5)), np.arange(5) < 4, 2


def minima_of_pairs() -> tuple[Any, ...]:
    """Minima of numbers that are corrected for chance; each feature has two codes, of three distinct counts."""
    start = np.zeros(D)
    code_starts = 2 * np.arange(D + 1)
    code_index = np.arange(2 * D) % 3
    return packed("planes"), table, shift, start, 2, code_starts, code_index, 1.0, 1e-10


def weighted(dtype: type) -> tuple[Any, ...]:
    weights = np.full(BLOCKS * C * 8, 1 / C, dtype)
    active = np.tile(np.arange(C, dtype=np.int32), BLOCKS)
    ends = np.arange(0, BLOCKS * C + 1, C, dtype=np.int32)
    return kernel, N, C, weights, np.log2(weights.astype(float)), ends, active


def pair_tables(dtype: type, rows: int) -> tuple[np.ndarray, np.ndarray]:
    stride = (_native.table_stride_float32 if dtype == np.float32 else _native.table_stride_float64)(rows * ARITY)
    return np.full(stride * C * D, 0.5, dtype), np.arange(D) * stride * C


def form() -> tuple[Any, ...]:
    return table, shift, 1, 1, np.zeros(D, np.int64), np.zeros(D, np.int64), 1.0, True


def values(kind: Any) -> Any:
    return np.add.outer(np.arange(N), np.arange(D)).astype(kind) % N


single, double = np.float32, np.float64
logs = np.log2(np.arange(1, N + 2))
heights = random.normal(size=(3, N))
# Four sparse columns by column, and two of them by row.
by_column = (np.array([0, 3, 3, 5, 9]), np.array([1, 4, 9, 0, 20, 2, 3, 7, 11]), np.arange(1.0, 10.0))
by_row = (np.minimum(np.arange(N + 1), 5), np.array([0, 1, 1, 0, 1]), np.ones(5))
# Three sparse columns of codes of six rows in two classes, and a division of the rows 1, 3 and 4 into two parts.
listed = (np.array([0, 2, 2, 5]), np.array([1, 3, 0, 3, 4], np.int32), np.array([1, 2, 1, 1, 3], np.uint16))
row_classes = np.array([0, 1, 0, 0, 1, 1], np.int32)
division = tuple(np.array(part, np.int32) for part in ([1, 3, 4], [1, 0, 2], [0, 0, 1], [0, 1, 1]))
own = (np.zeros(3, np.int64), np.zeros(3, np.int64))


def stored(kind: type) -> tuple[np.ndarray, ...]:
    """The same columns as numbers."""
    return (*listed[:2], listed[2].astype(kind))


def sparse_counts() -> _native.SparseCounts:
    return _native.SparseCounts(*listed, row_classes, 2, None, *by_row_room(), 3)


def by_row_room() -> tuple[np.ndarray, ...]:
    """Room for the five codes by row."""
    return output(7), output(5, dtype=np.int32), output(5, dtype=np.uint16)


def moments() -> tuple[np.ndarray, np.ndarray]:
    """Means and lengths of the four sparse columns."""
    mean, length = output(4, dtype=float), output(4, dtype=float)
    _native.sparse_column_moments(*by_column, N, 0, 4, mean, length)
    return mean, length


GOOD: dict[str, list[Callable[[], tuple[Any, ...]]]] = {
    "term_shift": [lambda: (N,)],
    "term_table": [lambda: (N, N + 1)],
    "sum_terms": [lambda: (np.arange(N), table, shift)],
    "expected_terms": [lambda: (table, shift, N, np.arange(N + 1), np.arange(3), output(N + 1, 3))],
    "ExpectedSums.__init__": [expected_sums],
    "expected_sums": [
        lambda: ([_native.ExpectedSums(*expected_sums()) for _ in range(2)], np.arange(N + 1), np.array([0, 2, N + 1]),
                 output(10))
    ],
    "extent": [lambda kind=kind: (values(kind), True) for kind in (np.uint8, np.int32, single, double)],
    "as_bytes": [
        lambda kind=kind: (values(kind), output(D, N, dtype=np.uint8).T)
        for kind in (np.uint8, np.int32, single, double)
    ],
    "distinct": [
        lambda kind=kind, wide=wide: (values(kind), np.zeros(D, wide), np.full(D, N, wide))
        for kind, wide in ((np.uint8, np.uint8), (np.int32, np.int32), (single, double))
    ],
    "mdl_cuts": [
        lambda weights=weights: (values(double), np.arange(2 * N, dtype=np.int32).reshape(2, N) % C, C, table, shift,
                                 weights)
        for weights in (None, np.ones(N, np.int64))
    ],
    "rank_sums": [
        lambda weights=weights: (list(values(double).T.copy()), np.arange(N, dtype=np.int32) % C, C, weights)
        for weights in (None, np.ones(N, np.int64))
    ],
    "shuffle_classes": [
        lambda: (np.arange(N, dtype=np.int32) % C, np.arange(N, dtype=np.uint32), np.array([0, 2, N]),
                 seeds, output(5, N, dtype=np.int32))
    ],
    "dependence_of_codes": [
        lambda: (np.arange(N, dtype=np.int32) % 3, np.arange(2 * N, dtype=np.int32).reshape(2, N) % C, C,
                 np.arange(N, dtype=np.uint32), np.array([0, 2, N]), table, shift)
    ],
    "dependence_of_cuts": [
        lambda: (np.asfortranarray(values(double)), np.arange(2 * N, dtype=np.int32).reshape(2, N) % C, C,
                 np.arange(N, dtype=np.uint32), np.array([0, 2, N]), table, shift, True)
    ],
    "best_division": [
        lambda trend=trend: (np.arange(1, 8), np.arange(8, 1, -1), 40, 50, trend, "iv", 1.0, 0.0, 1, 4, 2, 90, 1, 1, 0)
        for trend in ("ascending", "peak", "none")
    ],
    "division_bounds": [
        lambda trend=trend: (np.arange(1, 15).reshape(2, 7), np.arange(14, 0, -1).reshape(2, 7), 80, 80, trend, "iv",
                             1.0, 0.0, 1, 4, 2, 90, 1, 1, 0)
        for trend in ("valley", "none")
    ],
    "pre_bins": [
        lambda: (np.arange(9, dtype=np.uint64), None, False, 3, 20, 20, 4, True),
        lambda: (np.arange(9, dtype=np.uint64), np.ones(9, np.int64), True, 0, 9, 2, 4, True),
    ],
    "hull_vertices": [lambda: (np.arange(1, 8), np.arange(8, 1, -1))],
    "hull_information_value": [lambda: (np.arange(1, 8), np.arange(8, 1, -1), 40, 50, 1.0)],
    "count_reaching": [lambda: (np.arange(9.0), np.arange(9) % 4 > 0, np.array([2.0, 5.0]))],
    "place_keys": [
        lambda: (np.arange(9.0), np.arange(9) % 3 == 1, np.arange(9) % 4 > 0, None, np.array([2.0, 5.0]),
                 np.array([0, 1, 3, 6]), np.array([1, 3, 6, 9]), output(9, dtype=np.uint64), None),
        lambda: (np.arange(9.0), np.arange(9) % 3 == 1, np.ones(9, bool), np.ones(9, np.int64), np.array([2.0]),
                 np.array([0, 2, 9]), np.array([2, 9, 9]), output(9, dtype=np.uint64), output(9)),
    ],
    "order_statistic_cuts": [lambda: (values(single), 4, None), lambda: (values(double), 4, np.ones(N, np.int64))],
    "code_categories": [
        lambda kind=kind: (values(kind), np.tile(np.arange(N), D), False, N * np.arange(1, D + 1),
                           np.zeros(D, np.int64), np.arange(D), np.zeros((N, D), np.uint16, order="F"))
        for kind in (np.int32, double)
    ],
    "class_order": [lambda: (np.arange(N, dtype=np.int32) % C, C)],
    "code_dictionaries": [
        lambda kind=kind: ([codes[:N, j].astype(kind) for j in range(D)], np.tile(np.arange(ARITY, dtype=np.int32), D),
                           ARITY * np.arange(1, D + 1), np.zeros((N, D), np.int32, order="F"))
        for kind in (np.int8, np.uint64)
    ],
    "code_by_cuts": [
        lambda kind=kind: (kernel, values(kind), np.tile(np.arange(3.0), D), 3 * np.arange(1, D + 1), True,
                           np.zeros(D, np.int64), np.arange(D), np.zeros((N, D), np.uint8, order="F"))
        for kind in (np.uint8, double)
    ],
    "kernel_names": [lambda: ()],
    "log2": [lambda: (3.0,)],
    "exp2": [lambda: (kernel, -np.arange(N) * 1.0)],
    "sparse_column_moments": [lambda: (*by_column, N, 0, 4, output(4, dtype=float), output(4, dtype=float))],
    "sparse_column_products": [
        lambda: (*by_column, N, 0, 4, *moments(), np.ones((N, 2)), np.full(2, N * 1.0), output(4, 2, dtype=float)),
    ],
    "sparse_correlated": [
        lambda: (*by_column, N, 0, 4, *moments(), *by_row, np.zeros(2), np.ones(2), 0.25),
    ],
    "grid_log_sums": [
        lambda: (kernel, heights[0], heights[1:], 0.5, np.ones(2), np.ones(2), 4096, output(2, dtype=float)),
    ],
    "joint_log_sums": [lambda: (kernel, heights[:1], heights[1:], 0, 9, 0, N, output(2, N, dtype=float))],
    "log2_of_counts": [lambda: (N,)],
    "log2_of_each": [lambda: (np.arange(1.0, 4.0),), lambda: (np.empty(0),)],
    "table_stride_float64": [lambda: (ARITY,)],
    "table_stride_float32": [lambda: (ARITY,)],
    "likelihood_tables": [
        lambda: (kernel, codes, arities, class_sizes, logs, 1, features, pair_tables(double, ARITY)[1], True,
                 output(len(pair_tables(double, ARITY)[0]), dtype=double), output(D, dtype=double)),
        lambda: (kernel, codes.astype(np.uint16), arities, class_sizes, logs, -1, features, pair_tables(single, 1)[1],
                 False, output(len(pair_tables(single, 1)[0]), dtype=single), output(D, dtype=double)),
    ],
    "naive_sums": [
        lambda real=real: (*weighted(real), codes, arities, *pair_tables(real, 1), features, output(D, dtype=double))
        for real in (single, double)
    ],
    "pair_sums_float32": [
        lambda state=state: (*weighted(single), codes, arities, [2], [pair_tables(single, ARITY)[0]],
                             [pair_tables(single, ARITY)[1]], 1.0, state(), features, output(D, dtype=double))
        for state in (lambda: None, lambda: output(D * BLOCKS * C * 8, dtype=single))
    ],
    "pair_sums_float64": [
        lambda: (*weighted(double), codes, arities, class_sizes, logs, [2, 3], features, output(D, dtype=double),
                 output(D, dtype=double), None),
        lambda: (*weighted(double), codes, arities, class_sizes, logs, [2], features[:1], output(D, dtype=double),
                 output(1, dtype=double), output(BLOCKS * C * 8, dtype=double)),
    ],
    "state_sums": [lambda: (*weighted(double), 1.0, output(BLOCKS * C * 8, dtype=double), output(1, dtype=double))],
    "log_kernel_sums": [
        lambda: (kernel, np.arange(N) * 1.0, 1.0, None, 1.0, 2, 9, output(N, dtype=double)),
        lambda: (kernel, np.arange(N) * 1.0, 1.0, np.arange(N) * 1.0, 1.0, 2, 9, output(N, dtype=double)),
    ],
    "difference_distances": [
        lambda: (kernel, np.ones((2, 5, 64), single), np.arange(9), output(9, 128, dtype=single)),
    ],
    "nearest_samples": [
        lambda: (kernel, np.ones((N, 5)), np.zeros((3, 64), single), np.zeros((3, N)), np.array([0, 4, 7]),
                 np.array([2, 0]), samples, 1e-9, output(2, 4)),
        lambda: (kernel, np.ones((N, 0)), np.zeros((3, 0), single), np.zeros((3, N)), np.array([0, 4, 7]),
                 np.array([2, 0]), samples[::2].copy(), 1e-9, output(2, 4)),
    ],
    "add_weighted_differences": [
        lambda: (kernel, np.ones((N, 11)), np.ones(11), np.arange(3), np.zeros((3, 4), np.int64), np.ones((3, 4)),
                 output(11, dtype=double)),
    ],
    "infection_step": [lambda: (np.full(N, 1 / N), np.arange(N) * 1.0, 1e-9)],
    "infect": [lambda: (output(N, dtype=double), output(N, dtype=double), 3, 0.5, False, np.ones(N))],
    "spanning_tree": [
        lambda: (kernel, np.sort(random.random((1, 9)))),
        lambda: (kernel, np.ascontiguousarray(points.T)),
    ],
    "cross_edges": [
        lambda: (kernel, order, samples[None] * 1.0, samples, samples[::-1].copy(), in_first, 1.0 - in_first,
                 np.tile(order, (3, 1)), np.tile(samples * 1.0, 3), np.arange(4) * N, np.array([0, 2]),
                 output(2, dtype=double)),
    ],
    "PackedTable.__init__": [lambda: (class_sizes, order, arities, kernel, "planes")],
    "PackedTable.pack": [lambda: (codes, 0, 2), lambda: (codes.astype(np.uint16), 0, 2)],
    "PackedTable.use": [lambda: (output(N * D * ARITY, dtype=np.uint64), output(N * D, dtype=np.uint16))],
    "PackedTable.add": [
        lambda given=given: (given, np.arange(9, dtype=np.uint32), np.array([4, 5, 0]), np.array([4, 0, 3]), 0, 2)
        for given in (codes, codes.astype(np.uint16), list(codes.T))
    ],
    "PackedTable.check": [lambda: (0, 2)],
    "PackedTable.finish": [lambda: (0, 2)],
    "PackedTable.row_sums": [lambda: (table, shift, 1, np.arange(2), output(D), output(D))],
    "row_sums_within_strata": [
        lambda: (packed("planes"), table, shift, np.array([0, 2, 3]), 1, np.arange(2), output(D), output(D)),
        lambda: (packed("planes"), table, shift, np.arange(4), -1, np.arange(2), output(D), None),
    ],
    "PackedTable.matrix_block": [
        lambda real=real: (*form(), [0, 2, 0, 2], np.arange(D), output(D, D, dtype=real)) for real in (single, double)
    ],
    "PackedTable.matrix_rows": [
        lambda dtype=dtype: (*form(), np.arange(3), np.arange(2), np.arange(D), output(3, D, dtype=dtype))
        for dtype in (single, double)
    ],
    "PackedTable.pair_cells": [
        lambda: (1, features, output(D, 64 * 64), output(D, N)),
        lambda: (-1, features, output(D, 64), None),
    ],
    "PackedTable.pair_tables": [
        lambda: (1, ARITY + 1, features, features + ARITY, C, output((ARITY + 1) * C * int((features + ARITY).sum()))),
        lambda: (-1, 1, features[:2], np.array([ARITY, ARITY]), 1, output(2 * ARITY)),
    ],
    "PackedTable.weighted_tables": [
        lambda: (np.arange(N, dtype=np.uint64) << 50, 1, features, np.arange(ARITY * D), output(ARITY * ARITY * D)),
        lambda: (np.arange(N, dtype=np.uint64), -1, features[:2], None, output(2 * ARITY)),
    ],
    "PackedTable.codes": [lambda: (2, output(N, dtype=np.uint16))],
    "PackedTable.simd_groups": [lambda: ()],
    "PackedTable.gathered": [lambda: (np.array([2, 0, 5]),)],
    "LazyMinima.__init__": [minima_of_pairs],
    "LazyMinima.add": [lambda: (1, 0, 0.0, np.arange(3), 1), lambda: (1, 0, 0.0, np.empty(0, np.int64), 0)],
    "LazyMinima.largest": [lambda: (np.ones(D, bool), 0, 2, output(1, dtype=float))],
    "LazyMinima.first_at": [lambda: (np.ones(D, bool), -1e300)],
    "PackedTable.refine": [lambda: (order, starts, 1)],
    "PackedTable.partition_sums": [lambda: (table, shift, order, starts, np.arange(2), output(D), output(D))],
    "PackedTable.partition_marginals": [lambda: (table, shift, order, starts)],
    "PackedTable.degrees_of_freedom": [lambda: (order, starts, 1)],
    "PackedTable.arrange": [lambda: (order, starts, 1)],
    "stored_mdl_cuts": [
        lambda kind=kind, weights=weights: (*stored(kind), 0, 3, row_classes, 2, table, shift, weights)
        for kind in (single, double) for weights in (None, np.arange(1, 7))
    ],
    "stored_order_cuts": [
        lambda kind=kind, weights=weights: (*stored(kind), 0, 3, 6, 2, weights)
        for kind in (single, double) for weights in (None, np.arange(1, 7))
    ],
    "stored_distinct": [lambda kind=kind: (*stored(kind), 0, 3) for kind in (single, double)],
    "code_stored": [
        lambda kind=kind: (*stored(kind), 0, 3, np.array([1.5, 2.5]), np.array([1, 1, 2]), True, np.ones(3, np.int64),
                           np.full(3, 2), output(5, dtype=np.uint16))
        for kind in (single, double)
    ],
    "SparseCounts.__init__": [
        lambda: (*listed, row_classes, 2, None, *by_row_room(), 3),
        lambda: (*listed, row_classes, 2, np.arange(1, 7, dtype=np.uint32), *by_row_room(), 100),
    ],
    "SparseCounts.with_classes": [lambda: (1 - row_classes, 2)],
    "SparseCounts.column_sums": [lambda: (table, shift, 0, 3, output(3), output(3))],
    "SparseCounts.sums_by_rows": [lambda: (table, shift, *division, *own, 0, 3, output(3), output(3))],
    "SparseCounts.sums_by_columns": [
        lambda: (table, shift, *division, *own, np.array([2, 0]), output(2), output(2)),
        lambda: (table, shift, *division, *own, np.array([2, 0]), output(2), None),
    ],
    "SparseCounts.sums_cooccurring": [lambda: (table, shift, *division, *own, output(4), output(4))],
    "SparseCounts.sums_disjoint": [lambda: (table, shift, *division, *own, np.array([2, 0]), output(2))],
    "SparseCounts.cells": [lambda: (*division, np.arange(3), output(3, 12), output(3, 12))],
    "CodedVariables.__init__": [lambda: (np.arange(2 * N, dtype=np.uint16).reshape(2, N) % ARITY, np.full(2, ARITY))],
    "Strata.__init__": [lambda: (within_strata()["CodedVariables"],)],
    "CodedVariables.refined": [lambda: (2, within_strata()["Strata"])],
    "VariableInStrata.__init__": [lambda: (within_strata()["CodedVariables"], 1, within_strata()["Strata"])],
    "IndependenceCounter.__init__": [lambda: (table, shift)],
    "IndependenceCounter.of_variables": [
        lambda: (within_strata()["VariableInStrata"], within_strata()["CodedVariables"], np.array([3, 2]), True, True)
    ],
    "IndependenceCounter.of_table": [lambda: (np.arange(0, 20, 2), np.arange(1, 11), 2, ARITY, True, True)],
    "two_class_terms": [lambda: (table, shift, 3)],
    "TupleSearch.__init__": [
        lambda: (packed("planes"), table, shift, np.empty(0, np.int64), 4, "synergy", 5),
    ],
    "TupleSearch.pairs": [lambda: (0, 2, 0, 2)],
    "TupleSearch.triples": [lambda: (0, 1, 0, 2)],
    "TupleSearch.top": [lambda: ()],
    "TupleSearch.best": [lambda: ()],
    "shuffled_sums": [
        lambda: (table, shift, codes[:N, 0].astype(np.uint16), np.array([8, 17, N]), np.array([1, 3]), seeds, output(5))
    ],
}  # fmt: skip


def entry_points() -> dict[str, Any]:
    """Functions of the extension and methods of its classes, by name."""
    found = {}
    for name, thing in vars(_native).items():
        if inspect.isclass(thing):
            methods = {key: value for key, value in vars(thing).items() if callable(value)}
            found |= {f"{name}.{key}": value for key, value in methods.items() if key == "__init__" or key[0] != "_"}
        elif callable(thing) and name[0] != "_":
            found[name] = thing
    return found
