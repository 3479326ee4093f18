"""The classification sets that come with scikit-learn, by the names of the public files."""

from __future__ import annotations

from bitsieve.common.messages import choices
from bitsieve.datasets.files import DataSet

LOADERS = {"breast_wdbc": "load_breast_cancer", "digits": "load_digits", "iris": "load_iris", "wine": "load_wine"}


def load_bundled(name: str) -> DataSet:
    """One of scikit-learn's own data sets.

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
    >>> from bitsieve.datasets.bundled import load_bundled
    >>> load_bundled("wine").X.shape
    (178, 13)
    """
    from sklearn import datasets

    if name not in LOADERS:
        raise ValueError(f"no data set {name!r} comes with scikit-learn; {choices(str(name), LOADERS)}")
    bunch = getattr(datasets, LOADERS[name])()
    return DataSet(name, bunch.data, bunch.target)
