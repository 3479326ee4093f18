"""All that the benchmarks use of bitsieve beyond its public names, in one place.

A benchmark of the counting engine stands on codes already made, below the estimators, so that reading and checking a
table is not in its time. What the public names can do is called by them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve import _native
from bitsieve.counts.kernels import choose_kernel
from bitsieve.counts.threads import shared_helpers
from bitsieve.engines.local import make_source
from bitsieve.evaluate.models import MODELS as MODELS
from bitsieve.evaluate.refit import Refit as Refit
from bitsieve.information import make_information
from bitsieve.information.independence import IndependenceTests, TestOptions
from bitsieve.methods.by_counts.blankets.fcbf import fcbf as predominant
from bitsieve.methods.by_counts.criteria import CRITERIA, make_criterion
from bitsieve.methods.by_counts.forward import forward_select
from bitsieve.methods.by_counts.markov_blankets.blanket import BlanketOptions, find_blanket
from bitsieve.methods.by_counts.markov_blankets.search import Search
from bitsieve.methods.by_counts.pairwise.matrices import conditional_matrix
from bitsieve.methods.by_counts.pairwise.spectral import rank_by_spectrum
from bitsieve.methods.by_counts.stopping import STOPPING_RULES
from bitsieve.methods.by_samples.variational.bounds import variational_select
from bitsieve.methods.by_samples.variational.codes import CodeTable, NaiveBound, PairwiseBound
from bitsieve.optimize.convexity import is_convex, smallest_eigenvalue
from bitsieve.optimize.simplex_qp import DenseQuadratic, minimize_on_simplex
from papers.vinh2014.nearest_mean import class_means as class_means
from papers.vinh2014.nearest_mean import nearest_mean_curves as nearest_mean_curves

if TYPE_CHECKING:
    from collections.abc import Sequence

BOUNDS = {"naive": NaiveBound, "pairwise": PairwiseBound}


def criteria() -> list[str]:
    """The names of the greedy criteria."""
    return list(CRITERIA)


def pack(codes: np.ndarray, classes: np.ndarray, n_jobs: int = 1, estimator: str = "plug-in") -> Any:
    """Packed codes, with the information that is counted from them."""
    source = make_source(codes, classes, n_classes=int(classes.max()) + 1, n_jobs=n_jobs)
    return make_information(estimator, source)


def greedy(information: Any, criterion: str, k: int, stopping: Any = None) -> list[int]:
    """Columns in the order of choice."""
    return _plain(forward_select(information, make_criterion(criterion), k, stopping=stopping).order)


def stopping_rule_that_never_stops(name: str) -> Any:
    """The stopping rule of that name, which computes its value as ever and lets everything pass; of "none", None."""
    if name == "none":
        return None
    made = STOPPING_RULES[name]()

    class Endless(type(made)):
        def stops(self, value):
            return False

    return Endless()


def spectral(information: Any, k: int) -> list[int]:
    """The first columns by the dominant eigenvector."""
    return _plain(rank_by_spectrum(conditional_matrix(information)).order[:k])


def fcbf(information: Any, k: int) -> list[int]:
    """Columns that the fast correlation-based filter keeps."""
    return _plain(predominant(information, k).order)


@shared_helpers()
def blankets(
    codes: np.ndarray, classes: np.ndarray | None, targets: Sequence[int], algorithm: str, n_jobs: int
) -> list[list[int]]:
    """The Markov blankets of columns, or of the class, which is one more: among all columns, and not the class."""
    source = make_source(codes, classes, n_jobs=n_jobs)
    tests = IndependenceTests(source, TestOptions())
    options = BlanketOptions(algorithm=algorithm)
    members = []
    for target in targets:
        candidates = [column for column in range(codes.shape[1]) if column != target]
        search = Search(tests, target, candidates, options.level, options.conditioning_limit)
        members.append(find_blanket(search, options).members)
    return members


@shared_helpers()
def variational(codes: np.ndarray, classes: np.ndarray, decomposition: str, k: int, n_jobs: int) -> list[int]:
    """Columns in the order of choice by a variational bound; sorting and tables are part of the work."""
    order = np.argsort(classes, kind="stable")
    table = CodeTable(codes[order], np.bincount(classes).astype(np.int64), n_jobs)
    return _plain(variational_select(BOUNDS[decomposition](table), k).selected)


def minimize_quadratic(matrix: np.ndarray, relevance: np.ndarray, alpha: float) -> np.ndarray:
    """The minimum of (1 - alpha) x'Hx / 2 - alpha f'x over weights that sum to 1."""
    return minimize_on_simplex(DenseQuadratic(matrix, None, 1 - alpha), alpha * relevance).weights


def convex_shift(matrix: np.ndarray) -> float:
    """What the diagonal of a matrix lacks for the matrix to be convex; the proof where it lacks nothing."""
    return 0.0 if is_convex(matrix) else -float(smallest_eigenvalue(matrix))


def spanning_tree(points: np.ndarray) -> np.ndarray:
    """The edges of the spanning tree of distinct points in lexicographic order."""
    return _native.spanning_tree(choose_kernel().name, np.ascontiguousarray(points.T))


def _plain(columns: Sequence[Any]) -> list[int]:
    return [int(column) for column in columns]
