"""Which greedy method is the default: 3-NN errors of each on real tables, at 5, 10 and 20 features.

    python -m benchmarks.default_method DATA_DIR [--sets colon,wine] [--folds 3]

``DATA_DIR`` holds .npz files with ``X`` and ``y``. Every method ranks inside each fold, on its training rows, with
the settings that ``bitsieve select`` has by default; columns are standardised for the neighbours. A table with fewer
columns than a number is left out of the mean at that number. Rows beyond 1,500 are left out by a seeded draw.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from statistics import mean

import numpy as np
from sklearn.impute import SimpleImputer
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bitsieve import make_selector
from bitsieve.common.messages import aligned
from bitsieve.data.binning.registry import make_binner
from bitsieve.data.read import read_xy
from bitsieve.selectors.fitting import count_table
from papers.data.files import load_npz

METHODS = ("mim", "mrmr", "jmi", "cmim", "jmim", "disr", "icap", "speccmi")
NUMBERS = (5, 10, 20)
SETS = (
    *("lung_d3", "promoter", "congress", "heart", "ionosphere", "sonar", "breast_wdbc", "krvskp", "splice"),
    *("waveform40", "spambase", "optdigits", "colon_d3", "lymphoma_d3", "colon", "leukemia_d3", "madelon"),
    *("coil20", "wine", "letter", "orl"),
)
MOST_ROWS = 1500


def errors(data_dir: str, name: str, n_folds: int) -> dict[tuple[str, int], float]:
    """The mean error in percent over the folds, by method and number of features."""
    data = load_npz(data_dir, name)
    X, y = np.asarray(data.X, np.float64), np.asarray(data.y)
    random = np.random.default_rng(0)
    rows = random.permutation(len(y))[:MOST_ROWS]
    X, y = X[rows], y[rows]
    numbers = [k for k in NUMBERS if k < X.shape[1]]
    wrong: dict[tuple[str, int], list[float]] = {(method, k): [] for method in METHODS for k in numbers}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of classes with fewer rows than folds
        folds = list(StratifiedKFold(n_folds, shuffle=True, random_state=0).split(X, y))
    for train, test in folds:
        counted = count_table(read_xy(X[train], y[train]), make_binner("mdl", missing="bin"))
        for method in METHODS:
            chosen = make_selector(method, max(numbers)).fit_counted(counted).selected_
            for k in numbers:
                columns = chosen[:k]
                model = make_pipeline(
                    SimpleImputer(keep_empty_features=True), StandardScaler(), KNeighborsClassifier(3)
                )
                found = model.fit(X[train][:, columns], y[train]).predict(X[test][:, columns])
                wrong[method, k].append(100 * float(np.mean(found != y[test])))
    return {key: mean(values) for key, values in wrong.items()}


def main() -> None:
    """Print a row for each set as it is done, then the means."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data_dir", type=Path)
    parser.add_argument("--sets", type=lambda text: text.split(","), default=list(SETS))
    parser.add_argument("--folds", type=int, default=3)
    options = parser.parse_args()
    found = {}
    for name in options.sets:
        found[name] = errors(str(options.data_dir), name, options.folds)
        print(name, *(_cell(found[name], method) for method in METHODS), sep="  ", flush=True)
    rows = [(name, *(_cell(found[name], method) for method in METHODS)) for name in found]
    means = [
        {(method, k): mean(of[method, k] for of in found.values() if (method, k) in of) for k in NUMBERS}
        for method in METHODS
    ]
    rows.append(("mean", *(_cell(of, method) for of, method in zip(means, METHODS, strict=True))))
    print(f"\n3-NN error in percent at {' / '.join(map(str, NUMBERS))} features, {options.folds} folds")
    print(aligned(("set", *METHODS), rows, (False, *(True for _ in METHODS))))


def _cell(of: dict[tuple[str, int], float], method: str) -> str:
    return " / ".join(f"{of[method, k]:.1f}" if (method, k) in of else "-" for k in NUMBERS)


if __name__ == "__main__":
    main()
