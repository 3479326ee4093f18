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
MAX_RELIEFF_SAMPLES = 2000  # whose neighbours ReliefF finds
MAX_ELIMINATION_SAMPLES = 3000  # that SVM-RFE is fitted to
RANKED: dict[str, tuple[str, dict[str, Any]]] = {  # one ranking serves every number of features
    "ReliefF": ("relieff", {"n_samples": MAX_RELIEFF_SAMPLES, "random_state": 0}),
    "mRMR": ("mrmr", {"binning": "quantile"}),
    "FCBF": ("fcbf", {"binning": "quantile"}),
    "RCFS": ("rcfs", {}),
    "SVM-RFE": ("svm-rfe", {"step": 0.1}),
}
EMBEDDED: dict[str, tuple[str, dict[str, Any]]] = {  # fitted anew for every number
    "L1-SVM": ("l1-svm", {}),
    "FGM": ("fgm", {}),
    "GDM": ("gdm", {}),
}
AFFILIATED = "GDM-affiliated"  # the support features of GDM together with the affiliated ones
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
    """Scores of the features that one method selects, for every number of features, or of all that it finds.

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
    scores = {}
    methods = list(methods)
    progress = phase("selecting")
    for n_done, label in enumerate(methods, 1):
        selections, seconds = _select(split, label, counts, n_jobs)
        scores[label] = _score(split, counts, selections, seconds)
        progress(n_done, len(methods))
    return scores


def _select(split: Split, label: str, counts: Sequence[int], n_jobs: int) -> tuple[list[Integers], Floats]:
    """The selected features for every number of them, and the seconds of selecting each."""
    if label in RANKED:
        ranking, seconds = rank_by(split, label, max(counts), n_jobs)
        return [ranking[:k] for k in counts], np.full(len(counts), seconds)
    selections = []
    seconds_of_each = []
    for k in counts:
        parameters: dict[str, Any]
        if label == AFFILIATED:
            name, parameters = EMBEDDED["GDM"]
        elif label == UNIT_VARIANCE:
            name = "gdm"
            parameters = {"C": float(len(split.y)), "features_per_cut": max(1, k // 5), "matching": "disjoint"}
        else:
            name, parameters = EMBEDDED[label]
        start = time.perf_counter()
        selector = as_published(name, k, n_jobs=n_jobs, **parameters).fit(split.X, split.y)
        seconds_of_each.append(time.perf_counter() - start)
        columns = selector.selected_
        if label == AFFILIATED:
            columns = np.union1d(columns, np.concatenate(selector.groups_)).astype(np.intp)
        selections.append(columns)
    return selections, np.array(seconds_of_each)


def rank_by(split: Split, label: str, k: int, n_jobs: int) -> tuple[Integers, float]:
    """The first k features of one ranking, and the seconds it took."""
    name, parameters = {**RANKED, **EMBEDDED}[label]
    rows: slice | Integers = slice(None)
    if label == "SVM-RFE" and len(split.y) > MAX_ELIMINATION_SAMPLES:
        rows = np.random.default_rng(0).permutation(len(split.y))[:MAX_ELIMINATION_SAMPLES]
    start = time.perf_counter()
    selector = as_published(name, k, n_jobs=n_jobs, **parameters).fit(split.X[rows], split.y[rows])
    return selector.selected_, time.perf_counter() - start


def _score(split: Split, counts: Sequence[int], selections: list[Integers], seconds: Floats) -> Scores:
    accuracy = np.empty(len(counts))
    redundancy = np.full(len(counts), np.nan)
    for index, columns in enumerate(selections):
        train = columns_of(split.X, columns)
        test = columns_of(split.X_test, columns)
        accuracy[index] = 100 * accuracy_of(train, split.y, test, split.y_test)
        if len(columns) > 1:
            redundancy[index] = redundancy_rates(train)[0] / 2
    return Scores(accuracy, seconds, redundancy, selections)


def accuracy_of(train: Floats, y: Integers, test: Floats, y_test: Integers) -> float:
    """The accuracy of a linear support vector machine on standardised columns."""
    scaler = StandardScaler().fit(train)
    model = LinearSVC(dual=False).fit(scaler.transform(train), y)
    return float(model.score(scaler.transform(test), y_test))


def columns_of(X: Any, columns: Integers) -> Floats:
    """Some columns as a dense array."""
    chosen = X[:, columns]
    return np.asarray(chosen.toarray() if issparse(chosen) else chosen, np.float64)
