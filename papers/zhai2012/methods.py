"""The methods that the paper compares: what each selects of a training part, in what time, and how good that is."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.sparse import issparse
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from bitsieve.metrics.subsets import redundancy_rates
from bitsieve.utils.progress import phase
from papers.selectors import as_published

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.intp]

FEW, MANY = 10, 200  # features of the paper's curves
COUNTS = (10, 20, 50, 100, 150, 200)
NEIGHBOURS_OF = 2000  # samples that ReliefF looks at, at most
ELIMINATED_ON = 3000  # samples that SVM-RFE is given, at most
RANKED: dict[str, tuple[str, dict[str, Any]]] = {  # one ranking serves every number of features
    "ReliefF": ("relieff", {"n_samples": NEIGHBOURS_OF, "random_state": 0}),
    "mRMR": ("mrmr", {"binning": "quantile"}),
    "FCBF": ("fcbf", {"binning": "quantile"}),
    "RCFS": ("rcfs", {}),
    "SVM-RFE": ("svm-rfe", {}),
}
EMBEDDED: dict[str, tuple[str, dict[str, Any]]] = {  # fitted anew for every number
    "L1-SVM": ("l1-svm", {}),
    "FGM": ("fgm", {}),
    "GDM": ("gdm", {"matching": "greedy"}),
}
METHODS = (*RANKED, *EMBEDDED)
UNIT_VARIANCE = "GDM, C = n"  # C = 1 for columns of variance 1, and groups that are disjoint over the cuts


class Split(NamedTuple):
    """A training part and a test part; classes -1 and 1."""

    name: str
    X: Any
    y: Integers
    X_test: Any
    y_test: Integers


@dataclass(frozen=True)
class Scores:
    """What the features of one method are worth, for every number of them; where it found fewer, what these are.

    Attributes
    ----------
    accuracy : ndarray
        Percent, of a linear support vector machine with C = 1 on standardised columns, on the test part.
    seconds : ndarray
        Of selecting; one ranking counts as a whole for every number.
    redundancy : ndarray
        The paper's: half the mean |rho| over the pairs of the selected columns.
    chosen : list of ndarray of int
        The features, for every number.
    """

    accuracy: Floats
    seconds: Floats
    redundancy: Floats
    chosen: list[Integers]


def score_methods(split: Split, counts: Sequence[int], methods: Iterable[str], n_jobs: int) -> dict[str, Scores]:
    """Select by every method, for every number of features, and score."""
    found = {}
    methods = list(methods)
    step = phase("selecting")
    for done, label in enumerate(methods):
        found[label] = _score(split, counts, *_select(split, label, counts, n_jobs))
        step(done + 1, len(methods))
    return found


def _select(split: Split, label: str, counts: Sequence[int], n_jobs: int) -> tuple[list[Integers], Floats]:
    """The features for every number, and the seconds."""
    if label in RANKED:
        ranking, seconds = rank_by(split, label, max(counts), n_jobs)
        return [ranking[:k] for k in counts], np.full(len(counts), seconds)
    chosen, taken = [], []
    for k in counts:
        if label == UNIT_VARIANCE:
            name, parameters = "gdm", dict[str, Any]({"C": float(len(split.y)), "features_per_cut": max(1, k // 5)})
        else:
            name, parameters = EMBEDDED[label]
        start = time.perf_counter()
        chosen.append(as_published(name, k, n_jobs=n_jobs, **parameters).fit(split.X, split.y).selected_)
        taken.append(time.perf_counter() - start)
    return chosen, np.array(taken)


def rank_by(split: Split, label: str, k: int, n_jobs: int) -> tuple[Integers, float]:
    """The first k features of one ranking, and the seconds it took."""
    name, parameters = {**RANKED, **EMBEDDED}[label]
    rows: slice | Integers = slice(None)
    if label == "SVM-RFE" and len(split.y) > ELIMINATED_ON:
        rows = np.random.default_rng(0).permutation(len(split.y))[:ELIMINATED_ON]
    start = time.perf_counter()
    selector = as_published(name, k, n_jobs=n_jobs, **parameters).fit(split.X[rows], split.y[rows])
    return selector.selected_, time.perf_counter() - start


def _score(split: Split, counts: Sequence[int], chosen: list[Integers], seconds: Floats) -> Scores:
    accuracy, redundancy = np.empty(len(counts)), np.empty(len(counts))
    for at, columns in enumerate(chosen):
        train, test = columns_of(split.X, columns), columns_of(split.X_test, columns)
        accuracy[at] = 100 * accuracy_of(train, split.y, test, split.y_test)
        redundancy[at] = redundancy_rates(train)[0] / 2 if len(columns) > 1 else np.nan
    return Scores(accuracy, seconds, redundancy, chosen)


def accuracy_of(train: Floats, y: Integers, test: Floats, y_test: Integers) -> float:
    """The share of right classes of a linear support vector machine on standardised columns."""
    scaler = StandardScaler().fit(train)
    model = LinearSVC(dual=False).fit(scaler.transform(train), y)
    return float(model.score(scaler.transform(test), y_test))


def columns_of(X: Any, columns: Integers) -> Floats:
    """Some columns as a dense array."""
    chosen = X[:, columns]
    return np.asarray(chosen.toarray() if issparse(chosen) else chosen, np.float64)
