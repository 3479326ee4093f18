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
from bitsieve.utils.messages import aligned
from papers.data.files import load_npz

METHODS = ("mim", "mrmr", "jmi", "cmim", "disr")
NUMBERS = (5, 10, 20, 40)
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
Errors = dict[tuple[str, str, int, str], float]  # the mean error by method, estimator, number and classifier


def errors(data_dir: str, name: str, n_folds: int, binning: str, estimators: list[str]) -> Errors:
    """The mean errors in percent over the folds."""
    data = load_npz(data_dir, name)
    X, y = np.asarray(data.X, np.float64), np.asarray(data.y)
    rows = np.random.default_rng(0).permutation(len(y))[:MAX_ROWS]
    X, y = X[rows], y[rows]
    numbers = [k for k in NUMBERS if k < X.shape[1]]
    models = [word for word in CLASSIFIERS if word != "boosted trees" or len(np.unique(y)) == 2]
    wrong: dict[tuple[str, str, int, str], list[float]] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of classes with fewer rows than folds
        folds = list(StratifiedKFold(n_folds, shuffle=True, random_state=0).split(X, y))
    for train, test in folds:
        counts = count_table(read_xy(X[train], y[train]), make_binner(binning, missing="bin"))
        for method, estimator in product(METHODS, estimators):
            chosen = make_selector(method, max(numbers), estimator=estimator).fit_counted(counts).selected_
            for k, word in product(numbers, models):
                columns = chosen[:k]
                scaled = SimpleImputer(keep_empty_features=True), StandardScaler()
                model = make_pipeline(*scaled, clone(CLASSIFIERS[word])).fit(X[train][:, columns], y[train])
                predicted = model.predict(X[test][:, columns])
                wrong.setdefault((method, estimator, k, word), []).append(100 * float(np.mean(predicted != y[test])))
    return {key: mean(values) for key, values in wrong.items()}


def mean_ranks(
    errors_of_sets: list[Errors], ranked: list[tuple[str, str]]
) -> dict[tuple[str, str], tuple[float, float]]:
    """The mean rank, equal ones shared, and the mean error of each method by each estimator."""
    cells = [
        [errors_of_set[(*pair, k, word)] for pair in ranked]
        for errors_of_set in errors_of_sets
        for k, word in product(NUMBERS, CLASSIFIERS)
        if (*ranked[0], k, word) in errors_of_set
    ]
    ranks = np.apply_along_axis(rankdata, 1, cells).mean(axis=0).tolist()
    return dict(zip(ranked, zip(ranks, np.mean(cells, axis=0).tolist(), strict=True), strict=True))


def main() -> None:
    """Print a row for each set as it is done, then the means and ranks."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data_dir", type=Path)
    parser.add_argument("--sets", type=lambda text: text.split(","), default=list(SETS))
    parser.add_argument("--folds", type=int, default=3)
    parser.add_argument("--binning", default="mdl")
    parser.add_argument("--estimators", type=lambda text: text.split(","), default=["plug-in", "corrected"])
    options = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)  # of many classes: 200 steps are near enough
    ranked = list(product(METHODS, options.estimators))
    errors_by_set = {}
    for name in options.sets:
        errors_by_set[name] = errors(str(options.data_dir), name, options.folds, options.binning, options.estimators)
        print(name, *(_cell(errors_by_set[name], *pair) for pair in ranked), sep="  ", flush=True)
    titles = tuple(f"{method}, {estimator}" for method, estimator in ranked)
    rows = [(name, *(_cell(errors_by_set[name], *pair) for pair in ranked)) for name in errors_by_set]
    print(f"\n3-NN error in percent at {' / '.join(map(str, NUMBERS))} features, {options.folds} folds")
    print(aligned(("set", *titles), rows, (False, *(True for _ in titles))))
    means = mean_ranks(list(errors_by_set.values()), ranked)
    by_rank = sorted(means.items(), key=lambda item: item[1][0])
    print(f"\nmean ranks of {len(ranked)}, and mean errors in percent, over all classifiers")
    rows = [(method, estimator, f"{rank:.2f}", f"{error:.2f}") for (method, estimator), (rank, error) in by_rank]
    print(aligned(("method", "estimator", "rank", "error"), rows, (False, False, True, True)))


def _cell(errors_of_set: Errors, method: str, estimator: str) -> str:
    errors_in_percent = (errors_of_set.get((method, estimator, k, "3-NN")) for k in NUMBERS)
    return " / ".join("-" if error is None else f"{error:.1f}" for error in errors_in_percent)


if __name__ == "__main__":
    main()
