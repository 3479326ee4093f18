"""The data sets of the paper: which file holds each, and what is done to it before anything else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve.common.messages import allowed_names
from bitsieve.datasets.files import load_npz
from bitsieve.datasets.origins import ORIGINS
from bitsieve.datasets.waveform import make_waveform
from bitsieve.experiments.vinh2014_published import TABLE_4

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from bitsieve.experiments.item import Options

FILES = {  # by row of the tables, the first that is there; by default the row's name in lower case
    "Lung": ("lung", "lung_d3"),
}
THREE_NEIGHBOURS = ("Gisette", "Madelon")
LETTERS = ("Promoter",)  # whose numbers only name categories


@dataclass(frozen=True)
class PaperData:
    """A data set as the experiments use it.

    Attributes
    ----------
    row : str
        Its name in the paper's tables.
    X : ndarray
    y : ndarray
    origin : str
        Where it was read from, in words.
    """

    row: str
    X: NDArray[Any]
    y: NDArray[Any]
    origin: str

    @property
    def n_features(self) -> int:
        return int(self.X.shape[1])

    @property
    def classifier(self) -> str:
        return "knn" if self.row in THREE_NEIGHBOURS else "linear-svm"

    def __str__(self) -> str:
        d, n = self.X.shape
        return f"{self.row}: {self.origin}, {d:,} samples, {n:,} features, {len(np.unique(self.y))} classes"


@dataclass(frozen=True)
class Missing:
    """A data set that is not there, and its public origin."""

    row: str
    origin: str

    def __str__(self) -> str:
        return f"{self.row}: not there, left out; its public origin: {self.origin}"


def tables(options: Options, rows: Sequence[str]) -> Iterator[PaperData | Missing]:
    """The data sets of some rows, one after another, those asked for only.

    Raises
    ------
    ValueError
        A set is asked for that is none of these rows, or a file cannot be used.
    """
    chosen = {row.lower(): row for row in rows}
    for name in options.sets:
        if name.lower() not in chosen:
            raise ValueError(f"no data set {name!r} here; {allowed_names(name, list(chosen))}")
    for row in rows:
        if not options.sets or row.lower() in [name.lower() for name in options.sets]:
            yield read(options, row)


def read(options: Options, row: str) -> PaperData | Missing:
    """The data set of a row: its file, or Waveform from its generator."""
    names = FILES.get(row, (row.lower(),))
    directory = options.data_dir
    for name in names:
        if directory is not None and (directory / f"{name}.npz").is_file():
            data = load_npz(directory, name)
            return PaperData(row, prepared(row, data.X), data.y, f"{name}.npz")
    if row == "Waveform":
        X, y = make_waveform(TABLE_4[row].n_samples, random_state=options.seed)
        return PaperData(row, X, y, f"drawn with seed {options.seed}")
    return Missing(row, ORIGINS[names[0]])


def prepared(row: str, X: NDArray[Any]) -> NDArray[Any]:
    """Missing values at their column's mean; letters as categories."""
    if row in LETTERS:
        return X.astype(np.int64).astype(str)
    if X.dtype.kind == "f" and np.isnan(X).any():
        return np.where(np.isnan(X), np.nanmean(X, axis=0), X)
    return X
