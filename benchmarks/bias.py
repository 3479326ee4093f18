"""How far estimates of I(X;C) are from the truth, and how often true columns are ranked above noise of many values.

``python -m benchmarks.bias [RUNS]`` prints two tables, over so many seeded tables (200) a row. The first has the mean
error of every estimator and, after the sign +-, its standard deviation, in bits. X has codes that are equally frequent,
and the class is ``X mod classes`` with the chance that gives the true information, else drawn alike often. The second
has the share of the true columns among as many as are chosen first.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from bitsieve.counts.packed import PackedSource
from bitsieve.information import ESTIMATORS, make_information
from bitsieve.methods.by_counts.criteria import make_criterion
from bitsieve.methods.by_counts.forward import forward_select

SAMPLES = 50, 200, 800, 5000
SHAPES = (2, 2), (10, 2), (50, 2), (10, 10), (50, 10)  # codes, classes
TRUTHS = 0.0, 0.1, 0.5, 1.0  # bits
CELLS_FROM = 4  # samples a cell from which the bias is to be small


def information_of_mixture(share: float, n_codes: int, n_classes: int) -> float:
    """I(X;C) where the class is ``X mod classes`` in this share of the samples, and independent of X in the others."""
    codes = np.arange(n_codes)
    cells = np.full((n_codes, n_classes), (1 - share) / (n_codes * n_classes))
    cells[codes, codes % n_classes] += share / n_codes
    product_of_margins = np.outer(cells.sum(axis=1), cells.sum(axis=0))
    is_positive = cells > 0
    return float((cells[is_positive] * np.log2(cells[is_positive] / product_of_margins[is_positive])).sum())


def share_for(truth: float, n_codes: int, n_classes: int) -> float | None:
    """The share that gives the true information; None where none does."""
    if truth > information_of_mixture(1.0, n_codes, n_classes) + 1e-9:
        return None
    low = 0.0
    high = 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if information_of_mixture(middle, n_codes, n_classes) < truth:
            low = middle
        else:
            high = middle
    return high if truth else 0.0


def errors(n_samples: int, n_codes: int, n_classes: int, truth: float, n_runs: int) -> dict[str, NDArray] | None:
    """Estimates less the truth, one a seeded table, of every estimator; None where there is no such table."""
    share = share_for(truth, n_codes, n_classes)
    if share is None:
        return None
    errors_by_estimator: dict[str, list[float]] = {name: [] for name in ESTIMATORS}
    for seed in range(n_runs):
        random = np.random.default_rng([seed, n_samples, n_codes, n_classes])
        column = random.integers(0, n_codes, n_samples)
        follows = random.random(n_samples) < share
        classes = np.where(follows, column % n_classes, random.integers(0, n_classes, n_samples))
        source = PackedSource(column[:, None], classes, n_jobs=1)
        for name, values in errors_by_estimator.items():
            values.append(float(make_information(name, source).relevance[0]) - truth)
    return {name: np.array(values) for name, values in errors_by_estimator.items()}


def one_among_fifty(agreement: float) -> Callable:
    """A column that agrees with the class so often, in a random place among 50 of noise of 2 to 50 codes, 200 rows."""

    def make(random: np.random.Generator) -> tuple[NDArray, NDArray, list[int]]:
        classes = np.repeat([0, 1], 100)
        columns = [random.integers(0, n, 200) for n in random.integers(2, 51, 50)]
        position = int(random.integers(51))
        columns.insert(position, np.where(random.random(200) < agreement, classes, 1 - classes))
        return np.column_stack(columns), classes, [position]

    return make


def eight_among_500(random: np.random.Generator) -> tuple[NDArray, NDArray, list[int]]:
    """Eight columns that agree with the class in 72 %, each such value spread over 1 to 5 codes, and 492 of noise."""
    classes = random.integers(0, 2, 200)
    columns = []
    for spread in random.integers(1, 6, 8):
        agrees = np.where(random.random(200) < 0.72, classes, 1 - classes)
        columns.append(agrees * spread + random.integers(0, spread, 200))
    columns += [random.integers(0, n, 200) for n in random.integers(2, 51, 492)]
    order = random.permutation(500)
    return np.column_stack(columns)[:, order], classes, np.flatnonzero(order < 8).tolist()


DESIGNS = {
    "one of agreement 0.7 among 50": one_among_fifty(0.7),
    "one of agreement 0.8 among 50": one_among_fifty(0.8),
    "eight among 492": eight_among_500,
}


def ranked_first(make: Callable, criterion: str, n_runs: int) -> dict[str, float]:
    """The share of the true columns among as many as are chosen first, by every estimator."""
    n_true_first = dict.fromkeys(ESTIMATORS, 0)
    for seed in range(n_runs):
        codes, classes, true = make(np.random.default_rng(seed))
        source = PackedSource(codes, classes, n_jobs=1)
        for name in n_true_first:
            chosen = forward_select(make_information(name, source), make_criterion(criterion), len(true)).order
            n_true_first[name] += len(set(chosen.tolist()) & set(true))
    return {name: count / (len(true) * n_runs) for name, count in n_true_first.items()}


def main(arguments: list[str]) -> None:
    """Print both tables."""
    n_runs = int(arguments[0]) if arguments else 200
    print(f"| samples | codes x classes | truth | {' | '.join(ESTIMATORS)} |\n|---|---|---|{'---|' * len(ESTIMATORS)}")
    for n_samples in SAMPLES:
        for n_codes, n_classes in SHAPES:
            for truth in TRUTHS:
                errors_by_estimator = errors(n_samples, n_codes, n_classes, truth, n_runs)
                if errors_by_estimator is not None:
                    cells = " | ".join(f"{e.mean():+.3f} +- {e.std():.3f}" for e in errors_by_estimator.values())
                    remark = "" if n_samples >= CELLS_FROM * n_codes * n_classes else ", few samples"
                    print(f"| {n_samples:,} | {n_codes} x {n_classes}{remark} | {truth} | {cells} |", flush=True)
    print(f"\n| design | criterion | {' | '.join(ESTIMATORS)} |\n|---|---|{'---|' * len(ESTIMATORS)}")
    for name, make in DESIGNS.items():
        for criterion in ("mim",) if "one" in name else ("mim", "mrmr", "jmi", "cmim"):
            shares = ranked_first(make, criterion, n_runs).values()
            print(f"| {name} | {criterion} | {' | '.join(f'{share:.0%}' for share in shares)} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
