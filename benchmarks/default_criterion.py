"""Which criterion is the default: errors of classifiers on real tables, over many random splits.

    python -m benchmarks.default_criterion DATA_DIR RESULTS [--splits 10] [--rows 500] [--sets colon,wine]

``DATA_DIR`` holds .npz files with ``X`` and ``y``; digits of scikit-learn is one set more. ``RESULTS`` is a file with a
line of JSON for each split of a set. A run adds the splits that the file lacks, so that it may be ended and started
again. Then the table is printed of the splits that every set has; ``--splits 0`` adds none and prints it.

A split draws its training rows at random within the classes: two thirds of the rows, ``--rows`` at most. Up to 500 of
the others are its test rows. Every contestant ranks the columns of the training rows, with the bins and the estimator
that ``bitsieve select`` has by default. The error is the mean of three classifiers: logistic regression on standardised
columns, 3 nearest neighbours on the same, and a random forest. A set with no more columns than a number is left out at
that number.

The table shows, at each number of columns, the mean over the sets of the error in percent, and that difference to cmim
with its interval of 90 %, by a bootstrap over the sets; beside it Kuncheva's stability over the splits, and the median
processor seconds of a ranking of 50 columns, the bins made before.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypedDict

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import f_classif
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from bitsieve import make_selector
from bitsieve.dataset.read import read_xy
from bitsieve.discretization.registry import make_binner
from bitsieve.io.npz import read_npz
from bitsieve.metrics.stability import kuncheva
from bitsieve.pipeline.discretize import count_table
from bitsieve.utils.terminal_text import aligned
from papers.data.files import load_bundled

CRITERIA = ("cmim", "cmim2", "jmi", "mrmr")
CONTESTANTS = (*CRITERIA, "F-test")
BASELINE = "cmim"
NUMBERS = (5, 10, 20, 50)
MAX_TEST_ROWS = 500
FIRST_SEED = 4700  # of the splits
N_RESAMPLES = 10_000
N_TREES = 25

# The test parts of tables whose training part is a set.
TEST_PARTS = ("a9a_test", "mnist_test", "reuters_moneyfx_test")

Floats = NDArray[np.float64]


class Split(NamedTuple):
    """Training rows and test rows of a set. Missing values are the means of the training rows."""

    training: Floats
    training_classes: NDArray[np.generic]
    test: Floats
    test_classes: NDArray[np.generic]


class ContestantResult(TypedDict):
    """What one contestant did on one split."""

    columns: list[int]  # in order of choice
    seconds: float
    errors: dict[str, float]  # in percent, by number of columns: JSON has text as keys


class SplitResult(TypedDict):
    """A line of the file of results."""

    name: str  # of the set
    seed: int
    n_features: int
    contestants: dict[str, ContestantResult]


def names_of_sets(data_dir: Path) -> list[str]:
    """The sets in the folder, and digits."""
    names = sorted(path.stem for path in data_dir.glob("*.npz"))
    return [name for name in names if name not in TEST_PARTS] + ["digits"]


def split_of(data_dir: Path, name: str, seed: int, max_rows: int) -> Split:
    """Draw a split of a set."""
    if name == "digits":
        digits = load_bundled(name)
        X = digits.X
        y = digits.y
    else:
        path = data_dir / f"{name}.npz"
        arrays = read_npz(path, repr(str(path)))
        X = arrays.X
        assert arrays.y is not None  # the sets of the benchmark have classes
        y = arrays.y
    n_rows = len(y)
    n_training = min(max_rows, 2 * n_rows // 3)
    n_test = min(MAX_TEST_ROWS, n_rows - n_training)
    training_rows, test_rows = train_test_split(
        np.arange(n_rows), train_size=n_training, test_size=n_test, stratify=y, random_state=seed
    )
    return Split(_dense(X[training_rows]), y[training_rows], _dense(X[test_rows]), y[test_rows])


def _dense(X: object) -> Floats:
    if isinstance(X, np.ndarray):
        return X.astype(np.float64)
    return np.asarray(X.toarray(), np.float64)  # type: ignore[attr-defined]  # a sparse matrix of scipy


def run_split(split: Split, name: str, seed: int) -> SplitResult:
    """Rank the columns by each contestant and measure the errors of the first ones."""
    n_features = split.training.shape[1]
    imputer = SimpleImputer(keep_empty_features=True).fit(split.training)
    training = imputer.transform(split.training)
    scaler = StandardScaler().fit(training)
    scaled = split._replace(training=scaler.transform(training), test=scaler.transform(imputer.transform(split.test)))
    numbers = [number for number in NUMBERS if number < n_features]
    contestants: dict[str, ContestantResult] = {}
    for contestant in CONTESTANTS:
        counts = count_table(read_xy(split.training, split.training_classes), make_binner("mdl", missing="bin"))
        start = time.process_time()
        if contestant == "F-test":
            order = _order_by_f(training, split.training_classes)
        else:
            order = make_selector(contestant, min(n_features, max(NUMBERS))).fit_counted(counts).selected_
        seconds = time.process_time() - start
        columns = order[: max(numbers)]
        errors = {str(number): mean_error(scaled, columns[:number]) for number in numbers}
        contestants[contestant] = ContestantResult(columns=columns.tolist(), seconds=seconds, errors=errors)
    return SplitResult(name=name, seed=seed, n_features=n_features, contestants=contestants)


def _order_by_f(X: Floats, y: NDArray[np.generic]) -> NDArray[np.intp]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of constant columns, whose F is nan: they come last
        statistics, _ = f_classif(X, y)
    return np.argsort(-np.nan_to_num(statistics, nan=-1.0, posinf=np.finfo(float).max), kind="stable")


def mean_error(split: Split, columns: NDArray[np.intp]) -> float:
    """The mean error of three classifiers on these columns, in percent."""
    models: tuple[ClassifierMixin, ...] = (
        LogisticRegression(max_iter=200),
        KNeighborsClassifier(3),
        RandomForestClassifier(N_TREES, random_state=0, n_jobs=1),
    )
    errors = []
    for model in models:
        model.fit(split.training[:, columns], split.training_classes)
        predicted = model.predict(split.test[:, columns])
        errors.append(100 * float(np.mean(predicted != split.test_classes)))
    return float(np.mean(errors))


class Row(NamedTuple):
    """A contestant at one number of columns, over all sets."""

    contestant: str
    error: float  # in percent
    difference: float  # to the error of the baseline, in points
    low: float  # of the interval of 90 % of the difference
    high: float
    stability: float


def summary(results: list[SplitResult], number: int) -> list[Row]:
    """The contestants at one number of columns, over the sets that have more."""
    by_set: dict[str, list[SplitResult]] = {}
    for result in results:
        if str(number) in result["contestants"][BASELINE]["errors"]:
            by_set.setdefault(result["name"], []).append(result)
    rows = []
    for contestant in CONTESTANTS:
        errors = np.array([_error(splits, contestant, number) for splits in by_set.values()])
        differences = errors - np.array([_error(splits, BASELINE, number) for splits in by_set.values()])
        stabilities = [_stability(splits, contestant, number) for splits in by_set.values()]
        low, high = bootstrap_interval(differences)
        mean_difference = float(differences.mean())
        rows.append(Row(contestant, float(errors.mean()), mean_difference, low, high, float(np.mean(stabilities))))
    return rows


def _error(splits: list[SplitResult], contestant: str, number: int) -> float:
    return float(np.mean([split["contestants"][contestant]["errors"][str(number)] for split in splits]))


def _stability(splits: list[SplitResult], contestant: str, number: int) -> float:
    selections = [split["contestants"][contestant]["columns"][:number] for split in splits]
    return kuncheva(selections, splits[0]["n_features"])


def bootstrap_interval(differences: Floats) -> tuple[float, float]:
    """The interval of 90 % of the mean difference, the sets drawn again with replacement."""
    random = np.random.default_rng(0)
    drawn = random.integers(len(differences), size=(N_RESAMPLES, len(differences)))
    low, high = np.quantile(differences[drawn].mean(axis=1), [0.05, 0.95])
    return float(low), float(high)


def read_results(path: Path) -> list[SplitResult]:
    """The splits that are finished."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def splits_of_all_sets(results: list[SplitResult]) -> list[SplitResult]:
    """The splits of those seeds that every set has."""
    names = {result["name"] for result in results}
    names_by_seed: dict[int, set[str]] = {}
    for result in results:
        names_by_seed.setdefault(result["seed"], set()).add(result["name"])
    return [result for result in results if names_by_seed[result["seed"]] == names]


def print_tables(results: list[SplitResult]) -> None:
    """Print a table for each number of columns, and the seconds."""
    complete = splits_of_all_sets(results)
    n_splits = len({result["seed"] for result in complete})
    print(f"{n_splits} splits of {len({result['name'] for result in complete})} sets")
    for number in NUMBERS:
        cells = [
            (
                row.contestant,
                f"{row.error:.2f}",
                f"{row.difference:+.2f}",
                f"{row.low:+.2f} to {row.high:+.2f}",
                f"{row.stability:.2f}",
            )
            for row in summary(complete, number)
        ]
        header = ("criterion", "error in %", f"less {BASELINE}", "90 % interval", "stability")
        print(f"\n{number} columns")
        print(aligned(header, cells, (False, True, True, True, True)))
    print()
    for contestant in CONTESTANTS:
        seconds = float(np.median([result["contestants"][contestant]["seconds"] for result in complete]))
        print(f"{contestant}: {seconds:.4f} s")


def run_missing_splits(
    names: Sequence[str], seeds: Sequence[int], results: Path, run: Callable[[str, int], Mapping[str, object]]
) -> None:
    """Call ``run(name, seed)`` for the splits that the file of results lacks, and add a line for each."""
    finished = {(result["name"], result["seed"]) for result in read_results(results)}
    with threadpool_limits(1):
        for seed in seeds:
            for name in names:
                if (name, seed) in finished:
                    continue
                result = run(name, seed)
                with results.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(result) + "\n")


def main() -> None:
    """Run the splits that the file of results lacks, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data_dir", type=Path)
    parser.add_argument("results", type=Path)
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--rows", type=int, default=500)
    parser.add_argument("--sets", type=lambda text: text.split(","))
    options = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)  # of many classes: 200 steps are near enough
    names = options.sets or names_of_sets(options.data_dir)

    def run(name: str, seed: int) -> SplitResult:
        return run_split(split_of(options.data_dir, name, seed, options.rows), name, seed)

    seeds = range(FIRST_SEED, FIRST_SEED + options.splits)
    run_missing_splits(names, seeds, options.results, run)
    results = read_results(options.results)
    if not splits_of_all_sets(results):
        print("no split is finished for all sets")
        return
    print_tables(results)


if __name__ == "__main__":
    main()
