"""The integers of every counting kernel of this machine against brute force.

    python -m benchmarks.brute_force [MILLIONS] [SEED]

compares at least so many millions of integers (1,000), of random tables, and keeps how many they were for each kernel
and form of storage. It ends with an error at the first integer that differs.

Brute force is the definition by matrices: with H the matrix of zeros and ones that has a column for each code of each
feature, and H_c its rows of class c, all tables of all pairs of features within class c are the blocks of H_c' H_c. The
products are exact: every number in them is at most the number of samples, far below 2^53.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from benchmarks import results
from bitsieve import _native
from bitsieve.counts.kernels import STORAGE_FORMS, TABLE
from bitsieve.counts.packed import PackedSource, dense_cells
from bitsieve.counts.reference import term, term_shift
from bitsieve.counts.tables import EntropyTerms

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

KERNELS = [*(f"{name}:{form}" for name in _native.kernel_names() for form in STORAGE_FORMS), TABLE]
N_SAMPLES = (1, 7, 63, 64, 65, 127, 129, 500, 511, 513, 2000, 4097)  # at the edges of words and of vectors
MAX_ARITIES = (2, 3, 4, 10, 11, 64, 65)  # at the edges of the forms of storage
MAX_CODES = 700  # of all features of a table: with 17 classes its cells take 67 MB


@dataclass(frozen=True)
class RandomTable:
    """Codes and classes, and all that is counted of them by brute force."""

    codes: NDArray[np.uint8]
    classes: NDArray[np.int64]
    n_classes: int
    entropy_terms: EntropyTerms
    widths: NDArray[np.int64]  # the number of codes of each feature
    cells: list[NDArray[np.int64]]  # of each feature: its tables with every feature by class, one after the other
    pooled_sums: NDArray[np.int64]  # shape (n features, n features): the entropy terms of each pooled table
    class_sums: NDArray[np.int64]  # of each table within the classes


@cache
def make_entropy_terms(n_samples: int) -> EntropyTerms:
    """The entropy terms of all counts by their definition, in integers of any length."""
    shift = term_shift(n_samples)
    return EntropyTerms(n_samples, shift, np.array([term(count, shift) for count in range(n_samples + 1)], np.int64))


def random_table(random: np.random.Generator) -> RandomTable:
    """Draw a table of few samples or many, few codes or many, equal and unequal classes, and count it."""
    n_samples = int(random.choice(N_SAMPLES))
    max_arity = int(random.choice(MAX_ARITIES))
    n_features = int(random.integers(1, max(2, MAX_CODES // max_arity)))
    arities = random.integers(1, max_arity + 1, n_features)
    skewness = int(random.integers(1, 4))
    codes = (random.random((n_samples, n_features)) ** skewness * arities).astype(np.uint8)
    n_classes = int(random.choice([1, 2, 3, 5, 17]))
    classes = random.integers(0, n_classes, n_samples)

    widths = codes.max(axis=0).astype(np.int64) + 1
    starts = np.cumsum(widths) - widths
    indicators = np.zeros((n_samples, int(widths.sum())))
    indicators[np.arange(n_samples)[:, np.newaxis], starts + codes] = 1
    within_classes = [indicators[classes == label] for label in range(n_classes)]
    tables = np.stack([rows.T @ rows for rows in within_classes], axis=2).astype(np.int64)
    entropy_terms = make_entropy_terms(n_samples)

    def sums_of_blocks(cells: NDArray[np.int64]) -> NDArray[np.int64]:
        sums: NDArray[np.int64] = np.add.reduceat(np.add.reduceat(cells, starts, axis=0), starts, axis=1)
        return sums

    pooled_sums = sums_of_blocks(entropy_terms.table[tables.sum(axis=2)])
    class_sums = sums_of_blocks(entropy_terms.table[tables].sum(axis=2))
    cells = []
    for start, width in zip(starts, widths, strict=True):
        tables_of_feature = np.split(tables[start : start + width], starts[1:], axis=1)
        cells.append(np.concatenate([cells_by_class.ravel() for cells_by_class in tables_of_feature]))
    return RandomTable(codes, classes, n_classes, entropy_terms, widths, cells, pooled_sums, class_sums)


def compare(table: RandomTable, kernel: str) -> int:
    """Count a table by a kernel, and return how many integers were compared, all of them equal."""
    source = PackedSource(table.codes, table.classes, n_classes=table.n_classes, kernel=kernel, n_jobs=1)
    features = np.arange(source.n_features)
    n_compared = 0

    def check_equal(counted: NDArray[np.int64], expected: NDArray[np.int64]) -> None:
        nonlocal n_compared
        if not np.array_equal(counted, expected):
            raise AssertionError(f"kernel {kernel} counts {counted} and brute force {expected}")
        n_compared += expected.size

    pooled_margins, class_margins = source.fused.marginal_sums(table.entropy_terms)
    check_equal(pooled_margins, np.diagonal(table.pooled_sums))
    check_equal(class_margins, np.diagonal(table.class_sums))
    for pivot in features.tolist():
        pooled, within_classes = source.fused.pair_sums(table.entropy_terms, pivot, features, True)
        check_equal(pooled, table.pooled_sums[pivot])
        check_equal(within_classes, table.class_sums[pivot])
        n_rows = int(table.widths[pivot])
        cells = dense_cells(source.packed, pivot, features, n_rows, table.widths, table.n_classes)
        check_equal(cells, table.cells[pivot])
    return n_compared


def main(n_millions: int = 1000, seed: int = 0) -> Path:
    """Compare so many millions of integers at least, and keep how many they were."""
    n_compared: Counter[str] = Counter()
    n_tables = 0
    while n_compared.total() < n_millions * 10**6:
        table = random_table(np.random.default_rng([seed, n_tables]))
        for kernel in KERNELS:
            try:
                n_compared[kernel] += compare(table, kernel)
            except AssertionError as error:
                error.add_note(f"the table is that of seeds {seed} and {n_tables}")
                raise
        n_tables += 1
    rows = []
    for kernel in KERNELS:
        numbers = {"tables": n_tables, "integers": n_compared[kernel], "of which differ": 0}
        rows.append({"job": kernel, "details": {"brute force": numbers}})
    claim = f"Every counting kernel gives the integers of brute force: {n_compared.total():,} were compared."
    return results.write(results.document("brute_force", claim, rows), keep=True)


if __name__ == "__main__":
    print(main(*map(int, sys.argv[1:])))
