"""Leaf kernels in C++: single-threaded, on blocks, the GIL released. See native/binding.cpp."""

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]

def term_shift(n_samples: int) -> int: ...
def term_table(n_samples: int, limit: int) -> Integers: ...
def sum_terms(counts: Integers, table: Integers, shift: int) -> int: ...
def kernel_names() -> list[str]: ...
def mdl_cuts(
    values: NDArray[np.float64],
    classes: NDArray[np.int32],
    n_classes: int,
    table: Integers,
    shift: int,
    weights: Integers | None = None,
) -> NDArray[np.float64]: ...
def log2(x: float) -> float: ...
def exp2(kernel: str, values: NDArray[np.float64]) -> NDArray[np.float64]: ...
def table_stride(cells: int) -> int: ...
def likelihood_tables(
    codes: NDArray[np.uint8] | NDArray[np.uint16],
    arities: NDArray[np.int32],
    class_sizes: Integers,
    chosen: int,
    first: int,
    last: int,
    offset: Integers,
    logs: bool,
    cells: NDArray[np.float64],
    own: NDArray[np.float64],
) -> None: ...
def naive_sums(
    kernel: str,
    n_samples: int,
    n_classes: int,
    weights: NDArray[np.float64],
    log_weights: NDArray[np.float64],
    start: NDArray[np.int32],
    active: NDArray[np.int32],
    codes: NDArray[np.uint8] | NDArray[np.uint16],
    arities: NDArray[np.int32],
    cells: NDArray[np.float64],
    offset: Integers,
    features: Integers,
    out: NDArray[np.float64],
) -> None: ...
def power_sums(
    kernel: str,
    n_samples: int,
    n_classes: int,
    weights: NDArray[np.float64],
    log_weights: NDArray[np.float64],
    start: NDArray[np.int32],
    active: NDArray[np.int32],
    codes: NDArray[np.uint8] | NDArray[np.uint16],
    arities: NDArray[np.int32],
    pending: list[int],
    cells: list[NDArray[np.float64]],
    offsets: list[Integers],
    exponent: float,
    state: NDArray[np.float64] | None,
    store: bool,
    features: Integers,
    out: NDArray[np.float64],
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

class Packed:
    def __init__(
        self,
        class_sizes: Integers,
        order: NDArray[np.uint32],
        arities: NDArray[np.int32],
        kernel: str,
        table_only: bool,
    ) -> None: ...
    def pack(self, codes: NDArray[np.uint8] | NDArray[np.uint16], first: int, last: int) -> None: ...
    def row_sums(
        self, table: Integers, shift: int, pivot: int, units: Integers, xy: Integers, xyc: Integers | None
    ) -> None: ...
    def matrix_block(
        self,
        table: Integers,
        shift: int,
        xy_sign: int,
        xyc_sign: int,
        row: Integers,
        column: Integers,
        unit: float,
        symmetric: bool,
        block: list[int],
        place: Integers,
        out: NDArray[np.floating],
    ) -> None: ...
    def pair_cells(self, pivot: int, columns: Integers, xy: Integers, xyc: Integers | None) -> None: ...
    def matrix_rows(
        self,
        table: Integers,
        shift: int,
        xy_sign: int,
        xyc_sign: int,
        row: Integers,
        column: Integers,
        unit: float,
        symmetric: bool,
        pivots: Integers,
        units: Integers,
        place: Integers,
        out: NDArray[np.floating],
    ) -> None: ...
    def pair_table(self, i: int, j: int, out: Integers) -> None: ...
    def codes(self, feature: int, out: NDArray[np.uint16]) -> None: ...
    def refine(
        self, order: NDArray[np.uint32], starts: Integers, feature: int
    ) -> tuple[NDArray[np.uint32], Integers]: ...
    def stratum_sums(
        self,
        table: Integers,
        shift: int,
        order: NDArray[np.uint32],
        starts: Integers,
        units: Integers,
        xz: Integers,
        xzc: Integers,
    ) -> None: ...
    def strata_alone(
        self, table: Integers, shift: int, order: NDArray[np.uint32], starts: Integers
    ) -> tuple[int, int]: ...
    def degrees_of_freedom(self, order: NDArray[np.uint32], starts: Integers, feature: int) -> int: ...
    def shuffled_sums(
        self,
        table: Integers,
        shift: int,
        order: NDArray[np.uint32],
        starts: Integers,
        feature: int,
        seeds: NDArray[np.uint64],
        out: Integers,
    ) -> None: ...
    def unit_of(self, feature: int) -> int: ...
    @property
    def n_units(self) -> int: ...
    @property
    def tallied(self) -> bool: ...
    @property
    def n_words(self) -> int: ...
    @property
    def nbytes(self) -> int: ...
