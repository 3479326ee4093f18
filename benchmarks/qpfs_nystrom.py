"""What Nystrom's approximation makes of QPFS: the share of the objective that it reaches, and the ranking.

    python -m benchmarks.qpfs_nystrom [--quick]

No clock: "objective" is 0 for equal weights and 1 for the minimum, both of the true matrix; "ranking" is Spearman's
correlation with the exact ranking. Means over random draws of the landmarks, the balanced alpha of the exact solution.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import spearmanr
from sklearn.base import BaseEstimator
from sklearn.datasets import load_breast_cancer, load_digits, load_wine

from benchmarks.data import Shape, make_codes
from benchmarks.harness import parser, print_table, significant, write_result
from bitsieve.by_counts.pairwise.quadratic import approximated_ranking, quadratic_ranking
from bitsieve.information import PlugInInformation
from bitsieve.optimize.nystrom import Nystrom, choose_landmarks
from bitsieve.selectors.counted import count_columns
from bitsieve.sources import make_source
from bitsieve.table.columns import read_columns
from bitsieve.table.target import read_target

if TYPE_CHECKING:
    from numpy.typing import NDArray

DRAWS = 30
RATES = (0.5, 0.2, 0.1)
LOADERS = {"wine": load_wine, "breast cancer": load_breast_cancer, "digits": load_digits}
SHAPES = (Shape(2000, 500, 3, 5),)


def main() -> None:
    options = parser(__doc__, rounds=1).parse_args()
    draws = 3 if options.quick else DRAWS
    shapes = () if options.quick else SHAPES
    records = [measure(name, from_loader(name), draws) for name in LOADERS]
    records += [measure(shape.name, from_codes(shape), draws) for shape in shapes]
    header = ["data", "columns", *(f"{kind} {rate:g}" for kind in ("own entropy", "letter") for rate in RATES)]
    for quantity in ("objective", "ranking"):
        rows = [[r["data"], r["columns"], *(cell[quantity] for cell in r["cells"])] for r in records]
        print_table(f"QPFS by Nystrom: {quantity}", header, rows)
    claim = "Share of the objective (0: equal weights, 1: minimum) and of the ranking that QPFS keeps under Nystrom"
    write_result("qpfs_nystrom", {"claim": claim, "draws": draws, "cases": records}, quick=options.quick)


def from_loader(name: str) -> PlugInInformation:
    X, y = LOADERS[name](return_X_y=True)
    return count_columns(read_columns(BaseEstimator(), X, reset=True), read_target(y), "mdl").information


def from_codes(shape: Shape) -> PlugInInformation:
    table = make_codes(shape)
    return PlugInInformation(make_source(table.codes, table.classes))


def measure(name: str, information: PlugInInformation, draws: int) -> dict[str, Any]:
    """Means over the draws, for both diagonals and all rates."""
    columns = np.flatnonzero(information.varies)
    exact = quadratic_ranking(information, columns, shifted=True)
    matrix = information.mutual_information_matrix(columns=columns)
    relevance, alpha = information.relevance[columns], exact.alpha

    def objective(x: NDArray[np.float64]) -> float:
        return float((1 - alpha) / 2 * x @ matrix @ x - alpha * relevance @ x)

    worst, best = objective(np.full(len(columns), 1 / len(columns))), objective(exact.weights)
    cells = []
    for own_entropy in (True, False):
        for rate in RATES:
            shares, correlations = [], []
            for seed in range(draws):
                places = choose_landmarks(Nystrom(rate, random_state=seed), columns, information.n_features)
                found = approximated_ranking(information, columns, places, alpha, own_entropy=own_entropy)
                shares.append((objective(found.weights) - worst) / (best - worst))
                correlations.append(spearmanr(np.argsort(exact.order), np.argsort(found.order))[0])
            cells.append(
                {
                    "own_entropy": own_entropy,
                    "rate": rate,
                    "objective": significant(float(np.mean(shares)), 2),
                    "ranking": significant(float(np.mean(correlations)), 2),
                }
            )
    return {"data": name, "columns": len(columns), "alpha": significant(alpha), "shift": exact.shift, "cells": cells}


if __name__ == "__main__":
    main()
