"""bitsieve on sparse tables."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_matrix

from benchmarks.contestants.problems import found_groups, presences
from benchmarks.memory import Peak
from bitsieve import FCBF, GDM, L1SVM, ForwardSelector, mutual_information


def gdm(value, column, start, classes, groups):
    """GDM as users call it, on a CSR matrix."""
    X = csr_matrix((value, column, start), shape=(len(classes), len(groups)))
    matrix_mb = (value.nbytes + column.nbytes + start.nbytes) / 1e6

    def run(k, n_jobs, tau=0.25, C=1.0, per_cut=None):
        with Peak() as peak:
            fitted = GDM(k, tau=tau, C=C, features_per_cut=per_cut, n_jobs=n_jobs).fit(X, classes)
        report = peak.told()
        if report:  # the matrix that is given is in the process already
            report["peak_by_matrix"] = round(1 + report["peak_mb"] / matrix_mb, 2)
        affiliated = sum(map(len, fitted.groups_))
        accuracy = float((fitted.predict(X[:20_000]) == classes[:20_000]).mean())
        cuts = {"cuts": len(fitted.cuts_), "affiliated": affiliated, "training_accuracy": round(accuracy, 4)}
        return {**found_groups(fitted.selected_, groups), **cuts, "duality_gap": fitted.duality_gap_, **report}

    return run


def l1_svm(value, column, start, classes, groups):
    """L1SVM as users call it, the penalty sought too, on a CSR matrix."""
    X = csr_matrix((value, column, start), shape=(len(classes), len(groups)))
    return lambda k: found_groups(L1SVM(k).fit(X, classes).selected_, groups)


def greedy(value, column, start, classes, groups):
    """Greedy selection as users call it, on a CSR matrix."""
    X = csr_matrix((value, column, start), shape=(len(classes), len(groups)))

    def run(criterion, k, n_jobs, binning="auto"):
        selector = ForwardSelector(k, criterion=criterion, binning=binning, estimator="plug-in", n_jobs=n_jobs)
        with Peak() as peak:
            fitted = selector.fit(X, classes)
        return {**found_groups(fitted.selected_, groups), "last_score": float(fitted.scores_[-1]), **peak.told()}

    return run


def fcbf(value, column, start, classes, groups):
    """FCBF as users call it, on a CSR matrix."""
    X = csr_matrix((value, column, start), shape=(len(classes), len(groups)))

    def run(k, n_jobs):
        with Peak() as peak:
            fitted = FCBF(k, n_jobs=n_jobs).fit(X, classes)
        return {**found_groups(fitted.selected_, groups), "removed": sum(map(len, fitted.groups_)), **peak.told()}

    return run


def relevance(value, column, start, classes, groups):
    """I(Xi;C) of the presences of the first columns, in bits."""
    X = presences(value, column, start, classes, groups)

    def run(columns):
        bits = mutual_information(X[:, :columns], classes, binning="none", n_jobs=1)
        return {"largest": float(bits.max())}

    return run


def product(value, column, start, classes, groups):
    """One product of all columns with the classes, by scipy: what any linear method needs for a step."""
    X = csr_matrix((value, column, start), shape=(len(classes), len(groups)))
    y = classes.astype(np.float64)
    return lambda **_: {"largest": float(np.abs(X.T @ y).max())}
