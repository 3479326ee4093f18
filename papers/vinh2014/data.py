"""The numbers that the paper prints (tables 2 to 6), and its data sets, read and prepared as in the paper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bitsieve.utils.messages import advice_on_name
from papers.data.files import ORIGINS, load_npz
from papers.data.waveform import make_waveform

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from papers.item import Options


#: The methods of table 5: their names in the paper, and in the registry.
METHODS = {
    "maxRel": "mim",
    "MIQ": "miq",
    "CIFE": "cife",
    "MRMR": "mrmr",
    "EMRMR": "emrmr",
    "QPFS": "qpfs",
    "SPECCMI": "speccmi",
}


class Cell(NamedTuple):
    """A cell of table 5 in percent; ``sign`` is "+" where SPECCMI wins against the method, "-" where it loses."""

    error: float
    deviation: float
    sign: str


class Size(NamedTuple):
    """A row of table 4; the error, in percent, is that with all features."""

    n_features: int
    n_samples: int
    n_classes: int
    error: float


class SolvingSeconds(NamedTuple):
    """A row of table 2: the mean seconds to solve each problem, and their standard deviations."""

    sdpcmi: float
    sdpcmi_deviation: float
    speccmi: float
    speccmi_deviation: float


class Seconds(NamedTuple):
    """A row of table 3: seconds to rank all features once the matrices are computed; None: out of memory."""

    qpfs: float | None
    mrmr: float
    speccmi: float


TABLE_4 = {
    "NCI60": Size(9996, 60, 10, 43.3),
    "SRBCT": Size(2308, 84, 4, 1.2),
    "Lung": Size(325, 73, 7, 12.3),
    "Colon": Size(2000, 62, 2, 17.7),
    "Leukemia": Size(7129, 73, 2, 1.4),
    "Lymphoma": Size(4026, 96, 9, 3.1),
    "Promoter": Size(57, 106, 2, 16.0),
    "Spambase": Size(57, 4601, 2, 9.5),
    "Musk2": Size(166, 6598, 2, 4.9),
    "Arrhythmia": Size(257, 430, 2, 21.6),
    "Multifeat": Size(649, 2000, 10, 1.6),
    "Waveform": Size(21, 5000, 3, 13.0),
    "Optdigits": Size(64, 3823, 10, 1.8),
    "Gisette": Size(5000, 6000, 2, 50.0),
    "Madelon": Size(500, 2000, 2, 34.7),
}

_TABLE_5 = """
Lung       14.2 5.7 +  12.0  2.7 +  16.0 2.2 +   9.8  3.4 +   9.7 3.4 +  10.4 2.8 +   9.4 2.5
NCI60      35.1 8.6 +  40.1 14.1 +  64.9 3.6 +  30.5 10.7 =  30.2 8.7 -  28.1 9.4 -  31.3 8.4
Colon      12.8 1.5 =  12.8  1.6 =  14.4 2.7 +  12.8  1.4 =  12.0 1.0 -  13.2 1.4 +  12.7 1.2
Leukemia    3.1 1.0 +   1.0  1.6 -   5.0 1.0 +   2.4  0.8 -   2.5 0.6 -   3.0 1.0 =   2.9 1.0
Lymphoma    4.3 2.5 =   6.0  5.0 +  16.6 2.9 +   4.1  2.1 =   4.0 2.4 =   5.5 3.7 +   4.3 3.9
SRBCT       0.8 1.1 -   2.1  3.5 +  11.8 3.7 +   0.6  1.2 -   0.9 1.2 =   0.1 0.3 -   0.9 1.3
Promoter    8.7 2.9 =   8.9  3.4 =  12.6 2.4 +   9.4  3.4 +   8.3 3.2 =   8.7 3.3 =   8.3 3.1
Spambase   11.5 1.4 +  12.3  3.2 +  17.9 4.1 +  11.3  1.5 =  11.4 1.5 +  12.0 1.9 +  11.3 1.5
Musk2       7.8 1.8 +   7.1  1.6 -   7.4 1.1 =   7.4  1.6 =   7.4 1.0 =   7.4 1.9 =   7.4 0.9
Arrhythmia 22.2 1.0 +  24.0  3.5 +  24.6 1.8 +  22.3  1.5 +  22.2 0.8 +  22.8 2.0 +  21.7 0.7
Multifeat   2.0 0.9 +   3.2  2.8 +   2.8 0.7 +   1.8  0.4 =   1.8 0.6 =   2.4 1.3 +   1.9 0.6
Optdigits   3.3 2.5 +   3.3  2.6 +   3.4 2.5 +   3.0  2.0 =   3.0 2.2 =   4.1 4.0 +   3.1 2.2
Waveform   13.9 1.5 =  14.2  1.3 +  16.3 2.1 +  13.7  1.0 =  13.7 1.1 =  13.7 1.0 =  13.7 1.0
Gisette     7.8 2.7 +   9.2  4.2 +   6.7 1.8 +   6.0  2.5 =   6.4 2.4 +   8.0 2.3 +   6.1 2.2
Madelon    18.7 3.2 +  37.4  3.7 +  17.5 3.4 +  28.2  2.2 +  16.0 3.1 =  23.3 3.5 +  15.9 3.2
"""


def _cells(row: str) -> tuple[str, dict[str, Cell]]:
    name, *words = f"{row} =".split()  # SPECCMI ties with itself
    cells = zip(words[::3], words[1::3], words[2::3], strict=True)
    return name, {
        method: Cell(float(error), float(deviation), sign)
        for method, (error, deviation, sign) in zip(METHODS, cells, strict=True)
    }


TABLE_5 = dict(_cells(row) for row in _TABLE_5.strip().splitlines())

# The mean absolute difference between a row of table 5 and an independent implementation under the same protocol.
INDEPENDENT = {
    "NCI60": 5.6,
    "SRBCT": 1.63,
    "Lung": 1.16,
    "Colon": 0.85,
    "Leukemia": 1.57,
    "Lymphoma": 1.94,
    "Promoter": 1.5,
    "Spambase": 0.09,
    "Musk2": 0.65,
    "Arrhythmia": 0.93,
    "Multifeat": 0.10,
    "Optdigits": 0.20,
    "Waveform": 0.10,
    "Madelon": 1.25,
}

TABLE_2 = {
    "Waveform": SolvingSeconds(0.78, 0.07, 0.005, 0.001),
    "Promoter": SolvingSeconds(1.18, 0.44, 0.005, 0.001),
    "Optdigits": SolvingSeconds(1.59, 1.27, 0.005, 0.001),
    "Musk2": SolvingSeconds(3.38, 0.15, 0.005, 0.000),
    "Arrhythmia": SolvingSeconds(9.46, 0.20, 0.006, 0.001),
    "Lung": SolvingSeconds(16.92, 0.73, 0.007, 0.005),
}

# The keys are numbers of features.
TABLE_3 = {
    1000: Seconds(0.81, 0.01, 0.03),
    5000: Seconds(55.94, 0.17, 0.81),
    10_000: Seconds(417.22, 0.68, 2.91),
    13_000: Seconds(1026.73, 1.17, 5.12),
    16_000: Seconds(2012.63, 1.97, 7.66),
    20_000: Seconds(None, 2.63, 10.64),
    30_000: Seconds(None, 6.05, 25.03),
}

# The error of the nearest class mean with all features, in percent; figure 2 has the errors with up to 200 features.
TABLE_6 = {"HWDB1.0": 21.93, "HWDB1.1": 26.42, "OLHWDB1.0": 15.99, "OLHWDB1.1": 17.18}


# The names of the files of a row: the first that exists is read. Other rows have one, their name in lower case.
FILES = {
    "Lung": ("lung", "lung_d3"),
}
THREE_NEIGHBOURS = ("Gisette", "Madelon")  # classified by three nearest neighbours, the others by a linear machine
LETTERS = ("Promoter",)  # the numbers of these sets stand for letters


@dataclass(frozen=True)
class PaperData:
    """A data set as the experiments use it.

    Attributes
    ----------
    row : str
        The name of the data set in the tables of the paper.
    X : ndarray
    y : ndarray
    origin : str
        The name of its file, or how it was drawn.
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
    """A data set that has no file in the data directory, and its public origin."""

    row: str
    origin: str

    def __str__(self) -> str:
        return f"{self.row}: not there, left out; its public origin: {self.origin}"


def tables(options: Options, rows: Sequence[str]) -> Iterator[PaperData | Missing]:
    """Read the data sets of some rows one after another, only those of ``options.sets`` if it names any.

    Raises
    ------
    ValueError
        If ``options.sets`` has a name that is none of these rows, or a file cannot be used.
    """
    allowed = [row.lower() for row in rows]
    requested = [name.lower() for name in options.sets]
    for name in options.sets:
        if name.lower() not in allowed:
            raise ValueError(f"no data set {name!r} here; {advice_on_name(name, allowed)}")
    for row in rows:
        if not requested or row.lower() in requested:
            yield read(options, row)


def read(options: Options, row: str) -> PaperData | Missing:
    """Read the data set of a row from its file; draw Waveform from its generator if it has none."""
    names = FILES.get(row, (row.lower(),))
    directory = options.data_dir
    for name in names:
        if directory is not None and (directory / f"{name}.npz").is_file():
            data = load_npz(directory, name)
            return PaperData(row, prepare(row, data.X), data.y, f"{name}.npz")
    if row == "Waveform":
        X, y = make_waveform(TABLE_4[row].n_samples, random_state=options.seed)
        return PaperData(row, X, y, f"drawn with seed {options.seed}")
    return Missing(row, ORIGINS[names[0]])


def prepare(row: str, X: NDArray[Any]) -> NDArray[Any]:
    """Replace missing values by the mean of their column, and numbers that stand for letters by text."""
    if row in LETTERS:
        return np.char.add("letter ", X.astype(np.int64).astype(str))  # text of digits alone would be numbers
    if X.dtype.kind == "f" and np.isnan(X).any():
        return np.where(np.isnan(X), np.nanmean(X, axis=0), X)
    return X
