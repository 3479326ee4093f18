"""Leaf kernels in C++: single-threaded, on blocks, the GIL released. See native/binding.cpp."""

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]

def term_shift(n_samples: int) -> int: ...
def term_table(n_samples: int, limit: int) -> Integers: ...
def sum_terms(counts: Integers, table: Integers, shift: int) -> int: ...
def kernel_names() -> list[str]: ...
def mdl_cuts(
    values: NDArray[np.float64], classes: NDArray[np.int32], n_classes: int, table: Integers, shift: int
) -> NDArray[np.float64]: ...

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
    def pair_table(self, i: int, j: int, out: Integers) -> None: ...
    def unit_of(self, feature: int) -> int: ...
    @property
    def n_units(self) -> int: ...
    @property
    def tallied(self) -> bool: ...
    @property
    def n_words(self) -> int: ...
    @property
    def nbytes(self) -> int: ...
