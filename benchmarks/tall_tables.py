"""Criteria on tables of 2,000 training rows, beside fastcan: errors of classifiers over random splits.

    python -m benchmarks.tall_tables DATA_DIR RESULTS [--splits 3] [--sets letter,spambase]

``DATA_DIR`` holds .npz files as for ``benchmarks.default_criterion``, of which those with at least 3,000 rows take
part. ``RESULTS`` is a file with a line of JSON for each split of a set. A run adds the splits that the file lacks, so
that it may be ended and started again; ``--splits 0`` adds none and prints the table.

A split draws 2,000 training rows at random within the classes, and 500 test rows. Every contestant ranks the columns
of the training rows. The error is that of ``benchmarks.default_criterion``: the mean of three classifiers. A set with
no more columns than a number is left out at that number.

The table shows the mean error over the sets in percent, and that difference to ``cmim2``, the default, with its
standard error over the sets. ``fastcan`` is a program of others, and is left out where it is not installed. "residuals"
is the same search with information in place of correlation: each step takes from all columns what is linear in the
selected ones, cuts what is left by MDL, and selects the column with the largest information about the class.
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple, TypedDict

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import StandardScaler

from benchmarks.default_criterion import Split, mean_error, names_of_sets, run_missing_splits, split_of
from bitsieve import EqualFrequencyBinner, MDLBinner, make_selector
from bitsieve.dataset.read import read_xy
from bitsieve.discretization.base import Binning
from bitsieve.pipeline.discretize import count_table
from bitsieve.utils.terminal_text import aligned

Floats = NDArray[np.float64]
Order = NDArray[np.intp]

N_TRAINING_ROWS = 2000
MIN_ROWS = 3000  # of a set: two thirds are training rows
NUMBERS = (5, 10, 20)
FIRST_SEED = 4900  # of the splits
BASELINE = "cmim2"
MIN_VARIANCE = 1e-9  # of a standardised column: what is left of one that is linear in the selected ones is rounding


class Criterion(NamedTuple):
    """A method of bitsieve with its estimator and its bins."""

    method: str
    estimator: str = "corrected"
    n_quantile_bins: int | None = None  # None: bins by MDL

    def order(self, X: Floats, classes: NDArray[np.generic], k: int) -> Order:
        """The first k columns."""
        counts = count_table(read_xy(X, classes), self._binner())
        order: Order = make_selector(self.method, k, estimator=self.estimator).fit_counted(counts).selected_
        return order

    def _binner(self) -> Binning:
        if self.n_quantile_bins is None:
            return MDLBinner(missing="bin")
        return EqualFrequencyBinner(n_bins=self.n_quantile_bins, missing="bin")


CRITERIA: Mapping[str, Criterion] = {
    "cmim2": Criterion("cmim2"),
    "cmim": Criterion("cmim"),
    "jmi": Criterion("jmi"),
    "mrmr": Criterion("mrmr"),
    "jmi3": Criterion("jmi3"),
    "cmi": Criterion("cmi"),
    "jmi, shrinkage": Criterion("jmi", "shrinkage"),
    "cmim2, shrinkage": Criterion("cmim2", "shrinkage"),
    "cmim2, 10 bins": Criterion("cmim2", n_quantile_bins=10),
    "cmim2, 20 bins": Criterion("cmim2", n_quantile_bins=20),
}
RESIDUALS = "residuals"
FASTCAN = "fastcan"


def order_by_residuals(X: Floats, classes: NDArray[np.generic], k: int) -> Order:
    """Select greedily by the information of what is left of each column after regression on the selected ones."""
    residuals = StandardScaler().fit_transform(X)
    order: list[int] = []
    for _ in range(k):
        remaining = np.setdiff1d(np.flatnonzero(residuals.var(axis=0) > MIN_VARIANCE), order)
        if not len(remaining):
            break
        counts = count_table(read_xy(residuals[:, remaining], classes), MDLBinner(missing="bin"))
        best = int(remaining[make_selector("mim", 1).fit_counted(counts).selected_[0]])
        order.append(best)
        direction = residuals[:, best] / np.linalg.norm(residuals[:, best])
        residuals = residuals - np.outer(direction, direction @ residuals)
    others = np.setdiff1d(np.arange(X.shape[1]), order)
    return np.array([*order, *others], np.intp)[:k]


def order_by_fastcan(X: Floats, classes: NDArray[np.generic], k: int) -> Order:
    """Select greedily by the canonical correlation of all selected columns with the classes."""
    from fastcan import FastCan

    labels = np.unique(classes)
    is_class = (classes[:, None] == labels[:-1]).astype(np.float64)  # the last class is determined by the others
    varies = np.flatnonzero(X.std(axis=0) > 0)
    indices = FastCan(min(k, len(varies)), verbose=0).fit(X[:, varies], is_class).indices_
    order: Order = varies[np.asarray(indices, np.intp)]
    return order


def contestants() -> list[str]:
    """The names of all contestants that can run here."""
    names = [*CRITERIA, RESIDUALS]
    return [*names, FASTCAN] if find_spec("fastcan") else names


class SplitErrors(TypedDict):
    """A line of the file of results."""

    name: str  # of the set
    seed: int
    errors: dict[str, dict[str, float]]  # in percent, by contestant and number of columns: JSON has text as keys


def run_split(split: Split, name: str, seed: int) -> SplitErrors:
    """Rank the columns by each contestant and measure the errors of the first ones."""
    imputer = SimpleImputer(keep_empty_features=True).fit(split.training)
    training = imputer.transform(split.training)
    scaler = StandardScaler().fit(training)
    scaled = split._replace(training=scaler.transform(training), test=scaler.transform(imputer.transform(split.test)))
    numbers = [number for number in NUMBERS if number < training.shape[1]]
    errors: dict[str, dict[str, float]] = {}
    for contestant in contestants():
        k = max(numbers)
        if contestant == RESIDUALS:
            order = order_by_residuals(training, split.training_classes, k)
        elif contestant == FASTCAN:
            order = order_by_fastcan(training, split.training_classes, k)
        else:
            order = CRITERIA[contestant].order(split.training, split.training_classes, k)
        errors[contestant] = {str(number): mean_error(scaled, order[:number]) for number in numbers}
    return SplitErrors(name=name, seed=seed, errors=errors)


class Row(NamedTuple):
    """A contestant at one number of columns, over all sets."""

    contestant: str
    error: float  # in percent
    difference: float  # to the error of the baseline, in points
    standard_error: float  # of the difference, over the sets


def summary(results: list[SplitErrors], number: int) -> list[Row]:
    """The contestants that took part in all splits, at one number of columns, over the sets that have more."""
    by_set: dict[str, list[SplitErrors]] = {}
    for result in results:
        if str(number) in result["errors"][BASELINE]:
            by_set.setdefault(result["name"], []).append(result)
    names = [name for name in results[0]["errors"] if all(name in result["errors"] for result in results)]
    rows = []
    for name in names:
        errors = np.array([_error(splits, name, number) for splits in by_set.values()])
        differences = errors - np.array([_error(splits, BASELINE, number) for splits in by_set.values()])
        standard_error = float(differences.std(ddof=1) / np.sqrt(len(differences))) if len(differences) > 1 else np.nan
        rows.append(Row(name, float(errors.mean()), float(differences.mean()), standard_error))
    return rows


def _error(splits: list[SplitErrors], contestant: str, number: int) -> float:
    return float(np.mean([split["errors"][contestant][str(number)] for split in splits]))


def print_tables(results: list[SplitErrors]) -> None:
    """Print a table for each number of columns."""
    names = sorted({result["name"] for result in results})
    print(f"{len(results)} splits of {len(names)} sets: {', '.join(names)}")
    for number in NUMBERS:
        rows = summary(results, number)
        cells = [
            (row.contestant, f"{row.error:.2f}", f"{row.difference:+.2f} ± {row.standard_error:.2f}") for row in rows
        ]
        print(f"\n{number} columns")
        print(aligned(("criterion", "error in %", f"less {BASELINE}"), cells, (False, True, True)))


def read_results(path: Path) -> list[SplitErrors]:
    """The splits that are finished."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def names_of_tall_sets(data_dir: Path) -> list[str]:
    """The sets in the folder that have enough rows."""
    names = [name for name in names_of_sets(data_dir) if name != "digits"]  # which has 1,797 rows
    return [name for name in names if _n_rows(data_dir / f"{name}.npz") >= MIN_ROWS]


def _n_rows(path: Path) -> int:
    with np.load(path, allow_pickle=False) as arrays:
        return len(arrays["y"])


def main() -> None:
    """Run the splits that the file of results lacks, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data_dir", type=Path)
    parser.add_argument("results", type=Path)
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--sets", type=lambda text: text.split(","))
    options = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)  # of many classes: 200 steps are near enough
    names = options.sets or names_of_tall_sets(options.data_dir)

    def run(name: str, seed: int) -> SplitErrors:
        return run_split(split_of(options.data_dir, name, seed, N_TRAINING_ROWS), name, seed)

    seeds = range(FIRST_SEED, FIRST_SEED + options.splits)
    run_missing_splits(names, seeds, options.results, run)
    results = read_results(options.results)
    if not results:
        print("no split is finished")
        return
    print_tables(results)


if __name__ == "__main__":
    main()
