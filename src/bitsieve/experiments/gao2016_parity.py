"""Selections on the public lung data (73 samples, 325 genes, 7 classes) compared with those of the authors' programs.

Their programs restart where the bound grows by less than 0.01 nats. The pairwise one reads wrong cells where a class
lacks a state; it is compared with that repaired, up to the tenth choice, where exact ties begin.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bitsieve.common.layout import aligned
from bitsieve.experiments.item import Options, Result
from bitsieve.selectors.vmi import VMI

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

FILE = "lung_d3.npz"

# Columns in file order, counted from 0.
NAIVE = (
    *(22, 125, 243, 163, 93, 108, 33, 10, 242, 130, 150, 83, 96, 50, 112, 19, 132, 166, 44, 133, 212, 311, 218, 269),
    *(29, 18, 136, 6, 123, 210, 257, 3, 268, 35, 67, 104, 14, 80, 206, 82, 40, 146, 176, 62, 20, 192, 237, 52, 61),
    *(103, 41, 154, 56, 49, 304, 260, 285, 55, 217, 186, 189, 223, 24, 59, 115, 13, 11, 98, 110, 259, 147, 248, 126),
    *(46, 203, 196, 39, 85, 194, 114, 204, 244, 172, 70, 2, 298, 78, 142, 54, 174, 48, 90, 171, 23, 267, 181, 57, 232),
    *(162, 124),
)
NAIVE_NATS = (0.536068, 0.929746, 1.29322, 1.56056, 1.68928, 1.74789, 1.77936, 0.530955, 0.958064, 1.29036, 1.4909)
PAIRWISE = (22, 163, 20, 80, 283, 10, 242, 269, 130)


def table_parity(options: Options) -> Result:
    """How many choices agree, from the first on, and how far the bounds are apart."""
    X, y = _lung(options)
    rows = []
    for decomposition, theirs, nats in (("naive", NAIVE, NAIVE_NATS), ("pairwise", PAIRWISE, ())):
        fitted = VMI(
            len(theirs), decomposition=decomposition, on_plateau="restart", binning="none", n_jobs=options.n_jobs
        ).fit(X, y)
        bounds = fitted.scores_[: len(nats)] * np.log(2)
        apart = f"{np.abs(bounds - nats).max():.1e}" if nats else "-"
        rows.append(
            (
                decomposition,
                f"{agreeing(fitted.selected_.tolist(), theirs)} of {len(theirs)}",
                " ".join(map(str, fitted.restarts_[:12])),
                apart,
            )
        )
    header = ("decomposition", "choices that agree", "restarts after", "first bounds apart (nats)")
    text = aligned(header, rows, (False, True, False, True))
    note = (
        "The authors' bounds are known to 6 digits; of the pairwise program the choices before exact ties are listed."
    )
    return Result(f"{text}\n\n{note}")


def agreeing(ours: Sequence[int], theirs: Sequence[int]) -> int:
    """How many choices are the same before the first that differs."""
    differs = (place for place, pair in enumerate(zip(ours, theirs, strict=True)) if pair[0] != pair[1])
    return next(differs, len(theirs))


def _lung(options: Options) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    if options.data_dir is None:
        raise ValueError(f"this table needs {FILE}: give the directory that holds it by --data-dir")
    path = options.data_dir / FILE
    if not path.is_file():
        raise ValueError(f"there is no {FILE} in {str(options.data_dir)!r}: give the directory that holds it")
    with np.load(path) as arrays:
        X, y = arrays["X"], arrays["y"]
    if X.shape != (73, 325):
        raise ValueError(f"{str(path)!r} holds {X.shape[0]} x {X.shape[1]} values, the lung data has 73 x 325")
    return X.astype(np.int64), y.astype(np.int64)
