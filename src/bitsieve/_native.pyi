"""Leaf kernels in C++: single-threaded, on blocks, the GIL released. See native/binding*.cpp."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Doubles = NDArray[np.float64]
Floats = NDArray[np.float32]
Columns = NDArray[Any] | list[NDArray[Any]]
Codes = NDArray[np.uint8] | NDArray[np.uint16]
Index = NDArray[np.int32] | NDArray[np.int64]

def term_shift(n_samples: int) -> int: ...
def term_table(n_samples: int, limit: int) -> Integers: ...
def sum_terms(counts: Integers, table: Integers, shift: int) -> int: ...
def kernel_names() -> list[str]: ...
def extent(columns: Columns, whole: bool) -> tuple[NDArray[np.uint8], NDArray[Any], NDArray[Any]]: ...
def distinct(columns: Columns, low: NDArray[Any], high: NDArray[Any]) -> tuple[NDArray[Any], Integers]: ...
def mdl_cuts(
    columns: Columns,
    classes: NDArray[np.int32],
    n_classes: int,
    table: Integers,
    shift: int,
    weights: Integers | None = None,
) -> tuple[Doubles, Integers]: ...
def dependence_of_codes(
    codes: NDArray[np.int32],
    classes: NDArray[np.int32],
    n_classes: int,
    order: NDArray[np.uint32],
    starts: Integers,
    table: Integers,
    shift: int,
) -> tuple[Integers, Integers]: ...
def dependence_of_cuts(
    columns: Doubles,
    classes: NDArray[np.int32],
    n_classes: int,
    order: NDArray[np.uint32],
    starts: Integers,
    table: Integers,
    shift: int,
    cut_at_median: bool,
) -> tuple[Integers, Integers]: ...
def order_statistic_cuts(
    columns: Columns, n_bins: int, weights: Integers | None = None
) -> tuple[Doubles, Integers]: ...
def stored_mdl_cuts(
    start: Integers,
    row: NDArray[np.int32],
    value: Doubles | Floats,
    first: int,
    last: int,
    classes: NDArray[np.int32],
    n_classes: int,
    table: Integers,
    shift: int,
    weights: Integers | None,
) -> tuple[Doubles, Integers]: ...
def stored_order_cuts(
    start: Integers,
    row: NDArray[np.int32],
    value: Doubles | Floats,
    first: int,
    last: int,
    n_rows: int,
    n_bins: int,
    weights: Integers | None,
) -> tuple[Doubles, Integers]: ...
def stored_distinct(
    start: Integers, row: NDArray[np.int32], value: Doubles | Floats, first: int, last: int
) -> tuple[Doubles, Integers]: ...
def code_stored(
    start: Integers,
    row: NDArray[np.int32],
    value: Doubles | Floats,
    first: int,
    last: int,
    cuts: Doubles,
    ends: Integers,
    left: bool,
    base: Integers,
    missing_code: Integers,
    out: NDArray[np.uint16],
) -> None: ...
def code_categories(
    columns: Columns,
    categories: Integers,
    are_unsigned: bool,
    ends: Integers,
    missing_code: Integers,
    place: Integers,
    out: Codes,
) -> NDArray[np.uint8]: ...
def class_order(classes: NDArray[np.int32], n_classes: int) -> tuple[NDArray[np.uint32], Integers]: ...
def code_dictionaries(
    places: list[NDArray[Any]], rank: NDArray[np.int32], ends: Integers, out: NDArray[np.int32]
) -> NDArray[np.uint8]: ...
def code_by_cuts(
    columns: Columns, cuts: Doubles, ends: Integers, left: bool, missing_code: Integers, place: Integers, out: Codes
) -> None: ...
def difference_distances(kernel: str, tiles: Floats, samples: Integers, out: Floats) -> None: ...
def nearest_samples(
    kernel: str,
    grid: Doubles,
    found: Floats,
    added: Doubles,
    samples: Integers,
    rows: Integers,
    members: Integers,
    tolerance: float,
    out: Integers,
) -> None: ...
def add_weighted_differences(
    kernel: str, numbers: Doubles, spans: Doubles, samples: Integers, others: Integers, weights: Doubles, out: Doubles
) -> None: ...
def spanning_tree(kernel: str, coordinates: Doubles) -> Integers: ...
def cross_edges(
    kernel: str,
    shared_ranks: NDArray[np.uint32],
    shared_values: Doubles,
    shared_sample: Integers,
    last_sample: Integers,
    in_first: Doubles,
    in_second: Doubles,
    ranks: NDArray[np.uint32],
    values: Doubles,
    starts: Integers,
    columns: Integers,
    out: Doubles,
) -> None: ...
def log2(x: float) -> float: ...
def exp2(kernel: str, values: NDArray[np.float64]) -> NDArray[np.float64]: ...
def log2_of_counts(limit: int) -> Doubles: ...
def table_stride_float64(cells: int) -> int: ...
def table_stride_float32(cells: int) -> int: ...
def likelihood_tables(
    kernel: str,
    codes: Codes,
    arities: NDArray[np.int32],
    sizes: Integers,
    log_counts: Doubles,
    chosen: int,
    features: Integers,
    offset: Integers,
    logs: bool,
    cells: Doubles | Floats,
    true_class: Doubles,
) -> None: ...
def naive_sums(
    kernel: str,
    n_samples: int,
    n_classes: int,
    weights: Doubles | Floats,
    log_weights: Doubles,
    start: NDArray[np.int32],
    active: NDArray[np.int32],
    codes: Codes,
    arities: NDArray[np.int32],
    cells: Doubles | Floats,
    offset: Integers,
    features: Integers,
    out: Doubles,
) -> None: ...
def pair_sums_float32(
    kernel: str,
    n_samples: int,
    n_classes: int,
    weights: Doubles | Floats,
    log_weights: Doubles,
    start: NDArray[np.int32],
    active: NDArray[np.int32],
    codes: Codes,
    arities: NDArray[np.int32],
    pending: list[int],
    cells: list[Doubles | Floats],
    offsets: list[Integers],
    exponent: float,
    state: Floats | None,
    features: Integers,
    out: Doubles,
) -> None: ...
def pair_sums_float64(
    kernel: str,
    n_samples: int,
    n_classes: int,
    weights: Doubles | Floats,
    log_weights: Doubles,
    start: NDArray[np.int32],
    active: NDArray[np.int32],
    codes: Codes,
    arities: NDArray[np.int32],
    sizes: Integers,
    log_counts: Doubles,
    given: list[int],
    features: Integers,
    true_class: Doubles,
    out: Doubles,
    state: Doubles | None,
) -> None: ...
def state_sums(
    kernel: str,
    n_samples: int,
    n_classes: int,
    weights: Doubles | Floats,
    log_weights: Doubles,
    start: NDArray[np.int32],
    active: NDArray[np.int32],
    exponent: float,
    state: Doubles,
    out: Doubles,
) -> None: ...
def kernel_sums(
    kernel: str,
    x: NDArray[np.float64],
    sx: float,
    z: NDArray[np.float64] | None,
    sz: float,
    first: int,
    last: int,
    out: NDArray[np.float64],
) -> None: ...
def shuffled_sums(
    table: Integers,
    shift: int,
    codes: NDArray[np.uint16],
    run_ends: Integers,
    part_ends: Integers,
    seeds: NDArray[np.uint64],
    out: Integers,
) -> None: ...
def grid_log_sums(
    kernel: str, x: Doubles, y: Doubles, unit: float, slope: Doubles, scale: Doubles, most_nodes: int, sums: Doubles
) -> None: ...
def joint_log_sums(
    kernel: str, shared: Doubles, own: Doubles, first: int, last: int, start: int, stop: int, logs: Doubles
) -> None: ...
def sparse_column_moments(
    start: Index,
    row: Index,
    value: Doubles | Floats,
    n_samples: int,
    first: int,
    last: int,
    mean: Doubles,
    length: Doubles,
) -> None: ...
def sparse_column_products(
    start: Index,
    row: Index,
    value: Doubles | Floats,
    n_samples: int,
    first: int,
    last: int,
    mean: Doubles,
    length: Doubles,
    weights: Doubles,
    sums: Doubles,
    out: Doubles,
) -> None: ...
def sparse_correlated(
    start: Index,
    row: Index,
    value: Doubles | Floats,
    n_samples: int,
    first: int,
    last: int,
    mean: Doubles,
    length: Doubles,
    chosen_start: Integers,
    chosen_column: Integers,
    chosen_value: Doubles,
    level: Doubles,
    peak: Doubles,
    least: float,
) -> tuple[Integers, Integers, Doubles]: ...

class Packed:
    def __init__(
        self,
        class_sizes: Integers,
        order: NDArray[np.uint32],
        arities: NDArray[np.int32],
        kernel: str,
        storage: str,
        elsewhere: bool = False,
    ) -> None: ...
    @property
    def plane_words(self) -> int: ...
    @property
    def wide_codes(self) -> int: ...
    @property
    def margins(self) -> NDArray[np.uint32]: ...
    def use(self, planes: NDArray[np.uint64], wide: NDArray[np.uint16]) -> None: ...
    def pack(self, codes: NDArray[np.uint8] | NDArray[np.uint16], first: int, last: int) -> None: ...
    def add(
        self,
        codes: NDArray[np.uint8] | NDArray[np.uint16] | list[NDArray[np.uint8]],
        order: NDArray[np.uint32],
        sizes: Integers,
        before: Integers,
        first: int,
        last: int,
    ) -> None: ...
    def check(self, first: int, last: int) -> None: ...
    def finish(self, first: int, last: int) -> None: ...
    def row_sums(
        self, table: Integers, shift: int, pivot: int, groups: Integers, xy: Integers, xyc: Integers | None
    ) -> None: ...
    def matrix_block(
        self,
        table: Integers,
        shift: int,
        xy_sign: int,
        xyc_sign: int,
        row: Integers,
        column: Integers,
        one_bit: float,
        symmetric: bool,
        block: list[int],
        place: Integers,
        out: NDArray[np.floating],
    ) -> None: ...
    def pair_cells(self, pivot: int, columns: Integers, xy: Integers, xyc: Integers | None) -> None: ...
    def pair_tables(
        self, pivot: int, n_rows: int, columns: Integers, n_codes: Integers, n_classes: int, out: Integers
    ) -> None: ...
    def matrix_rows(
        self,
        table: Integers,
        shift: int,
        xy_sign: int,
        xyc_sign: int,
        row: Integers,
        column: Integers,
        one_bit: float,
        symmetric: bool,
        pivots: Integers,
        groups: Integers,
        place: Integers,
        out: NDArray[np.floating],
    ) -> None: ...
    def codes(self, feature: int, out: NDArray[np.uint16]) -> None: ...
    def refine(
        self, order: NDArray[np.uint32], starts: Integers, feature: int
    ) -> tuple[NDArray[np.uint32], Integers]: ...
    def partition_sums(
        self,
        table: Integers,
        shift: int,
        order: NDArray[np.uint32],
        starts: Integers,
        groups: Integers,
        xz: Integers,
        xzc: Integers,
    ) -> None: ...
    def partition_marginals(
        self, table: Integers, shift: int, order: NDArray[np.uint32], starts: Integers
    ) -> tuple[int, int]: ...
    def degrees_of_freedom(self, order: NDArray[np.uint32], starts: Integers, feature: int) -> int: ...
    def arrange(
        self, order: NDArray[np.uint32], starts: Integers, feature: int
    ) -> tuple[NDArray[np.uint16], Integers, Integers]: ...
    def gathered(self, features: Integers) -> Packed: ...
    def simd_groups(self) -> Integers: ...
    @property
    def n_simd_groups(self) -> int: ...
    @property
    def all_planes(self) -> bool: ...
    @property
    def uses_counters(self) -> bool: ...
    @property
    def nbytes(self) -> int: ...

class Minima:
    def __init__(
        self, packed: Packed, table: Integers, shift: int, start: Integers, one_bit: float, tie: float
    ) -> None: ...
    def add(self, feature: int, offset: int) -> None: ...
    def largest(self, candidates: NDArray[np.bool_], first: int, last: int) -> int: ...
    def first_at(self, candidates: NDArray[np.bool_], largest: int) -> tuple[int, int]: ...

class SparseCounts:
    def __init__(
        self,
        start: Integers,
        row: NDArray[np.int32],
        code: NDArray[np.uint16],
        classes: NDArray[np.int32],
        n_classes: int,
        weights: NDArray[np.uint32] | None,
        row_start: Integers,
        listed_column: NDArray[np.int32],
        listed_code: NDArray[np.uint16],
        block: int,
    ) -> None: ...
    def own_sums(
        self, table: Integers, shift: int, first: int, last: int, pooled: Integers, within: Integers
    ) -> None: ...
    def sums_by_rows(
        self,
        table: Integers,
        shift: int,
        row: NDArray[np.int32],
        label: NDArray[np.int32],
        part_of: NDArray[np.int32],
        class_of: NDArray[np.int32],
        own: Integers,
        own_within: Integers,
        first: int,
        last: int,
        xy: Integers,
        xyc: Integers | None,
    ) -> None: ...
    def sums_by_columns(
        self,
        table: Integers,
        shift: int,
        row: NDArray[np.int32],
        label: NDArray[np.int32],
        part_of: NDArray[np.int32],
        class_of: NDArray[np.int32],
        own: Integers,
        own_within: Integers,
        columns: Integers,
        xy: Integers,
        xyc: Integers | None,
    ) -> None: ...
    def sums_met(
        self,
        table: Integers,
        shift: int,
        row: NDArray[np.int32],
        label: NDArray[np.int32],
        part_of: NDArray[np.int32],
        class_of: NDArray[np.int32],
        own: Integers,
        own_within: Integers,
        columns: Integers,
        xy: Integers,
        /,
    ) -> int: ...
    def sums_apart(
        self,
        table: Integers,
        shift: int,
        row: NDArray[np.int32],
        label: NDArray[np.int32],
        part_of: NDArray[np.int32],
        class_of: NDArray[np.int32],
        own: Integers,
        own_within: Integers,
        columns: Integers,
        xy: Integers,
        /,
    ) -> None: ...
    def cells(
        self,
        row: NDArray[np.int32],
        label: NDArray[np.int32],
        part_of: NDArray[np.int32],
        class_of: NDArray[np.int32],
        columns: Integers,
        xy: Integers,
        xyc: Integers | None,
    ) -> None: ...
