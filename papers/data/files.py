"""Public data sets: from .npz files, with a test part where the file has one, and those that come with scikit-learn."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bitsieve.io.npz import read_npz
from bitsieve.utils.messages import advice_on_choice

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import NDArray


_UCI = "UCI Machine Learning Repository, archive.ics.uci.edu"

# The origin of each public data set, by the name of its file without .npz.
ORIGINS = {
    "arrhythmia": f"{_UCI}: Arrhythmia",
    "australian": f"{_UCI}: Statlog (Australian Credit Approval)",
    "breast_wdbc": f"{_UCI}: Breast Cancer Wisconsin (Diagnostic)",
    "breast_wisconsin_original": f"{_UCI}: Breast Cancer Wisconsin (Original)",
    "colon": "Alon et al. 1999, genomics-pubs.princeton.edu/oncology; also in the R package plsgenomics",
    "gisette": f"{_UCI}: Gisette (NIPS 2003 feature selection challenge)",
    "hwdb1.0": "CASIA handwriting databases, nlpr.ia.ac.cn/databases/handwriting: HWDB1.0",
    "hwdb1.1": "CASIA handwriting databases, nlpr.ia.ac.cn/databases/handwriting: HWDB1.1",
    "leukemia": "Golub et al. 1999, ALL/AML; also in the R package datamicroarray",
    "lung": "Garber et al. 2001; 325 genes in three states on H. Peng's mRMR site and in the package scikit-feature",
    "lung_d3": "Garber et al. 2001; 325 genes in three states on H. Peng's mRMR site and in the package scikit-feature",
    "lymphoma": "Alizadeh et al. 2000, llmpp.nih.gov/lymphoma",
    "madelon": f"{_UCI}: Madelon (NIPS 2003 feature selection challenge)",
    "mnist_test": "LeCun, Cortes, Burges, the MNIST database of handwritten digits: its 10,000 test images",
    "mnist_train": "LeCun, Cortes, Burges, the MNIST database of handwritten digits: its 60,000 training images",
    "multifeat": f"{_UCI}: Multiple Features",
    "musk2": f"{_UCI}: Musk (Version 2)",
    "nci60": "Ross et al. 2000, the NCI60 cell lines, genome-www.stanford.edu/nci60",
    "olhwdb1.0": "CASIA handwriting databases, nlpr.ia.ac.cn/databases/handwriting: OLHWDB1.0",
    "olhwdb1.1": "CASIA handwriting databases, nlpr.ia.ac.cn/databases/handwriting: OLHWDB1.1",
    "optdigits": f"{_UCI}: Optical Recognition of Handwritten Digits",
    "pima": "UCI Machine Learning Repository until 2018: Pima Indians Diabetes; also in the R package mlbench",
    "promoter": f"{_UCI}: Molecular Biology (Promoter Gene Sequences)",
    "spambase": f"{_UCI}: Spambase",
    "srbct": "Khan et al. 2001, small round blue cell tumours; also in the R package plsgenomics",
    "waveform": f"{_UCI}: Waveform Database Generator (Version 1)",
    "waveform40": f"{_UCI}: Waveform Database Generator (Version 2)",
}


class DataSet(NamedTuple):
    """The arrays of a public data set; ``X_test`` and ``y_test`` are None where it has no test part."""

    name: str
    X: NDArray[Any]
    y: NDArray[Any]
    X_test: NDArray[Any] | None = None
    y_test: NDArray[Any] | None = None


def load_npz(data_dir: str | PathLike[str], name: str) -> DataSet:
    """Read ``name.npz`` in a directory of public data sets.

    Parameters
    ----------
    data_dir : path
    name : str
        The name of the file, without ``.npz``.

    Returns
    -------
    DataSet

    Raises
    ------
    ValueError
        The file is not there (its public origin is named), cannot be read, or holds no X and y that belong together.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from papers.data.files import load_npz
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     np.savez(f"{directory}/small.npz", X=np.eye(3), y=[0, 1, 1])
    ...     load_npz(directory, "small").X.shape
    (3, 3)
    """
    path = Path(data_dir) / f"{name}.npz"
    if not path.is_file():
        origin = f"; its public origin: {ORIGINS[name]}" if name in ORIGINS else ""
        raise ValueError(f"there is no {path.name} in {str(data_dir)!r}{origin}")
    arrays = read_npz(path, repr(str(path)), with_names=False)  # a public set may name two genes alike
    if arrays.y is None:
        raise ValueError(f"{str(path)!r} has no array 'y': store X and y")
    X = arrays.X if isinstance(arrays.X, np.ndarray) else arrays.X.toarray()
    with np.load(path, allow_pickle=False) as stored:
        if "X_test" not in stored.files or "y_test" not in stored.files:
            return DataSet(name, X, arrays.y)
        X_test = stored["X_test"]
        y_test = stored["y_test"]
    if X_test.ndim != 2 or X_test.shape[1] != arrays.X.shape[1] or y_test.shape != X_test.shape[:1]:
        raise ValueError(
            f"X_test of shape {X_test.shape} and y_test of shape {y_test.shape} of {str(path)!r} do not belong to X of "
            f"shape {arrays.X.shape}: store as many columns, and one value a row"
        )
    return DataSet(name, X, arrays.y, X_test, y_test)


LOADERS = {"breast_wdbc": "load_breast_cancer", "digits": "load_digits", "iris": "load_iris", "wine": "load_wine"}


def load_bundled(name: str) -> DataSet:
    """Load one of scikit-learn's own data sets.

    Parameters
    ----------
    name : {"breast_wdbc", "digits", "iris", "wine"}

    Returns
    -------
    DataSet

    Raises
    ------
    ValueError
        If there is no such set.

    Examples
    --------
    >>> from papers.data.files import load_bundled
    >>> load_bundled("wine").X.shape
    (178, 13)
    """
    from sklearn import datasets

    if name not in LOADERS:
        raise ValueError(f"no data set {name!r} comes with scikit-learn; {advice_on_choice(str(name), LOADERS)}")
    bunch = getattr(datasets, LOADERS[name])()
    return DataSet(name, bunch.data, bunch.target)
