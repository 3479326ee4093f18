"""Which greedy method and estimator are the default: errors of classifiers on real tables, at 5 to 40 features.

    python -m benchmarks.default_method DATA_DIR [--sets colon,wine] [--folds 3] [--binning mdl] [--estimators plug-in]

``DATA_DIR`` holds .npz files with ``X`` and ``y``. Every method ranks inside each fold, on its training rows, with the
settings that ``bitsieve select`` has by default; columns are standardised for the classifiers: 3 nearest neighbours,
logistic regression and, for two classes, boosted trees. A table with fewer columns than a number is left out at that
number. Rows beyond 800 are left out by a seeded draw. Printed are the errors of the nearest neighbours, and the mean
rank and error of each method by each estimator over all tables, numbers and classifiers.
"""

from __future__ import annotations

import argparse
import warnings
from itertools import product
from pathlib import Path
from statistics import mean
from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bitsieve import make_selector
from bitsieve.dataset.read import read_xy
from bitsieve.discretization.registry import make_binner
from bitsieve.pipeline.discretize import count_table
from bitsieve.utils.terminal_text import aligned
from papers.data.files import load_npz

METHODS = ("mim", "mrmr", "jmi", "cmim", "disr")
FEATURE_COUNTS = (5, 10, 20, 40)
SETS = (
    *("lung_d3", "promoter", "congress", "heart", "ionosphere", "sonar", "breast_wdbc", "krvskp", "splice"),
    *("waveform40", "spambase", "optdigits", "colon_d3", "lymphoma_d3", "colon", "leukemia_d3", "madelon"),
    *("coil20", "wine", "letter", "orl"),
)
MAX_ROWS = 800
CLASSIFIERS = {
    "3-NN": KNeighborsClassifier(3),
    "logistic regression": LogisticRegression(max_iter=200),
    "boosted trees": HistGradientBoostingClassifier(max_iter=25, max_leaf_nodes=8, random_state=0),
}


class Ranker(NamedTuple):
    """A greedy method with an estimator."""

    method: str
    estimator: str


class Setting(NamedTuple):
    """What an error was measured with: the first ``k`` columns of a ranker, and a classifier."""

    ranker: Ranker
    k: int
    classifier: str


Errors = dict[Setting, float]  # in percent


def errors(data_dir: str, name: str, n_folds: int, binning: str, rankers: list[Ranker]) -> Errors:
    """The mean errors over the folds of a table, in percent."""
    data = load_npz(data_dir, name)
    rows = np.random.default_rng(0).permutation(len(data.y))[:MAX_ROWS]
    X = np.asarray(data.X, np.float64)[rows]
    y = np.asarray(data.y)[rows]
    feature_counts = [k for k in FEATURE_COUNTS if k < X.shape[1]]
    classifiers = [classifier for classifier in CLASSIFIERS if classifier != "boosted trees" or len(np.unique(y)) == 2]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # some classes have fewer rows than there are folds
        folds = list(StratifiedKFold(n_folds, shuffle=True, random_state=0).split(X, y))
    errors_by_fold: dict[Setting, list[float]] = {}
    for train, test in folds:
        counts = count_table(read_xy(X[train], y[train]), make_binner(binning, missing="bin"))
        for ranker in rankers:
            selector = make_selector(ranker.method, max(feature_counts), estimator=ranker.estimator)
            order = selector.fit_counted(counts).selected_
            for k, classifier in product(feature_counts, classifiers):
                columns = order[:k]
                model = make_pipeline(
                    SimpleImputer(keep_empty_features=True), StandardScaler(), clone(CLASSIFIERS[classifier])
                )
                model.fit(X[train][:, columns], y[train])
                is_wrong = model.predict(X[test][:, columns]) != y[test]
                setting = Setting(ranker, k, classifier)
                errors_by_fold.setdefault(setting, []).append(100 * float(np.mean(is_wrong)))
    return {setting: mean(errors_of_folds) for setting, errors_of_folds in errors_by_fold.items()}


class Means(NamedTuple):
    """The mean rank of a ranker among all, equal errors sharing their ranks, and its mean error."""

    ranker: Ranker
    rank: float
    error: float


def means_of_rankers(errors_of_sets: list[Errors], rankers: list[Ranker]) -> list[Means]:
    """The means over all tables, numbers of columns and classifiers, by mean rank."""
    rows = []  # the errors of all rankers, for each table, number of columns and classifier
    for errors_of_set in errors_of_sets:
        for k, classifier in product(FEATURE_COUNTS, CLASSIFIERS):
            settings = [Setting(ranker, k, classifier) for ranker in rankers]
            if settings[0] in errors_of_set:
                rows.append([errors_of_set[setting] for setting in settings])
    mean_ranks = np.apply_along_axis(rankdata, 1, rows).mean(axis=0)
    mean_errors = np.mean(rows, axis=0)
    means = []
    for ranker, rank, error in zip(rankers, mean_ranks.tolist(), mean_errors.tolist(), strict=True):
        means.append(Means(ranker, rank, error))
    return sorted(means, key=lambda ranker_means: ranker_means.rank)


def main() -> None:
    """Print a row for each set as it is done, then the means and ranks."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data_dir", type=Path)
    parser.add_argument("--sets", type=lambda text: text.split(","), default=list(SETS))
    parser.add_argument("--folds", type=int, default=3)
    parser.add_argument("--binning", default="mdl")
    parser.add_argument("--estimators", type=lambda text: text.split(","), default=["plug-in", "corrected"])
    options = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)  # with many classes 200 steps are near enough
    rankers = [Ranker(method, estimator) for method, estimator in product(METHODS, options.estimators)]
    errors_by_set: dict[str, Errors] = {}
    rows_of_sets: list[tuple[str, ...]] = []
    for name in options.sets:
        errors_by_set[name] = errors(str(options.data_dir), name, options.folds, options.binning, rankers)
        row = (name, *(_cell(errors_by_set[name], ranker) for ranker in rankers))
        rows_of_sets.append(row)
        print(*row, sep="  ", flush=True)
    titles = [f"{ranker.method}, {ranker.estimator}" for ranker in rankers]
    print(f"\n3-NN error in percent at {' / '.join(map(str, FEATURE_COUNTS))} features, {options.folds} folds")
    print(aligned(("set", *titles), rows_of_sets, (False, *[True] * len(titles))))
    print(f"\nmean ranks of {len(rankers)}, and mean errors in percent, over all classifiers")
    rows_of_means = []
    for ranker, rank, error in means_of_rankers(list(errors_by_set.values()), rankers):
        rows_of_means.append((ranker.method, ranker.estimator, f"{rank:.2f}", f"{error:.2f}"))
    print(aligned(("method", "estimator", "rank", "error"), rows_of_means, (False, False, True, True)))


def _cell(errors_of_set: Errors, ranker: Ranker) -> str:
    """The 3-NN errors of a ranker at every number of features."""
    texts = []
    for k in FEATURE_COUNTS:
        error = errors_of_set.get(Setting(ranker, k, "3-NN"))
        texts.append("-" if error is None else f"{error:.1f}")
    return " / ".join(texts)


if __name__ == "__main__":
    main()
