"""The cases that are no single selector: information itself, binners, comparisons, and a choice by comparison."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from tests.golden.case import Case, describe
from tests.golden.data import binner, table
from tests.golden.encode import encode, encode_near

import bitsieve

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

MEASURES = ("entropy", "mutual_information")
MATRICES = ("mutual_information_matrix", "conditional_mutual_information_matrix")
OF_ESTIMATORS = ("wine", "states", "codes")  # tables on which every estimator is tried


def _measure(data: str, binning: str, estimator: str) -> dict[str, Any]:
    X, y, _, _ = table(data)
    written = encode_near if estimator == "shrinkage" else encode  # logarithms by numpy, which go by the processor
    return {
        name: written(getattr(bitsieve, name)(X, y, binning=binner(binning), estimator=estimator))
        for name in (*MEASURES, *MATRICES)
    }


def _float32(data: str, binning: str) -> dict[str, Any]:
    X, y, _, _ = table(data)
    found = {name: getattr(bitsieve, name)(X, y, binning=binner(binning), dtype="float32") for name in MATRICES}
    return {name: encode(matrix) for name, matrix in found.items()} | {
        f"{name}.dtype": str(matrix.dtype) for name, matrix in found.items()
    }


def _bin(data: str, name: str) -> dict[str, Any]:
    X, y, _, _ = table(data)
    fitted = binner(name).fit(X, y)
    return {"edges": [encode(edges) for edges in fitted.bin_edges_], "codes": encode(fitted.transform(X))}


def _compare(data: str, methods: Any, **parameters: Any) -> dict[str, Any]:
    X, y, _, _ = table(data)
    found = bitsieve.compare(X, y, methods=methods, folds=4, random_state=3, **parameters)
    exact = ("methods", "counts", "n_test", "errors", "selected", "rates", "standard_errors")
    near = ("redundancy", "separability")  # a product of matrices and a determinant, which are those of BLAS and LAPACK
    return {name: encode(getattr(found, name)) for name in exact} | {
        name: encode_near(getattr(found, name)) for name in near
    }


def _select_cv(**parameters: Any) -> dict[str, Any]:
    X, y, _, _ = table("wine")
    fitted = bitsieve.SelectorCV(folds=4, **parameters).fit(X, y)
    return describe(fitted) | {"errors": encode(fitted.comparison_.errors)}


def function_cases(binnings: Mapping[str, Sequence[str]], estimators: Sequence[str]) -> Iterator[Case]:
    """The cases, on tables by name with their binnings, and with estimators of information."""
    for data, tried in binnings.items():
        for binning in tried:
            for estimator in estimators if data in OF_ESTIMATORS else estimators[:1]:
                name = f"{data}-{binning}-{estimator}"
                yield Case("information", name, partial(_measure, data, binning, estimator))
    for data, binning in (("wine", "mdl"), ("states", "none")):
        yield Case("information", f"{data}-{binning}-float32", partial(_float32, data, binning))
    for data in ("iris", "wine", "cancer", "continuous"):
        for name in ("median", "five", "width"):
            yield Case("binners", f"{data}-{name}", partial(_bin, data, name))
    for data in ("pandas", "arrow"):
        for name in ("mdl missing", "quantile missing", "width missing"):
            yield Case("binners", f"{data}-{name}", partial(_bin, data, name))
    yield Case("binners", "states-categories", partial(_bin, "states", "categories"))
    of_counts = ["mim", "mrmr", "jmi", "fcbf", "koller-sahami"]
    for classifier in ("linear-svm", "knn", "ncm"):
        run = partial(_compare, "wine", of_counts, features=range(1, 7), classifier=classifier)
        yield Case("comparisons", f"wine-{classifier}", run)
    run = partial(_compare, "cancer", ["jmi", "speccmi", "relieff"], features=[2, 4, 8], classifier="ncm")
    yield Case("comparisons", "cancer-ncm-global", run)
    corrected = {"estimator": "corrected"}
    run = partial(
        _compare,
        "wine",
        ["jmi", "cmim"],
        features=[1, 3, 5],
        classifier="ncm",
        protocol="paper",
        parameters=corrected,
    )
    yield Case("comparisons", "wine-ncm-paper", run)
    run = partial(_select_cv, methods=("mim", "mrmr", "cmim"), classifier="ncm", features=range(1, 8))
    yield Case("comparisons", "wine-chosen-ncm", run)
    methods = {"jmi": "jmi", "mifs": "mifs", "vmi": bitsieve.VMI(on_plateau="continue", binning="quantile")}
    run = partial(_select_cv, methods=methods, classifier="knn", binning="quantile")
    yield Case("comparisons", "wine-chosen-knn", run)
